#include "analyse/clock_findings.hpp"

#include <fmt/format.h>

#include <cmath>

#include "analyse/clock_scaling.hpp"

namespace warpclock {
namespace {

using Severity = Finding::Severity;
using Found = std::optional<Finding>;

/// A measured clock may differ by this part from the lock: chips step by 15 MHz, probes repeat within 1 %.
constexpr double lock_tolerance = 0.02;

std::string told(double clock, double lock) {
  return fmt::format("the SM clock was {:.0f} MHz, {:.1f} % {} the {:.0f} MHz to which it is locked", clock,
                     100 * std::abs(clock / lock - 1), clock < lock ? "below" : "above", lock);
}

Found clock_not_locked(const Result&, const Measurement& measured, const AnalysisContext&) {
  if (measured.lock_problem.empty()) return {};
  return Finding{"clock-not-locked", Severity::warning, measured.lock_problem,
                 "these figures belong to a free clock; compare them with none of a locked one"};
}

/// A lock is a wish: under a power limit the chip drops below it.
Found clock_below_lock(const Result& result, const Measurement&, const AnalysisContext&) {
  const auto clock = clock_of(result);
  const auto lock = result.conditions.locked_clock_mhz;
  if (!lock || !clock || *clock >= *lock * (1 - lock_tolerance)) return {};
  return Finding{"clock-below-lock", Severity::warning, told(*clock, *lock),
                 "a power or temperature limit goes below a lock; lock to a lower clock, such as base"};
}

Found clock_above_lock(const Result& result, const Measurement&, const AnalysisContext&) {
  const auto clock = clock_of(result);
  const auto lock = result.conditions.locked_clock_mhz;
  if (!lock || !clock || *clock <= *lock * (1 + lock_tolerance)) return {};
  return Finding{"clock-above-lock", Severity::warning, told(*clock, *lock),
                 "the driver took the lock and does not keep it; go by the measured clock"};
}

}  // namespace

std::vector<FindingRule> clock_finding_rules() {
  return {
      {"clock-not-locked", "a clock lock that was asked for is not in force", clock_not_locked},
      {"clock-below-lock", "the clock was below the one to which it is locked", clock_below_lock},
      {"clock-above-lock", "the clock was above the one to which it is locked", clock_above_lock},
  };
}

}  // namespace warpclock
