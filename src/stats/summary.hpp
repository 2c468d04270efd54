// Everything that is reported about one set of samples.
#pragma once

#include <span>

#include "core/estimate.hpp"

namespace warpclock {

/// `estimate` with its interval at least one timer step wide: it always holds [value - step / 2, value + step / 2],
/// since a timer cannot tell values inside of that apart. An end that is further out stays where it is.
///   step    >= 0, in the unit of the estimate
[[nodiscard]] Estimate at_least_step(Estimate estimate, double step);

/// Median in run order (median_of_series) not narrower than the timer step, spread and modes.
///   x       n >= 1 finite values in run order; all of the result has their unit
///   level   wanted coverage in (0, 1)
///   step    of the timer, >= 0; 0 where it is not known
///   throws  UsageError if x is empty or not finite, or level or step is out of range
///   cost    O(n log n); bench/stats_cost.cpp prints the time for 10^6 samples
[[nodiscard]] Summary summarise(std::span<const double> x, double level = 0.95, double step = 0);

}  // namespace warpclock
