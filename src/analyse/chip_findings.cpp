// Findings about what the chip did while the call ran: regime, power, clocks.
#include "analyse/chip_findings.hpp"

#include <fmt/format.h>

#include <cmath>

namespace warpclock {
namespace {

using Found = std::optional<Finding>;
using Severity = Finding::Severity;

// What two meters of one clock, or the clock of one call, may differ by before it is worth a word.
constexpr double clock_agreement = 0.02;
constexpr double clock_drop = 0.03;

Found not_steady(const Result& result, const Measurement&, const AnalysisContext&) {
  const auto& conditions = result.conditions;
  if (conditions.regime != "sustained" || conditions.steady) return {};
  return Finding{"not-steady", Severity::warning,
                 fmt::format("clock, power or temperature still moved after {:.1f} s back to back",
                             conditions.soak_time / seconds(1)),
                 "heat longer (--soak-time), or keep other load away"};
}

Found meters_disagree(const Result& result, const Measurement&, const AnalysisContext&) {
  const auto& clock = result.effective_clock;
  if (!clock.counters_mhz || !clock.sentinel_mhz) return {};
  const double ratio = clock.sentinel_mhz->value / clock.counters_mhz->value - 1;
  if (std::abs(ratio) <= clock_agreement) return {};
  return Finding{"clock-meters-disagree", Severity::warning,
                 fmt::format("effective clock: {:.0f} MHz by the sentinel, {:.0f} MHz by the counters",
                             clock.sentinel_mhz->value, clock.counters_mhz->value),
                 "take neither for the clock of the call; cycles and SOL at clock are as unsure"};
}

/// The chip started recovered and did not stay there: its power limit works within one call.
Found clock_drops_within_call(const Result& result, const Measurement&, const AnalysisContext&) {
  const auto& during = result.effective_clock.mhz;
  const auto& recovered = result.conditions.reference_clock_mhz;
  if (!during || !recovered || result.conditions.regime != "burst") return {};
  if (during->value >= *recovered * (1 - clock_drop)) return {};
  return Finding{
      "clock-drops-in-call", Severity::note,
      fmt::format("the SMs ran at {:.0f} MHz during the call, {:.0f} MHz before it", during->value, *recovered),
      "the chip's power limit sets the time; see SOL at the effective clock"};
}

Found slower_when_sustained(const Result& result, const Measurement&, const AnalysisContext&) {
  const auto& during = result.effective_clock.mhz;
  const auto& recovered = result.conditions.reference_clock_mhz;
  if (!during || !recovered || result.conditions.regime != "sustained") return {};
  if (during->value >= *recovered * (1 - clock_drop)) return {};
  return Finding{"sustained-clock-low", Severity::note,
                 fmt::format("back to back the SMs keep {:.0f} MHz of {:.0f}", during->value, *recovered),
                 "this is what a loaded service gets; --regime burst shows a call that comes alone"};
}

}  // namespace

std::vector<FindingRule> chip_finding_rules() {
  return {
      {"not-steady", "regime sustained: the chip had not come to rest when sampling began", not_steady},
      {"clock-meters-disagree", "sentinel and counters tell different clocks", meters_disagree},
      {"clock-drops-in-call", "the clock falls while a single call runs", clock_drops_within_call},
      {"sustained-clock-low", "regime sustained: the chip keeps a lower clock than it recovers to",
       slower_when_sustained},
  };
}

}  // namespace warpclock
