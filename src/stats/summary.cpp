#include "stats/summary.hpp"

#include <algorithm>

#include "core/errors.hpp"
#include "stats/median.hpp"
#include "stats/modes.hpp"
#include "stats/quantiles.hpp"

namespace warpclock {

Estimate at_least_step(Estimate estimate, double step) {
  if (!(step >= 0)) throw UsageError("summary: the timer step must not be negative; pass 0 where there is none");
  estimate.low = std::min(estimate.low, estimate.value - step / 2);
  estimate.high = std::max(estimate.high, estimate.value + step / 2);
  return estimate;
}

Summary summarise(std::span<const double> x, double level, double step) {
  const auto order = sorted(x);
  return {
      .median = at_least_step(median_of_series(x, level), step), .spread = spread(order), .modes = modes(order, step)};
}

}  // namespace warpclock
