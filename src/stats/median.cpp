#include "stats/median.hpp"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <boost/math/special_functions/beta.hpp>
#include <cmath>

#include "core/errors.hpp"
#include "stats/autocorrelation.hpp"
#include "stats/quantiles.hpp"

namespace warpclock {
namespace {

// Plain doubles are exact enough, and several times faster than Boost's default of long double.
using InDouble = boost::math::policies::policy<boost::math::policies::promote_double<false>>;

// P(Binomial(m, 1/2) < k), continued to real m and k.
double tail(double m, double k) { return k <= 0 ? 0 : boost::math::ibeta(m - k + 1, k, 0.5, InDouble()); }

// Distance in ranks from the middle to the order statistic that m samples leave below it with probability `miss`.
double reach(double m, double miss) {
  double low = 0;
  double high = (m + 1) / 2;
  for (int step = 0; step < 44; ++step) {
    const double k = (low + high) / 2;
    (tail(m, k) <= miss ? low : high) = k;
  }
  return (m + 1) / 2 - low;
}

// How much further Student's t reaches than the normal at as many degrees of freedom as there are effective samples.
double caution(double m, double miss) {
  const boost::math::students_t t(std::max(1.0, m));
  return boost::math::quantile(complement(t, miss)) / boost::math::quantile(complement(boost::math::normal(), miss));
}

// Interval of n sorted values worth m independent ones, its reach in ranks stretched by `stretch`.
Estimate interval(const std::vector<double>& order, double m, double stretch, double level) {
  const auto n = static_cast<double>(order.size());
  const double middle = (n + 1) / 2;
  const double scale = stretch * n / m;
  // 1e-9: where the wanted level is met exactly, rounding must not cost a rank.
  const double wanted = std::floor(middle - scale * reach(m, (1 - level) / 2) + 1e-9);
  const double rank = std::clamp(wanted, 1.0, std::floor(middle));
  const double reached = 1 - 2 * tail(m, (m + 1) / 2 - (middle - rank) / scale);
  const auto k = static_cast<std::size_t>(rank);
  return {.value = quantile(order, 0.5),
          .low = order[k - 1],
          .high = order[order.size() - k],
          .level = std::max(0.0, reached),
          .samples = order.size(),
          .effective_samples = m};
}

void check_level(double level) {
  if (!(level > 0 && level < 1)) throw UsageError("median: level must be in (0, 1), as in 0.95");
}

}  // namespace

Estimate median(std::span<const double> x, double level) {
  check_level(level);
  const auto order = sorted(x);
  return interval(order, static_cast<double>(order.size()), 1, level);
}

Estimate median_of_series(std::span<const double> x, double level) {
  check_level(level);
  const auto order = sorted(x);
  const double m = effective_samples(x);
  const bool independent = m == static_cast<double>(order.size());
  return interval(order, m, independent || level <= 0.5 ? 1 : caution(m, (1 - level) / 2), level);
}

}  // namespace warpclock
