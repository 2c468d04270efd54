// Which part of a time scales with the clock, from the same point at several locked clocks.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/clock_scaling.hpp"
#include "core/result.hpp"

namespace warpclock {

/// Clock while the call ran: the effective clock where it was measured, else the median of what the probe read before
/// the samples. Empty where neither is known.
[[nodiscard]] std::optional<double> clock_of(const Result& result);

/// Fits time = fixed + cycles / clock to points of measured clocks by least squares, weighted by the intervals of the
/// times (at least 0.05 % each: no clock is read better). The interval of the share is that of the slope, widened by
/// the Birge ratio where the points scatter more than their intervals say.
///   points   any order; those without a measured clock are left out
///   return   with the verdict, and points sorted; benchmark and point are left empty
///   source   Birge, Phys. Rev. 40 (1932), 207;  cost O(n^2)
[[nodiscard]] ClockScaling clock_scaling(std::vector<ClockScalingPoint> points);

/// One for each benchmark, point and regime that was measured at a locked clock, in order of appearance.
[[nodiscard]] std::vector<ClockScaling> clock_scalings(std::span<const Result> results);

}  // namespace warpclock
