#include "analyse/analyse.hpp"

#include <algorithm>

#include "analyse/clock_scaling.hpp"
#include "analyse/findings.hpp"
#include "stats/median.hpp"
#include "stats/slope.hpp"
#include "stats/summary.hpp"

namespace warpclock {
namespace {

/// Values of one time over the samples that carry it, in run order.
std::vector<double> series(const std::vector<Sample>& samples, std::optional<Nanoseconds> Sample::*time) {
  std::vector<double> out;
  for (const auto& sample : samples) {
    if (sample.*time && !sample.marks.has(Mark::bad_stamp)) out.push_back((sample.*time)->count());
  }
  return out;
}

std::vector<double> host_series(const std::vector<Sample>& samples) {
  std::vector<double> out;
  for (const auto& sample : samples) {
    if (sample.pass == Pass::untraced) out.push_back(sample.host.count());
  }
  return out;
}

std::optional<Summary> summary_of(const std::vector<double>& values, double level, double step) {
  if (values.empty()) return std::nullopt;
  return summarise(values, level, step);
}

std::vector<KernelShare> kernel_shares(const Measurement& measured, double level) {
  std::vector<KernelShare> out;
  for (const auto& kernel : measured.kernels) {
    out.push_back({.name = kernel.name,
                   .kind = kernel.kind,
                   .per_call = static_cast<double>(kernel.launches) /
                               static_cast<double>(std::max<std::size_t>(1, measured.traced_calls)),
                   .time_ns = median_of_series(kernel.time_ns, level)});
  }
  std::ranges::stable_sort(out, std::ranges::greater{}, [](const KernelShare& k) { return k.time_ns.value; });
  return out;
}

std::optional<Estimate> marginal_time(const Measurement& measured, double level, std::uint64_t seed) {
  std::vector<double> lengths, times;
  for (const auto& chain : measured.chains) {
    lengths.push_back(chain.length);
    times.push_back(chain.time.count());
  }
  const bool one_length = std::ranges::adjacent_find(lengths, std::ranges::not_equal_to{}) == lengths.end();
  if (one_length) return std::nullopt;
  return slope_estimate(lengths, times, level, seed);
}

/// Memory bandwidth is a roof only for operands that are not in the cache.
bool memory_applies(const Result& result, const Measurement& measured, const DeviceInfo& device) {
  const auto total = measured.footprint * result.conditions.copies;
  if (result.conditions.cache == "warm") return measured.footprint >= device.last_level_cache;
  if (result.conditions.cache == "rotated") return total >= 2 * device.last_level_cache;
  return result.conditions.flush_bytes >= device.last_level_cache &&
         result.conditions.batch <= result.conditions.copies;
}

void judge_check(Result& result, const Measurement& measured) {
  const bool failed_before = measured.check_before.state == Check::State::failed;
  result.check = failed_before ? measured.check_before : measured.check_after;
  if (result.check.state != Check::State::failed) return;
  result.status = Status::wrong;
  result.error = std::string(failed_before ? "wrong before timing: " : "wrong after timing: ") + result.check.detail;
}

}  // namespace

Result analyse(const std::string& benchmark, const Point& point, const Measurement& measured,
               const AnalysisContext& context) {
  const auto level = context.protocol.confidence;
  const auto& info = context.device;
  const double batch = context.protocol.batch;
  Result result{.benchmark = benchmark, .point = point};
  result.headline = measured.headline;
  result.samples = measured.samples;
  result.rejected_stamps = static_cast<std::size_t>(
      std::ranges::count_if(measured.samples, [](const Sample& s) { return s.marks.has(Mark::bad_stamp); }));
  result.first_call = measured.first_call;
  result.work = measured.work;
  result.conditions = measured.conditions;
  if (result.conditions.data.empty()) result.conditions.data = to_string(context.protocol.data);
  result.launches_per_call = static_cast<double>(measured.launches_per_call.value_or(0));
  result.stop_reason = measured.stop_reason;
  result.wall_time = measured.wall_time;
  if (measured.stop_reason == StopReason::interrupted) result.status = Status::interrupted;

  result.host_time_ns = summary_of(host_series(measured.samples), level, 0);
  const bool device_idle = measured.launches_per_call == std::size_t{0};
  if (!device_idle) {
    const double record_step = info.record_step.count() / batch;
    result.kernel_time_ns = summary_of(series(measured.samples, &Sample::kernel), level, record_step);
    result.busy_ns = summary_of(series(measured.samples, &Sample::busy), level, record_step);
    result.call_time_ns = summary_of(series(measured.samples, &Sample::call), level, info.mark_step.count() / batch);
    if (measured.call_offset) result.call_offset_ns = measured.call_offset->value.count();
    result.kernels = kernel_shares(measured, level);
    result.marginal_time_ns = marginal_time(measured, level, context.protocol.seed);
  }
  result.effective_clock = measured.effective_clock;
  result.telemetry = measured.telemetry;
  result.energy = measured.energy.energy;
  result.energy_missing = measured.energy.missing;
  if (result.conditions.regime != "sustained") {
    result.energy_missing = "energy is of the sustained state: the counter moves too seldom for single calls";
  }
  if (!result.kernel_time_ns) result.headline = Headline::call_time;
  if (const auto* headline = result.headline_summary(); headline != nullptr && headline->median.value > 0) {
    result.sol = speed_of_light(result.work, headline->median.value, context.roofline,
                                memory_applies(result, measured, info), clock_of(result));
    if (const auto& clock = result.effective_clock.mhz) {
      result.cycles_per_call = headline->median.value * clock->value * 1e-3;
    }
  }
  judge_check(result, measured);
  result.findings = find(result, measured, context);
  return result;
}

}  // namespace warpclock
