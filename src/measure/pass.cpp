#include "measure/pass.hpp"

#include <algorithm>

#include "measure/windows.hpp"

namespace warpclock {
namespace {

// Records come only when a trace is stopped, so a traced pass decides block by block, each half as long again.
constexpr double block_growth = 0.5;
constexpr std::size_t fewest_in_block = 5;

/// Switches tracing off on the way out of an exception.
class Trace {
 public:
  explicit Trace(Stream& stream) : stream_(&stream) { stream.start_trace(); }
  Trace(const Trace&) = delete;
  Trace& operator=(const Trace&) = delete;
  ~Trace() {
    if (stream_ == nullptr) return;
    try {
      static_cast<void>(stream_->stop_trace());
    } catch (const std::exception&) {
      // The exception on its way is the cause; this one is its consequence.
    }
  }
  std::vector<Record> stop() {
    auto* stream = stream_;
    stream_ = nullptr;
    return stream->stop_trace();
  }

 private:
  Stream* stream_;
};

class PassRun {
 public:
  PassRun(Session& session, Sampler& sampler, Pacer& pacer, const PassPlan& plan, const Control& control,
          Measurement& out)
      : device_(session.device()),
        sampler_(sampler),
        pacer_(pacer),
        plan_(plan),
        control_(control),
        out_(out),
        stopping_(plan.rule),
        first_(out.samples.size()),
        group_begin_(out.samples.size()),
        started_(device_.host_now()),
        waited_before_(pacer.waited()),
        heated_before_(sampler.heated()) {}

  StopReason run() {
    while (true) {
      const auto begin = out_.samples.size();
      take_block(block_size());
      read_telemetry();
      for (auto i = begin; i < out_.samples.size(); ++i) {
        const auto& sample = out_.samples[i];
        const auto& time = plan_.pass == Pass::traced ? sample.kernel : sample.call;
        if (time && !sample.marks.has(Mark::bad_stamp)) stopping_.add(time->count());
      }
      report();
      if (control_.interrupted()) return StopReason::interrupted;
      if (const auto reason = stopping_.verdict(); reason && still_holds(*reason)) return *reason;
      if (plan_.enough && taken() >= *plan_.enough) return StopReason::samples;
      // Stamps that are all broken never reach the rule; --samples and the time still end the pass.
      if (plan_.rule.samples && taken() >= *plan_.rule.samples) return StopReason::samples;
      if (time_left() <= Nanoseconds{0}) return StopReason::max_time;
    }
  }

 private:
  [[nodiscard]] std::size_t taken() const { return out_.samples.size() - first_; }

  [[nodiscard]] Nanoseconds time_left() const {
    return plan_.time -
           (device_.host_now() - started_ - (pacer_.waited() - waited_before_) - (sampler_.heated() - heated_before_));
  }

  /// The rule looks while a block is fed to it; what counts is the interval over all samples, which is reported.
  [[nodiscard]] bool still_holds(StopReason reason) const {
    const auto now = stopping_.current();
    if (reason == StopReason::precision) return now.relative_half_width() <= plan_.rule.precision;
    if (reason == StopReason::resolution) return (now.high - now.low) / 2 <= plan_.rule.step;
    return true;
  }

  [[nodiscard]] std::size_t block_size() const {
    std::size_t size = std::max<std::size_t>(fewest_in_block, plan_.rule.min_samples);
    if (plan_.pass == Pass::untraced && taken() > 0) size = fewest_in_block;
    if (plan_.pass == Pass::traced) {
      size = std::max(size, static_cast<std::size_t>(block_growth * static_cast<double>(taken())));
    }
    if (taken() > 0 && taken() < plan_.rule.min_samples) size = plan_.rule.min_samples - taken();
    if (plan_.rule.samples) size = std::min<std::size_t>(size, *plan_.rule.samples - taken());
    if (plan_.enough && *plan_.enough > taken()) size = std::min<std::size_t>(size, *plan_.enough - taken());
    return size;
  }

  /// A reading takes some 6 ms of the host (H200), so blocks that follow within 50 ms share one.
  void read_telemetry() {
    if (!plan_.telemetry) return;
    const auto now = device_.host_now();
    if (!out_.telemetry.empty() && now - out_.telemetry.back().at < milliseconds(50)) return;
    out_.telemetry.push_back({now, device_.telemetry()});
  }

  void take_block(std::size_t size) {
    if (plan_.pass == Pass::untraced) return take_groups(size);
    const auto begin = out_.samples.size();
    Trace trace(device_.stream());
    sampler_.warm_up();
    take_groups(size);
    const auto block = std::span(out_.samples).subspan(begin);
    attribute(block, trace.stop(), plan_.records_per_sample, sampler_.setup().batch, out_.kernels);
    out_.traced_calls += block.size() * sampler_.setup().batch;
  }

  void take_groups(std::size_t size) {
    const auto begin = out_.samples.size();
    while (out_.samples.size() - begin < size) {
      const auto group = pacer_.next(control_);
      if (group.throttled_before) mark_from(group_begin_, Mark::throttled);
      group_begin_ = out_.samples.size();
      const auto n = std::min(group.size, size - (out_.samples.size() - begin));
      for (std::size_t i = 0; i < n; ++i) {
        take_one(group, static_cast<std::uint32_t>(out_.samples.size() - begin));
        if (control_.interrupted() || time_left() <= Nanoseconds{0}) return;
      }
    }
  }

  void take_one(const Pacer::Group& group, std::uint32_t window) {
    const auto at = device_.host_now();
    auto sample = sampler_.take(plan_.pass, window);
    sample.at = at;
    if (group.clock_mhz > 0) sample.clock_mhz = group.clock_mhz;
    if (!group.recovered) sample.marks.set(Mark::unsettled);
    out_.samples.push_back(sample);
  }

  void mark_from(std::size_t begin, Mark mark) {
    for (auto i = begin; i < out_.samples.size(); ++i) out_.samples[i].marks.set(mark);
  }

  void report() const {
    Progress progress{.phase = plan_.pass == Pass::traced ? "traced" : "untraced", .samples = out_.samples.size()};
    if (plan_.headline && stopping_.count() > 0) progress.estimate = stopping_.current();
    control_.progress(progress);
  }

  Device& device_;
  Sampler& sampler_;
  Pacer& pacer_;
  const PassPlan& plan_;
  const Control& control_;
  Measurement& out_;
  Stopping stopping_;
  std::size_t first_;        // of this pass's samples
  std::size_t group_begin_;  // of the latest group's samples
  Nanoseconds started_;
  Nanoseconds waited_before_;
  Nanoseconds heated_before_;
};

}  // namespace

StopReason run_pass(Session& session, Sampler& sampler, Pacer& pacer, const PassPlan& plan, const Control& control,
                    Measurement& out) {
  return PassRun(session, sampler, pacer, plan, control, out).run();
}

}  // namespace warpclock
