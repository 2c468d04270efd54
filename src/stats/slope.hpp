// Slope of a straight line through points, robust against outliers: what one more call costs (marginal time).
#pragma once

#include <cstdint>
#include <span>

#include "core/estimate.hpp"

namespace warpclock {

/// Theil-Sen slope: the median of the slopes between all pairs of points with different x (above 256 points, a fixed
/// choice of about 32,000 pairs that reach all distances).
///   x, y    n >= 2 finite values each, not all x equal; the slope has the unit of y over that of x
///   throws  UsageError if the lengths differ, a value is not finite, or no two x differ
///   source  Sen, JASA 63 (1968), 1379; breaks down at 29 % outliers;  cost O(min(n^2, 64 n))
[[nodiscard]] double slope(std::span<const double> x, std::span<const double> y);

/// slope() with its percentile interval over `resamples` bootstrap samples of the points, which are taken for
/// independent. The same points and seed give the same interval.
///   level   wanted coverage in (0, 1); with fewer than 10 points the interval is too narrow for it
///   return  samples = effective_samples = n
///   throws  as slope, and UsageError if level is outside (0, 1) or resamples is 0;  cost resamples x that of slope
[[nodiscard]] Estimate slope_estimate(std::span<const double> x, std::span<const double> y, double level = 0.95,
                                      std::uint64_t seed = 1, int resamples = 500);

}  // namespace warpclock
