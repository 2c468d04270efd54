#include "crosscheck/compare.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "crosscheck/caveats.hpp"
#include "stats/median.hpp"

namespace warpclock {
namespace {

// Below this the instructions and constants of the kernel are a visible part of what it reads (3 KB on an H200).
constexpr double least_judged_bytes = 64 * 1024;

/// The clock while the kernel ran, or the probe beside its samples.
void add_clock(const Result& result, OurSide& ours) {
  if (result.effective_clock.mhz) {
    ours.clock_mhz = result.effective_clock.mhz->value;
    ours.clock_source = result.effective_clock.source;
    return;
  }
  std::vector<double> probes;
  for (const auto& sample : result.samples) {
    if (sample.clock_mhz && *sample.clock_mhz > 0) probes.push_back(*sample.clock_mhz);
  }
  if (probes.empty()) return;
  ours.clock_mhz = median(probes).value;
  ours.clock_source = "probe";
}

/// The kernels of a call that also has copies or fills: the sum of their medians, and of the ends of their intervals.
std::optional<Estimate> kernels_alone(const Result& result) {
  std::optional<Estimate> sum;
  bool others = false;
  for (const auto& share : result.kernels) {
    if (share.kind != "kernel") {
      others = true;
    } else if (!sum) {
      sum = share.time_ns;
    } else {
      sum->value += share.time_ns.value;
      sum->low += share.time_ns.low;
      sum->high += share.time_ns.high;
    }
  }
  return others ? sum : std::nullopt;
}

std::optional<OurSide> our_side(const Result& result) {
  const auto& summary = result.kernel_time_ns ? result.kernel_time_ns : result.call_time_ns;
  if (!summary) return std::nullopt;
  OurSide ours{.what = result.kernel_time_ns ? OurTime::kernel : OurTime::call, .time_ns = summary->median};
  if (const auto alone = kernels_alone(result); alone && result.kernel_time_ns) {
    ours.what = OurTime::kernels_only;
    ours.time_ns = *alone;
  }
  add_clock(result, ours);
  if (ours.clock_mhz) ours.cycles = ours.time_ns.value * *ours.clock_mhz * 1e-3;
  return ours;
}

std::optional<double> ratio(const std::optional<Estimate>& seen, double declared) {
  if (!seen || declared < least_judged_bytes) return std::nullopt;
  return seen->value / declared;
}

/// How far two values may lie apart: the agreed share of ours, or what both intervals leave open if that is more.
double tolerance(double ours, const Estimate& our_interval, double ncu_spread) {
  return std::max(agreement * ours, our_interval.relative_half_width() * ours + ncu_spread / 2);
}

/// `difference` against the range that the stamps explain, all in one unit.
Verdict judge(double difference, double least, double most, double allowed, double ncu_spread) {
  if (std::abs(difference) < ncu_spread) return Verdict::within_spread;
  return difference >= least - allowed && difference <= most + allowed ? Verdict::agree : Verdict::differ;
}

bool blocked(const Comparison& comparison, bool Caveat::*pair) {
  return std::ranges::any_of(comparison.caveats, [&](const Caveat& caveat) { return caveat.*pair; });
}

/// What the different places of the stamps explain. A call time holds an offset of its own, which is calibrated.
std::pair<double, double> expected_difference(const Comparison& c, const Result& result) {
  const auto kernels = static_cast<double>(c.ncu->kernels.size());
  const double offset = c.ours->what == OurTime::call ? result.call_offset_ns.value_or(0) : 0;
  return {least_stamp_difference_ns * kernels - offset, most_stamp_difference_ns * kernels - offset};
}

double spread_of(const Estimate& estimate) { return estimate.high - estimate.low; }

void judge_time(Comparison& c) {
  if (blocked(c, &Caveat::time)) {
    c.time = Verdict::not_comparable;
    return;
  }
  const auto& ours = c.ours->time_ns;
  const double spread = c.ncu->spread_ns();
  c.time = judge(*c.time_difference_ns, c.expected_ns->first, c.expected_ns->second,
                 tolerance(ours.value, ours, spread), spread);
}

void judge_cycles(Comparison& c) {
  if (!c.cycle_difference) return;
  if (blocked(c, &Caveat::cycles)) {
    c.cycles = Verdict::not_comparable;
    return;
  }
  const double per_ns = *c.ours->clock_mhz * 1e-3;
  const double spread = spread_of(*c.ncu->cycles);
  // ncu's counters miss some of the time between its stamps, so that none of the expected difference may be there.
  const double least = std::min(0.0, c.expected_ns->first);
  c.cycles = judge(*c.cycle_difference, least * per_ns, c.expected_ns->second * per_ns,
                   tolerance(*c.ours->cycles, c.ours->time_ns, spread), spread);
}

/// Declared bytes are the least that a call must move: more are no contradiction, fewer came from a cache.
void judge_dram(Comparison& c) {
  if (!c.read_ratio) return;
  if (blocked(c, &Caveat::dram)) {
    c.dram = Verdict::not_comparable;
    return;
  }
  constexpr double complete = 0.97;
  c.dram = *c.read_ratio >= complete ? Verdict::agree : Verdict::differ;
}

}  // namespace

Comparison compare(const Result& result, const std::optional<NcuPoint>& ncu, const std::string& missing,
                   const NcuSettings& settings) {
  Comparison c{.benchmark = result.benchmark,
               .point = result.point,
               .status = result.status,
               .error = result.error,
               .conditions = result.conditions,
               .work = result.work,
               .bound = result.sol ? result.sol->bound : "",
               .ours = our_side(result),
               .ncu = ncu,
               .ncu_missing = missing};
  for (const auto& kernel : result.kernels) c.kernels.push_back(kernel.name);
  if (c.ncu) {
    c.read_ratio = ratio(c.ncu->dram_read_bytes, c.work.bytes_read);
    c.written_ratio = ratio(c.ncu->dram_written_bytes, c.work.bytes_written);
  }
  if (!c.ours || !c.ncu) return c;
  c.time_difference_ns = c.ncu->time_ns.value - c.ours->time_ns.value;
  if (c.ours->cycles && c.ncu->cycles) c.cycle_difference = c.ncu->cycles->value - *c.ours->cycles;
  c.expected_ns = expected_difference(c, result);
  c.caveats = caveats_of(c, result, settings);
  judge_time(c);
  judge_cycles(c);
  judge_dram(c);
  return c;
}

std::string to_string(OurTime time) {
  switch (time) {
    case OurTime::kernel:
      return "kernel time";
    case OurTime::kernels_only:
      return "kernel time without copies and fills";
    case OurTime::call:
      return "call time";
  }
  return "call time";
}

std::string to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::agree:
      return "agree";
    case Verdict::within_spread:
      return "within-spread";
    case Verdict::differ:
      return "differ";
    case Verdict::not_comparable:
      return "not-comparable";
    case Verdict::missing:
      return "missing";
  }
  return "missing";
}

}  // namespace warpclock
