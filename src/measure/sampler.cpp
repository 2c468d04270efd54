#include "measure/sampler.hpp"

#include <algorithm>

namespace warpclock {
namespace {

// Between two samples the chip rests for some 0.1 ms; the probes between two groups take as long.
constexpr auto longest_rest = milliseconds(3);

/// Lifts the hold however the call ends: a stream left held would hang everything after it.
class Release {
 public:
  explicit Release(Stream& stream) : stream_(&stream) {}
  Release(const Release&) = delete;
  Release& operator=(const Release&) = delete;
  ~Release() {
    if (stream_ == nullptr) return;
    try {
      stream_->release();
    } catch (const std::exception&) {
      // The exception on its way out of the call is the cause; this one is its consequence.
    }
  }
  bool now() {
    auto* stream = stream_;
    stream_ = nullptr;
    return stream->release();
  }

 private:
  Stream* stream_;
};

/// The call threw: its exception is the cause, what the meter says now is a consequence.
void close_meter(Stream& stream) {
  try {
    stream.stop_meter();
    static_cast<void>(stream.read_meter());
  } catch (const std::exception&) {
  }
}

}  // namespace

/// Not waited for: the sample is enqueued while these calls run, so that the chip does not rest before it. Where it has
/// rested (a trace was read, a meter set up), the clock is on its way back up, and one short heating would not bring it
/// down again.
void Sampler::heat() {
  if (setup_.heating_calls == 0) return;
  const auto start = device_.host_now();
  const bool rested = start - last_sample_ > longest_rest;
  const auto calls = rested ? setup_.reheating_calls : setup_.heating_calls;
  for (std::size_t i = 0; i < calls; ++i) workload_.call(copy_of(static_cast<std::uint32_t>(i)));
  heated_ += device_.host_now() - start;
}

void Sampler::bring_into_state(std::uint32_t calls) {
  const auto distinct = std::min(calls, workload_.copies());
  for (std::uint32_t i = 0; i < distinct; ++i) workload_.prepare(copy_of(i));
  switch (setup_.cache) {
    case CacheState::warm:
      for (std::uint32_t i = 0; i < distinct; ++i) workload_.call(copy_of(i));
      break;
    case CacheState::cold:
      stream_.evict(Evict::clean, setup_.flush_bytes);
      break;
    case CacheState::dirty:
      stream_.evict(Evict::dirty, setup_.flush_bytes);
      break;
    case CacheState::rotate:
      break;  // the other copies have pushed this one out
  }
  for (std::uint32_t i = 0; i < distinct; ++i) workload_.after_flush(copy_of(i));
}

void Sampler::start_cover() {
  switch (setup_.cover) {
    case Cover::hold:
      stream_.hold(setup_.watchdog);
      break;
    case Cover::spin:
      stream_.launch_spin(setup_.cover_time);
      break;
    case Cover::matmul:
      stream_.launch_cover_matmul();
      break;
    case Cover::none:
      break;
  }
}

Sampler::Timed Sampler::timed_calls(std::uint32_t calls, std::optional<std::uint32_t> window) {
  Timed timed{};
  const bool held = setup_.cover == Cover::hold;
  // The window opens with work of its own: before a hold, so that nothing of it is left behind the hold; after a
  // cover that runs on the device, whose records would otherwise be the call's.
  if (held && window) stream_.open_window(*window);
  start_cover();
  const auto cover_started = device_.host_now();
  if (!held && window) stream_.open_window(*window);
  const auto run = [&] {
    timed.begin = stream_.mark();
    const auto start = device_.host_now();
    for (std::uint32_t i = 0; i < calls; ++i) workload_.call(copy_of(i));
    const auto enqueued = device_.host_now();
    timed.enqueue = enqueued - start;
    if (!held && enqueued - cover_started > setup_.cover_time) timed.marks.set(Mark::host_late);
    timed.end = stream_.mark();
  };
  if (held) {
    Release release(stream_);
    run();
    if (!release.now()) timed.marks.set(Mark::unheld);
  } else {
    run();
  }
  if (window) stream_.close_window();
  last_copy_ = copy_of(calls - 1);
  next_copy_ = copy_of(calls);
  return timed;
}

void Sampler::warm_up() {
  workload_.prepare(next_copy_);
  workload_.call(next_copy_);
  stream_.synchronize();
}

Sample Sampler::take(Pass pass, std::uint32_t window) {
  heat();
  bring_into_state(setup_.batch);
  Sample sample{.pass = pass, .copy = next_copy_};
  const auto timed = timed_calls(setup_.batch, pass == Pass::traced ? std::optional(window) : std::nullopt);
  stream_.synchronize();
  last_sample_ = device_.host_now();
  sample.host = timed.enqueue / setup_.batch;
  sample.marks = timed.marks;
  if (pass == Pass::untraced) {
    const auto span = stream_.elapsed(timed.begin, timed.end);
    sample.call = span / setup_.batch;
    if (span <= Nanoseconds{0}) sample.marks.set(Mark::bad_stamp);
  }
  stream_.recycle();
  return sample;
}

std::optional<ClockReading> Sampler::meter(ClockMeter meter, Nanoseconds longest) {
  heat();
  bring_into_state(setup_.batch);
  stream_.start_meter(meter, longest);
  try {
    for (std::uint32_t i = 0; i < setup_.batch; ++i) workload_.call(copy_of(i));
  } catch (...) {
    close_meter(stream_);
    throw;
  }
  stream_.stop_meter();
  const auto reading = stream_.read_meter();
  stream_.synchronize();
  last_sample_ = device_.host_now();
  stream_.recycle();
  last_copy_ = copy_of(setup_.batch - 1);
  next_copy_ = copy_of(setup_.batch);
  return reading;
}

Nanoseconds Sampler::chain(std::uint32_t length) {
  bring_into_state(length);
  const auto timed = timed_calls(length, std::nullopt);
  stream_.synchronize();
  const auto span = stream_.elapsed(timed.begin, timed.end);
  stream_.recycle();
  return span;
}

}  // namespace warpclock
