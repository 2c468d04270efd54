#include "measure/measure.hpp"

#include <algorithm>

#include "measure/effective_clock.hpp"
#include "measure/first_calls.hpp"
#include "measure/marginal.hpp"
#include "measure/pass.hpp"
#include "measure/setup.hpp"
#include "measure/soak.hpp"
#include "plan/settings.hpp"
#include "stats/median.hpp"

namespace warpclock {
namespace {

// Part of a point's time that the pass with the headline may use where two passes share it.
constexpr double headline_share = 0.6;
// Commands of one sample beside the launches of the call: marks, evictions, fills, the hold itself.
constexpr std::size_t commands_beside_launches = 64;
// Regime sustained: calls back to back before each sample. The sample itself lets the chip rest for some 0.1 ms, a
// fiftieth.
constexpr auto heating_time = milliseconds(5);
constexpr std::size_t most_heating_calls = 256;
// After a pause: the limiter of an H200 needs some 50 ms of load to bring the clock down again.
constexpr auto reheating_time = milliseconds(300);
constexpr std::size_t most_reheating_calls = 5000;

class PointMeasurement {
 public:
  PointMeasurement(Session& session, Workload& workload, const Protocol& protocol, const Control& control)
      : session_(session),
        device_(session.device()),
        workload_(workload),
        protocol_(protocol),
        control_(control),
        pacer_(session, protocol) {}

  Measurement run() {
    const auto start = device_.host_now();
    begin();
    if (something_ran()) out_.call_offset = session_.call_offset(protocol_, control_);
    heat();
    read_telemetry();
    sample_both_passes();
    finish();
    out_.wall_time = device_.host_now() - start;
    return std::move(out_);
  }

 private:
  [[nodiscard]] bool tracing() const { return protocol_.trace && !device_.info().record_timer.empty(); }
  [[nodiscard]] bool something_ran() const { return !out_.launches_per_call || *out_.launches_per_call > 0; }

  void begin() {
    control_.progress({.phase = "first call"});
    out_.work = workload_.work();
    out_.footprint = workload_.footprint();
    calls_ = make_first_calls(device_, workload_, tracing());
    out_.first_call = calls_.first_call;
    out_.launches_per_call = calls_.launches;
    out_.check_before = check(0);
    out_.headline = tracing() && calls_.launches == std::size_t{1} ? Headline::kernel_time : Headline::call_time;
    const auto commands = calls_.launches.value_or(1) * protocol_.batch + commands_beside_launches;
    const auto limit = device_.info().queue_limit;
    out_.held_allowed = limit == 0 || commands < limit;
    // Host work before the launch is waited for under a hold too, so one that outlasts the watchdog could only be cut
    // off.
    if (calls_.enqueue * protocol_.batch > protocol_.watchdog) out_.held_allowed = false;
  }

  void heat() {
    if (protocol_.regime != Regime::sustained || !something_ran()) return;
    load_.emplace(device_, workload_, calls_.duration);
    const auto soaked = soak(device_, *load_, protocol_, control_);
    out_.conditions.soak_time = soaked.time;
    out_.conditions.steady = soaked.steady;
  }

  void read_telemetry() {
    if (protocol_.telemetry) out_.telemetry.push_back({device_.host_now(), device_.telemetry()});
  }

  [[nodiscard]] SampleSetup setup(bool hold_allowed) {
    auto out = sample_setup(session_, protocol_, calls_.enqueue, hold_allowed);
    if (load_) {
      out.heating_calls = load_->calls_in(heating_time, most_heating_calls);
      out.reheating_calls = load_->calls_in(reheating_time, most_reheating_calls);
    }
    return out;
  }

  void sample_both_passes() {
    Sampler sampler(device_, workload_, setup(out_.held_allowed));
    const auto headline_time = tracing() && something_ran() ? protocol_.max_time * headline_share : protocol_.max_time;
    const auto rest = protocol_.max_time - headline_time;
    const bool kernel_first = out_.headline == Headline::kernel_time;

    bool interrupted = false;
    if (tracing() && something_ran()) {
      const auto reason = pass(sampler, Pass::traced, kernel_first ? headline_time : rest, kernel_first, {});
      if (kernel_first) out_.stop_reason = reason;
      interrupted = reason == StopReason::interrupted;
    }
    if (!interrupted) {
      // The call time needs no more samples than the kernel time did.
      std::optional<std::uint64_t> enough;
      if (kernel_first) enough = out_.samples.size();
      const auto reason = pass(sampler, Pass::untraced, kernel_first ? rest : headline_time, !kernel_first, enough);
      if (!kernel_first || reason == StopReason::interrupted) out_.stop_reason = reason;
      interrupted = reason == StopReason::interrupted;
    } else {
      out_.stop_reason = StopReason::interrupted;
    }
    if (protocol_.marginal > 0 && !interrupted && something_ran()) {
      out_.chains = measure_chains(chain_sampler(sampler), protocol_.marginal, control_);
    }
    if (!interrupted && something_ran()) look_at_the_chip(sampler);
    last_copy_ = sampler.last_copy();
    describe(sampler.setup());
  }

  /// Median call time of the samples.
  [[nodiscard]] Nanoseconds usual_call() const {
    std::vector<double> times;
    for (const auto& sample : out_.samples) {
      if (sample.call && !sample.marks.has(Mark::bad_stamp)) times.push_back(sample.call->count());
    }
    return times.empty() ? calls_.duration : Nanoseconds{median(times).value};
  }

  void look_at_the_chip(Sampler& sampler) {
    out_.effective_clock = measure_effective_clock(session_, sampler, pacer_, protocol_, usual_call(), control_);
    if (!load_ || control_.interrupted()) return;
    out_.energy = protocol_.telemetry ? measure_energy(device_, *load_, out_.work.flops, control_)
                                      : EnergyReading{.energy = {}, .missing = "telemetry is switched off"};
    sampler.warm_up();  // operands that the calls change are restored once more, for the check that follows
  }

  StopReason pass(Sampler& sampler, Pass which, Nanoseconds time, bool headline, std::optional<std::uint64_t> enough) {
    const auto step = which == Pass::traced ? device_.info().record_step : device_.info().mark_step;
    const PassPlan plan{
        .pass = which,
        .rule = {.precision = protocol_.precision,
                 .level = protocol_.confidence,
                 .step = step.count() / protocol_.batch,
                 .min_samples = protocol_.min_samples,
                 .samples = protocol_.samples},
        .time = time,
        .enough = headline ? std::nullopt : std::optional(enough.value_or(protocol_.min_samples)),
        .records_per_sample = out_.launches_per_call.value_or(0) * protocol_.batch,
        .telemetry = protocol_.telemetry,
        .headline = headline,
    };
    return run_pass(session_, sampler, pacer_, plan, control_, out_);
  }

  /// A chain has `marginal` times the launches of a sample, so whether it can be held is asked again.
  Sampler& chain_sampler(Sampler& sampler) {
    const auto commands = calls_.launches.value_or(1) * protocol_.marginal + commands_beside_launches;
    const auto limit = device_.info().queue_limit;
    const bool fits = limit == 0 || commands < limit;
    if (fits && calls_.enqueue * protocol_.marginal <= protocol_.watchdog) return sampler;
    unheld_.emplace(device_, workload_, setup(false));
    return *unheld_;
  }

  void finish() {
    read_telemetry();
    if (!out_.samples.empty()) {
      const auto origin = out_.samples.front().at;
      for (auto& sample : out_.samples) sample.at -= origin;
      for (auto& block : out_.telemetry) block.at -= origin;
    }
    control_.progress({.phase = "checking", .samples = out_.samples.size()});
    out_.check_after = check(last_copy_);
  }

  [[nodiscard]] Check check(std::uint32_t copy) {
    if (!protocol_.verify) return {.detail = "checking is switched off"};
    return workload_.check(copy);
  }

  void describe(const SampleSetup& setup) {
    const auto& info = device_.info();
    auto& conditions = out_.conditions;
    conditions.cache = cache_label(setup.cache);
    conditions.flush_bytes = setup.flush_bytes;
    conditions.cover = to_string(setup.cover);
    conditions.regime = to_string(protocol_.regime);
    conditions.batch = protocol_.batch;
    conditions.copies = workload_.copies();
    conditions.call_timer = info.mark_timer;
    conditions.call_timer_step = info.mark_step;
    conditions.kernel_timer = tracing() ? info.record_timer : "";
    conditions.kernel_timer_step = info.record_step;
    conditions.gap = pacer_.gap();
    conditions.settle_wait = pacer_.waited();
    conditions.settled = pacer_.always_recovered();
    if (session_.reference_clock() > 0) conditions.reference_clock_mhz = session_.reference_clock();
    conditions.seed = protocol_.seed;
    workload_.describe(conditions);
  }

  Session& session_;
  Device& device_;
  Workload& workload_;
  const Protocol& protocol_;
  const Control& control_;
  Pacer pacer_;
  FirstCalls calls_;
  std::optional<Sampler> unheld_;
  std::optional<BackToBack> load_;  // in regime sustained
  std::uint32_t last_copy_ = 0;
  Measurement out_;
};

/// Whatever happens, the stream is left as it was found: not held, not tracing, nothing pending.
void clean_up(Stream& stream) {
  try {
    stream.synchronize();
    stream.recycle();
  } catch (const std::exception&) {
    // A device that is lost says so again on its next use; the cause is already on its way.
  }
}

}  // namespace

Measurement measure(Session& session, Workload& workload, const Protocol& protocol, const Control& control) {
  try {
    return PointMeasurement(session, workload, protocol, control).run();
  } catch (...) {
    clean_up(session.device().stream());
    throw;
  }
}

}  // namespace warpclock
