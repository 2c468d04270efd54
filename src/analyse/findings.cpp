#include "analyse/findings.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "analyse/chip_findings.hpp"
#include "analyse/clock_findings.hpp"
#include "device/abilities.hpp"
#include "stats/trend.hpp"

namespace warpclock {
namespace {

using Severity = Finding::Severity;
using Found = std::optional<Finding>;

/// Host time between the marks that is no kernel time has to be this part of the kernel's own to be worth a word.
constexpr double launch_bound_share = 0.2;
/// Two passes agree when they differ by less than this part of the time, whatever the calibrated band.
constexpr double agreement_share = 0.05;
/// One kernel's two passes can differ by this much through the state of the device alone (a copy-and-scale kernel on an
/// H200: 7 %); work that escapes the marks is more.
constexpr double escape_share = 0.1;
/// The offset of a real kernel exceeds that of the oracles by up to this, since its last writes drain after its record
/// has ended (an H200: 2.3 to 3.3 us instead of 2.2).
constexpr double offset_variation_ns = 1200;
/// A mark on this part of the samples or less is told as a note.
constexpr double few = 0.05;
/// SOL above which no clock, cache or counting error is likely: the work was not done.
constexpr double implausible_percent = 150;

std::string us(double ns) { return ns < 1e6 ? fmt::format("{:.2f} us", ns / 1e3) : fmt::format("{:.2f} ms", ns / 1e6); }

std::size_t marked(const Result& result, Mark mark) {
  return static_cast<std::size_t>(
      std::ranges::count_if(result.samples, [&](const Sample& s) { return s.marks.has(mark); }));
}

Severity severity_of(std::size_t count, std::size_t all) {
  return static_cast<double>(count) > few * static_cast<double>(all) ? Severity::warning : Severity::note;
}

bool held(const Result& result) { return result.conditions.cover != "none"; }

Found no_device_work(const Result&, const Measurement& measured, const AnalysisContext&) {
  if (!measured.launches_per_call || *measured.launches_per_call > 0) return {};
  return Finding{"no-device-work", Severity::warning,
                 "the call launched nothing on the device: there is no device time",
                 "host time is what the call costs; check that the call reaches its launch"};
}

Found launch_bound(const Result& result, const Measurement&, const AnalysisContext&) {
  if (held(result) || !result.call_time_ns || !result.busy_ns) return {};
  const double call = result.call_time_ns->median.value;
  const double busy = result.busy_ns->median.value;
  if (call - busy <= launch_bound_share * busy) return {};
  return Finding{"launch-bound", Severity::warning,
                 fmt::format("call time {} holds only {} of work on the device: the rest is the host launching",
                             us(call), us(busy)),
                 "read the kernel time, or cover the launch (--cover hold)"};
}

Found host_late(const Result& result, const Measurement&, const AnalysisContext&) {
  const auto late = marked(result, Mark::host_late);
  if (!held(result) || late == 0) return {};
  return Finding{"cover-too-short", severity_of(late, result.samples.size()),
                 fmt::format("{} of {} samples: the {} cover ended before the host had launched everything", late,
                             result.samples.size(), result.conditions.cover),
                 "use --cover hold, which has no length of its own"};
}

Found unheld(const Result& result, const Measurement&, const AnalysisContext& context) {
  const auto count = marked(result, Mark::unheld);
  if (count == 0) return {};
  return Finding{
      "hold-ended-early", severity_of(count, result.samples.size()),
      fmt::format("{} of {} samples: the call did not return while the stream was held, so it was let go after {}",
                  count, result.samples.size(), us(context.protocol.watchdog.count())),
      "the call synchronises, loads or allocates; its call time holds host time: read the kernel time"};
}

Found not_held(const Result& result, const Measurement& measured, const AnalysisContext& context) {
  if (context.protocol.cover != Cover::hold || held(result)) return {};
  if (!can(context.device, "hold")) {
    return Finding{"not-held", Severity::warning, "the stream was not held: " + ability(context.device, "hold")->detail,
                   "call times hold host time; read the kernel time"};
  }
  const auto launches = measured.launches_per_call.value_or(0);
  return Finding{
      "not-held", Severity::warning,
      fmt::format("the call was not held: {} launches and {} of host time are too many for the queue or the watchdog",
                  launches, result.host_time_ns ? us(result.host_time_ns->median.value) : "?"),
      "read busy time, or raise --watchdog if the host time is the cause"};
}

/// Call time that the calibrated offset and the busy time do not explain; empty where the two cannot be compared.
std::optional<double> unexplained_ns(const Result& result, const Measurement& measured) {
  if (!held(result) || !measured.call_offset || !result.call_time_ns || !result.busy_ns) return {};
  if (marked(result, Mark::unheld) > 0) return {};
  return result.call_time_ns->median.value - measured.call_offset->value.count() / result.conditions.batch -
         result.busy_ns->median.value;
}

double agreement_band_ns(const Result& result, const Measurement& measured) {
  const double noise = result.call_time_ns->spread.p75 - result.call_time_ns->spread.p25;
  return std::max({3 * measured.call_offset->band.count(), agreement_share * result.busy_ns->median.value, noise,
                   offset_variation_ns});
}

Found escapes_marks(const Result& result, const Measurement& measured, const AnalysisContext&) {
  const auto rest = unexplained_ns(result, measured);
  if (!rest) return {};
  const double busy = result.busy_ns->median.value;
  if (-*rest <= std::max(agreement_band_ns(result, measured), escape_share * busy)) return {};
  return Finding{
      "work-outside-marks", Severity::warning,
      fmt::format("the device was busy for {}, {} longer than the call's own stream shows", us(busy), us(-*rest)),
      "the call works on another stream without joining it; join it before returning"};
}

Found passes_disagree(const Result& result, const Measurement& measured, const AnalysisContext& context) {
  const auto rest = unexplained_ns(result, measured);
  if (!rest || measured.launches_per_call.value_or(1) > 1 || escapes_marks(result, measured, context)) return {};
  if (std::abs(*rest) <= agreement_band_ns(result, measured)) return {};
  const auto offset = us(measured.call_offset->value.count());
  const auto message =
      *rest > 0 ? fmt::format("call time exceeds kernel time by {} more than the calibrated {}", us(*rest), offset)
                : fmt::format("call time is {} shorter than kernel time and the calibrated {}", us(-*rest), offset);
  return Finding{"passes-disagree", Severity::warning, message,
                 *rest > 0
                     ? "something runs or waits between the marks that is no kernel; look at host time and at the clock"
                     : "the device was in another state in the pass with tracing; look at the clocks, and repeat"};
}

Found gaps_between_kernels(const Result& result, const Measurement& measured, const AnalysisContext&) {
  const auto launches = measured.launches_per_call.value_or(1);
  const auto rest = unexplained_ns(result, measured);
  if (!rest || launches < 2 || *rest < launch_bound_share * result.busy_ns->median.value) return {};
  return Finding{"gaps-between-kernels", Severity::note,
                 fmt::format("{} of the call time lie between its {} launches", us(*rest), launches),
                 "a graph or dependent launch shortens the gaps; fewer, larger kernels avoid them"};
}

Found over_roof(const Result& result, const Measurement&, const AnalysisContext& context) {
  if (!result.sol || result.sol->percent <= 100) return {};
  const auto fits =
      result.conditions.copies * result.work.bytes() < 2.0 * static_cast<double>(context.device.last_level_cache);
  std::string cause;
  if (result.sol->percent > implausible_percent) {
    cause = "the work was not done (removed by the compiler, or skipped), or flops and bytes are declared too high";
  } else if (result.sol->source.starts_with("measured")) {
    cause = "the roof was measured while the machine was slower, or with other neighbours";
  } else if (result.sol->bound == "compute") {
    cause = "the clock is above the one of the nominal peak, or the peak is another device's";
  } else if (result.work.bytes_written > result.work.bytes_read) {
    cause = "the cache absorbs the writes, and what comes next pays for writing them back";
  } else {
    cause = fits ? "part of the operands came from the cache" : "the bytes are declared too high, or the peak too low";
  }
  return Finding{"above-speed-of-light", Severity::warning,
                 fmt::format("{:.0f} % of the {} roof ({:.4g} {}) is not possible", result.sol->percent,
                             result.sol->bound, result.sol->peak, result.sol->unit),
                 "likely cause: " + cause};
}

Found rotation_in_cache(const Result& result, const Measurement& measured, const AnalysisContext& context) {
  const auto total = measured.footprint * result.conditions.copies;
  if (result.conditions.cache != "rotated" || total == 0 || total >= 2 * context.device.last_level_cache) return {};
  return Finding{"rotation-fits-in-cache", Severity::warning,
                 fmt::format("{} copies take {} MiB together, less than twice the last-level cache: they stay in it",
                             result.conditions.copies, total >> 20U),
                 "use --copies auto, or --cache cold"};
}

Found warm_in_cache(const Result& result, const Measurement& measured, const AnalysisContext& context) {
  if (result.conditions.cache != "warm" || result.work.bytes() <= 0) return {};
  if (measured.footprint == 0 || measured.footprint >= context.device.last_level_cache) return {};
  return Finding{"fits-in-cache", Severity::note,
                 "the operands fit in the last-level cache: memory bandwidth is no roof here and gives no SOL",
                 "--cache cold shows what a first use costs"};
}

Found batch_is_warm(const Result& result, const Measurement&, const AnalysisContext&) {
  const auto& conditions = result.conditions;
  if (conditions.batch <= conditions.copies || conditions.cache == "warm") return {};
  return Finding{
      "batch-reuses-operands", Severity::warning,
      fmt::format("{} calls between two marks use {} copies of the operands: later calls find them in the cache",
                  conditions.batch, conditions.copies),
      fmt::format("use --copies {0} with --batch {0}", conditions.batch)};
}

Found flush_too_small(const Result& result, const Measurement&, const AnalysisContext& context) {
  const auto flush = result.conditions.flush_bytes;
  if (flush == 0 || flush >= context.device.last_level_cache) return {};
  return Finding{
      "flush-too-small", Severity::warning,
      fmt::format("the flush of {} MiB is smaller than the last-level cache of {} MiB: operands may survive it",
                  flush >> 20U, context.device.last_level_cache >> 20U),
      "use --flush-size 2x"};
}

Found clock_low(const Result& result, const Measurement&, const AnalysisContext&) {
  const auto unsettled = marked(result, Mark::unsettled);
  if (unsettled == 0) return {};
  return Finding{"not-settled", severity_of(unsettled, result.samples.size()),
                 fmt::format("{} of {} samples started below the recovered clock of {:.0f} MHz, after waiting {}",
                             unsettled, result.samples.size(), result.conditions.reference_clock_mhz.value_or(0),
                             us(result.conditions.settle_wait.count())),
                 "let the device cool, or give it more time (--settle-time)"};
}

Found throttled(const Result& result, const Measurement&, const AnalysisContext&) {
  const auto count = marked(result, Mark::throttled);
  if (count == 0) return {};
  return Finding{
      "pulls-clock-down", Severity::note,
      fmt::format(
          "{} of {} samples belong to groups after which the clock was low; later groups were smaller and {} apart",
          count, result.samples.size(), us(result.conditions.gap.count())),
      "back to back this call runs slower than shown here"};
}

/// Samples of the headline time, in run order.
std::vector<double> headline_series(const Result& result) {
  std::vector<double> series;
  for (const auto& sample : result.samples) {
    const auto& time = result.headline == Headline::kernel_time ? sample.kernel : sample.call;
    if (time && !sample.marks.has(Mark::bad_stamp)) series.push_back(time->count());
  }
  return series;
}

Found drifts(const Result& result, const Measurement&, const AnalysisContext& context) {
  const auto series = headline_series(result);
  if (series.size() < 10) return {};
  const auto drift = trend(series);
  if (!drift.significant || std::abs(drift.relative) < 2 * context.protocol.precision) return {};
  return Finding{"drift", Severity::warning,
                 fmt::format("times {} by {:.1f} % from the first to the last sample",
                             drift.relative > 0 ? "rose" : "fell", 100 * std::abs(drift.relative)),
                 "the state of the device changed: look at the clocks of the samples"};
}

Found several_modes(const Result& result, const Measurement&, const AnalysisContext&) {
  const auto* summary = result.headline_summary();
  if (summary == nullptr || summary->modes.size() < 2) return {};
  std::string centres;
  for (const auto& mode : summary->modes) {
    centres += fmt::format("{}{} ({:.0f} %)", centres.empty() ? "" : ", ", us(mode.center), 100 * mode.share);
  }
  return Finding{"several-modes", Severity::warning, "the samples have more than one mode: " + centres,
                 "the median of two modes describes neither; look for two code paths, two clocks or another process"};
}

Found wide_interval(const Result& result, const Measurement&, const AnalysisContext& context) {
  const auto* summary = result.headline_summary();
  const bool gave_up = result.stop_reason == StopReason::max_time || result.stop_reason == StopReason::plateau;
  if (summary == nullptr || !gave_up || summary->median.relative_half_width() <= context.protocol.precision) return {};
  return Finding{"imprecise", Severity::note,
                 fmt::format("interval of +-{:.2g} % instead of {:.2g} % when sampling stopped ({})",
                             100 * summary->median.relative_half_width(), 100 * context.protocol.precision,
                             to_string(result.stop_reason)),
                 result.stop_reason == StopReason::max_time
                     ? "allow more time (--max-time)"
                     : "more samples do not help: the noise is not sampling noise"};
}

Found level_not_reached(const Result& result, const Measurement&, const AnalysisContext& context) {
  const auto* summary = result.headline_summary();
  if (summary == nullptr || summary->median.level >= context.protocol.confidence - 1e-9) return {};
  return Finding{"too-few-samples", Severity::note,
                 fmt::format("{} samples ({:.1f} independent ones) give an interval of {:.1f} % instead of {:.0f} %",
                             summary->median.samples, summary->median.effective_samples, 100 * summary->median.level,
                             100 * context.protocol.confidence),
                 "allow more samples or more time"};
}

Found dependent_samples(const Result& result, const Measurement&, const AnalysisContext&) {
  const auto* summary = result.headline_summary();
  if (summary == nullptr || summary->median.effective_samples >= 0.5 * static_cast<double>(summary->median.samples))
    return {};
  return Finding{
      "dependent-samples", Severity::note,
      fmt::format("consecutive samples depend on each other: {} are worth {:.0f}; the interval is widened by that",
                  summary->median.samples, summary->median.effective_samples),
      ""};
}

Found bad_stamps(const Result& result, const Measurement&, const AnalysisContext&) {
  if (result.rejected_stamps == 0) return {};
  return Finding{"bad-stamps", severity_of(result.rejected_stamps, result.samples.size()),
                 fmt::format("{} of {} samples had zero, reversed or missing time stamps and enter no estimate",
                             result.rejected_stamps, result.samples.size()),
                 "if it stays, the driver's timers are at fault: update the driver"};
}

Found near_resolution(const Result& result, const Measurement&, const AnalysisContext&) {
  const auto* summary = result.headline_summary();
  const bool kernel = result.headline == Headline::kernel_time;
  const auto step = (kernel ? result.conditions.kernel_timer_step : result.conditions.call_timer_step).count();
  if (summary == nullptr || summary->median.value >= 20 * step / result.conditions.batch) return {};
  return Finding{"near-timer-step", Severity::note,
                 fmt::format("the time is less than 20 steps of its timer ({:.0f} ns)", step),
                 "use --batch to time several calls at once"};
}

Found overlap(const Result& result, const Measurement&, const AnalysisContext&) {
  if (!result.kernel_time_ns || !result.busy_ns) return {};
  const double sum = result.kernel_time_ns->median.value;
  const double busy = result.busy_ns->median.value;
  if (sum <= 1.02 * busy) return {};
  return Finding{"kernels-overlap", Severity::note,
                 fmt::format("kernels of the call run at the same time: {} in sum, {} busy", us(sum), us(busy)), ""};
}

Found shared_device(const Result&, const Measurement&, const AnalysisContext& context) {
  const auto& others = context.device.other_processes;
  if (others.empty()) return {};
  return Finding{"shared-device", Severity::warning,
                 fmt::format("other processes were on the device when it was opened: {}", fmt::join(others, ", ")),
                 "end them, or take these figures as an upper bound"};
}

Found simple_data(const Result& result, const Measurement&, const AnalysisContext& context) {
  const bool simple = context.protocol.data == Data::zeros || context.protocol.data == Data::ones;
  if (!simple || result.work.flops <= 0) return {};
  return Finding{"simple-data", Severity::note, "constant inputs draw less power and may run faster than real ones",
                 "use --data normal for figures to compare"};
}

Found own_buffers(const Result& result, const Measurement&, const AnalysisContext&) {
  const auto& names = result.conditions.own_buffers;
  if (names.empty()) return {};
  return Finding{"own-buffers", Severity::warning,
                 fmt::format("memory of the benchmark's own ({}): there is one copy of it, nothing restores it before a "
                             "call and nothing guards it",
                             fmt::join(names, ", ")),
                 "take the memory from the case (input, inout, output) where the kernel allows it"};
}

}  // namespace

const std::vector<FindingRule>& finding_rules() {
  static const std::vector<FindingRule> all = [] {
    std::vector<FindingRule> rules = {
        {"no-device-work", "the call launched nothing on the device", no_device_work},
        {"launch-bound", "without a cover, the host's launching is more than 20 % of the call time", launch_bound},
        {"cover-too-short", "a spin or matmul cover ended before the host had launched everything", host_late},
        {"hold-ended-early", "the call did not return while the stream was held", unheld},
        {"not-held", "the stream was not held although that was asked for", not_held},
        {"work-outside-marks", "activity records show more work than the call's own stream", escapes_marks},
        {"passes-disagree", "call time and kernel time differ by more than the calibrated offset explains",
         passes_disagree},
        {"gaps-between-kernels", "a good part of the call time lies between its kernels", gaps_between_kernels},
        {"kernels-overlap", "kernels of one call run at the same time", overlap},
        {"above-speed-of-light", "faster than the roof allows", over_roof},
        {"rotation-fits-in-cache", "the rotated copies together are smaller than twice the cache", rotation_in_cache},
        {"fits-in-cache", "warm operands that fit in the cache: memory bandwidth is no roof", warm_in_cache},
        {"batch-reuses-operands", "more calls between two marks than copies of the operands", batch_is_warm},
        {"flush-too-small", "the flush is smaller than the last-level cache", flush_too_small},
        {"not-settled", "samples started before the device had recovered", clock_low},
        {"pulls-clock-down", "the call pulls the clock down within a few samples", throttled},
        {"drift", "times changed steadily over the samples", drifts},
        {"several-modes", "the samples have more than one mode", several_modes},
        {"imprecise", "sampling stopped before the interval was as narrow as wanted", wide_interval},
        {"too-few-samples", "the interval does not reach the wanted level", level_not_reached},
        {"dependent-samples", "consecutive samples depend on each other", dependent_samples},
        {"bad-stamps", "samples with zero, reversed or missing time stamps", bad_stamps},
        {"near-timer-step", "the time is only a few steps of its timer", near_resolution},
        {"shared-device", "other processes use the device", shared_device},
        {"simple-data", "constant inputs", simple_data},
        {"own-buffers", "operands in memory of the benchmark's own", own_buffers},
    };
    for (const auto& more : {chip_finding_rules(), clock_finding_rules()}) {
      rules.insert(rules.end(), more.begin(), more.end());
    }
    return rules;
  }();
  return all;
}

std::vector<Finding> find(const Result& result, const Measurement& measured, const AnalysisContext& context) {
  std::vector<Finding> out;
  for (const auto& rule : finding_rules()) {
    if (auto found = rule.apply(result, measured, context)) out.push_back(*std::move(found));
  }
  return out;
}

}  // namespace warpclock
