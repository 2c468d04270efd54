#include "stats/trend.hpp"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <numeric>
#include <vector>

#include "core/errors.hpp"
#include "stats/autocorrelation.hpp"
#include "stats/quantiles.hpp"
#include "stats/slope.hpp"

namespace warpclock {
namespace {

constexpr std::size_t most_blocks = 40;

std::vector<double> block_medians(std::span<const double> x) {
  const std::size_t blocks = std::min(x.size(), most_blocks);
  std::vector<double> result;
  for (std::size_t b = 0; b < blocks; ++b) {
    const std::size_t from = b * x.size() / blocks;
    const std::size_t to = (b + 1) * x.size() / blocks;
    result.push_back(quantile(x.subspan(from, to - from), 0.5));
  }
  return result;
}

double mann_kendall(const std::vector<double>& y) {
  double s = 0;
  for (std::size_t j = 1; j < y.size(); ++j) {
    for (std::size_t i = 0; i < j; ++i) s += static_cast<double>(y[j] > y[i]) - static_cast<double>(y[j] < y[i]);
  }
  return s;
}

// Mid-ranks, so that one outlier does not set the autocorrelation.
std::vector<double> ranks(const std::vector<double>& y) {
  const auto order = sorted(y);
  std::vector<double> result;
  for (const double v : y) {
    const auto [first, last] = std::ranges::equal_range(order, v);
    result.push_back(static_cast<double>((first - order.begin()) + (last - order.begin())) / 2);
  }
  return result;
}

double p_value(const std::vector<double>& y, const std::vector<double>& residuals) {
  const auto n = static_cast<double>(y.size());
  const double inflation = variance_inflation(ranks(residuals));
  const double freedom = n / inflation - 2;  // a level and a slope are fitted
  if (freedom < 1) return 1;
  // Without the correction for ties, which would only make it smaller.
  const double variance = n * (n - 1) * (2 * n + 5) / 18 * inflation;
  const double z = std::max(0.0, std::abs(mann_kendall(y)) - 1) / std::sqrt(variance);
  return 2 * boost::math::cdf(complement(boost::math::students_t(freedom), z));
}

}  // namespace

Trend trend(std::span<const double> x, double level) {
  if (!(level > 0 && level < 1)) throw UsageError("trend: level must be in (0, 1), as in 0.01");
  const double center = quantile(x, 0.5);
  const auto y = block_medians(x);
  if (x.size() < 10) return {};
  std::vector<double> at(y.size());
  std::iota(at.begin(), at.end(), 0.0);
  const double per_block = slope(at, y);
  std::vector<double> residuals;
  for (std::size_t i = 0; i < y.size(); ++i) residuals.push_back(y[i] - per_block * at[i]);
  Trend result;
  result.change = per_block * static_cast<double>(y.size() - 1);
  result.relative = center == 0 ? 0 : result.change / std::abs(center);
  result.p_value = std::min(1.0, p_value(y, residuals));
  result.significant = result.p_value < level;
  return result;
}

}  // namespace warpclock
