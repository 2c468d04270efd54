// Quantiles and the shape of a set of samples.
#pragma once

#include <span>
#include <vector>

#include "core/estimate.hpp"

namespace warpclock {

/// Copy of `x` in ascending order: what every order statistic here is read from.
///   x       n >= 1 finite values
///   throws  UsageError if x is empty or not finite;  cost O(n log n)
[[nodiscard]] std::vector<double> sorted(std::span<const double> x);

/// Quantile of Hyndman and Fan's type 7: position p (n - 1) among the order statistics, linear in between.
///   x       n >= 1 finite values in any order; the result has their unit
///   p       in [0, 1]: 0 is the minimum, 0.5 the usual median, 1 the maximum
///   throws  UsageError if x is empty or not finite, or p is outside [0, 1]
///   source  Hyndman & Fan, The American Statistician 50 (1996), 361;  cost O(n)
[[nodiscard]] double quantile(std::span<const double> x, double p);

/// Several quantiles of type 7 for one sort, in the order of `p`.  throws as quantile does
[[nodiscard]] std::vector<double> quantiles(std::span<const double> x, std::span<const double> p);

/// Minimum, quantiles of type 7, maximum, mean, and median absolute deviation from the median (unscaled).
///   throws  UsageError if x is empty or not finite;  cost O(n log n)
[[nodiscard]] Spread spread(std::span<const double> x);

}  // namespace warpclock
