// How much consecutive samples depend on each other, and how many independent ones they are worth.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace warpclock {

/// Sample autocorrelation of `x` in run order at lags 0 to `max_lag`; entry 0 is 1.
///   x        n >= 1 finite values; where all are equal every later entry is 0
///   max_lag  capped at n - 1
///   return   the usual estimate, sums over n - k products divided by the one of lag 0 (biased towards 0)
///   throws   UsageError if x is empty or not finite;  cost O(n max_lag)
[[nodiscard]] std::vector<double> autocorrelation(std::span<const double> x, std::size_t max_lag);

/// Factor by which dependence widens the variance of the mean of `x`: 1 + 2 (sum of the autocorrelations), >= 1.
/// A cautious estimate, meant for intervals: corrected for the bias that subtracting the sample's own mean causes, and
/// at least what a first-order chain gives whose lag-1 correlation lies 0.75 standard errors above the estimated one.
///   x       n >= 1 finite values in run order
///   return  in [1, n / 2], and 1 for n < 4 and for constant input; about 1.2 for 50 independent values
///   source  Geyer, Statistical Science 7 (1992), 473: initial positive monotone sequence
///   cost    O(n + m^2), m = min(n, 4096): longer series are folded into means of consecutive values first
[[nodiscard]] double variance_inflation(std::span<const double> x);

/// Number of independent samples that `x` in run order is worth for its median: n over the variance inflation of the
/// signs of x - median, since the number of samples below the median is what its interval rests on.
///   return  in [1, n]; cautious, as variance_inflation is
///   throws  UsageError if x is empty or not finite
[[nodiscard]] double effective_samples(std::span<const double> x);

}  // namespace warpclock
