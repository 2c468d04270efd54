#include "backends/cuda/meters.hpp"

#include <fmt/format.h>

#include <utility>

#include "core/errors.hpp"

namespace warpclock::cuda {

namespace {

// So long is the call kept from starting before it is enqueued as a whole; one that synchronises is let go then.
constexpr Nanoseconds hold_limit = milliseconds(5);
constexpr std::uint64_t idle_probe_ns = 200'000;  // a step of the timer, 32 ns, is 0.02 % of it
constexpr double longest_rest = 50;               // of a range, in calls

}  // namespace

double clock_of_call(const ClockCounters::Counts& counts, double idle_mhz, Nanoseconds call) {
  const Nanoseconds rest = counts.span - call;
  const double whole = counts.cycles / counts.span.count() * 1e3;
  if (rest <= Nanoseconds{0} || rest > longest_rest * call) return whole;
  return (counts.cycles * 1e3 - idle_mhz * rest.count()) / call.count();
}

Meters::Meters(std::shared_ptr<const Context> context, std::shared_ptr<const Module> kernels, CUstream measured,
               bool memory_operations, std::string sentinel_problem)
    : context_(std::move(context)),
      kernels_(std::move(kernels)),
      measured_(measured),
      memory_operations_(memory_operations),
      sentinel_problem_(std::move(sentinel_problem)),
      counters_(context_),
      events_(context_, 2),
      probes_(context_) {
  if (memory_operations_ && sentinel_problem_.empty()) gate_ = std::make_unique<HoldGate>(context_);
}

std::string Meters::problem(ClockMeter meter) {
  if (meter == ClockMeter::sentinel) return sentinel_problem_;
  if (counters_problem_) return *counters_problem_;
  try {
    leave();
    begin(ClockMeter::counters, {});
    void* arguments[] = {nullptr};
    context_->check(context_->driver().launch_kernel(kernels_->function("warpclock_empty"), 1, 1, 1, 1, 1, 1, 0,
                                                     measured_, arguments, nullptr),
                    "cuLaunchKernel");
    counters_problem_ = read() ? "" : "CUPTI: counted no cycles while a kernel ran; use another CUPTI";
  } catch (const DeviceError& error) {
    counters_problem_ = error.what();
  }
  leave();
  return *counters_problem_;
}

void Meters::start(ClockMeter meter, Nanoseconds longest) {
  abandon();
  if (const std::string why = problem(meter); !why.empty()) {
    throw DeviceError(fmt::format("{}: the effective clock cannot be measured: {}", context_->id(), why));
  }
  begin(meter, longest);
}

void Meters::begin(ClockMeter meter, Nanoseconds longest) {
  stopped_ = false;
  running_ = meter;  // from here on there is something to abandon
  try {
    if (meter == ClockMeter::counters) {
      begin_counters();
      return;
    }
    if (!sentinel_) sentinel_ = std::make_unique<Sentinel>(context_, *kernels_, measured_, memory_operations_);
    hold();
    sentinel_->start(longest);
  } catch (...) {
    abandon();
    throw;
  }
}

void Meters::begin_counters() {
  counters_.prepare();
  synchronize();
  idle_mhz_ = idle_clock();
  events_.recycle();
  counters_.start();
  hold();
  first_mark_ = events_.record(measured_);
}

double Meters::idle_clock() {
  probes_.recycle();
  const std::uint32_t slot = probes_.take();
  std::uint64_t ns = idle_probe_ns;
  CUdeviceptr out = probes_.device(slot);
  void* arguments[] = {&ns, &out, nullptr};
  context_->check(context_->driver().launch_kernel(kernels_->function("warpclock_probe"), 1, 1, 1, 32, 1, 1, 0,
                                                   measured_, arguments, nullptr),
                  "cuLaunchKernel");
  synchronize();
  return probes_.clock_mhz(slot);
}

/// The call begins when the host has enqueued all of it, so that neither meter sees the host's time.
void Meters::hold() {
  if (gate_) gate_->close(measured_, hold_limit);
}

void Meters::release() {
  if (gate_) gate_->open();
}

void Meters::stop() {
  if (!running_ || stopped_) return;
  if (*running_ == ClockMeter::sentinel) {
    sentinel_->stop();
    release();
  } else {
    last_mark_ = events_.record(measured_);
    release();
    synchronize();
    counters_.stop();
  }
  stopped_ = true;
}

std::optional<ClockReading> Meters::read() {
  if (!running_) return std::nullopt;
  try {
    stop();
    const auto reading = *running_ == ClockMeter::sentinel ? sentinel_->read() : read_counters();
    running_.reset();
    return reading;
  } catch (...) {
    abandon();
    throw;
  }
}

std::optional<ClockReading> Meters::read_counters() {
  const auto counts = counters_.read();
  if (!counts) return std::nullopt;
  const auto call = events_.elapsed(first_mark_, last_mark_);
  return ClockReading{clock_of_call(*counts, idle_mhz_, call), call};
}

void Meters::abandon() noexcept {
  if (!running_) return;
  release();
  if (*running_ == ClockMeter::sentinel) {
    if (sentinel_) sentinel_->abandon();
  } else {
    counters_.close();  // a range that was begun cannot be left out
  }
  running_.reset();
}

void Meters::leave() noexcept {
  abandon();
  counters_.close();
}

void Meters::synchronize() const {
  context_->check(context_->driver().stream_synchronize(measured_), "cuStreamSynchronize");
}

}  // namespace warpclock::cuda
