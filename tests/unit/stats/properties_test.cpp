// What must hold for every estimator: one row each. A new estimator adds its row and is tested.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <random>
#include <span>
#include <string>

#include "core/estimate.hpp"
#include "stats/median.hpp"
#include "stats/modes.hpp"
#include "stats/quantiles.hpp"
#include "stats/slope.hpp"
#include "stats/summary.hpp"
#include "stats/trend.hpp"
#include "streams.hpp"

namespace warpclock {
namespace {

using Values = std::span<const double>;

std::vector<double> numbers(std::size_t n) {
  std::vector<double> x(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<double>(i);
  return x;
}

Estimate point(double v) { return {.value = v, .low = v, .high = v}; }

struct Row {
  std::string name;
  std::function<Estimate(Values)> estimate;
  bool any_order;     // the order of the samples does not matter
  double with_shift;  // what a shift of all samples by 1 adds to the value: 1 for places, 0 for widths and slopes
};

const std::vector<Row>& rows() {
  static const std::vector<Row> table{
      {"median", [](Values x) { return median(x); }, true, 1},
      {"median_of_series", [](Values x) { return median_of_series(x); }, false, 1},
      {"summary", [](Values x) { return summarise(x).median; }, false, 1},
      {"quantile", [](Values x) { return point(quantile(x, 0.3)); }, true, 1},
      {"mean", [](Values x) { return point(spread(x).mean); }, true, 1},
      {"mad", [](Values x) { return point(spread(x).mad); }, true, 0},
      {"first_mode", [](Values x) { return point(modes(x)[0].center); }, true, 1},
      {"trend", [](Values x) { return point(trend(x).change); }, false, 0},
      {"slope", [](Values x) { return slope_estimate(numbers(x.size()), x, 0.95, 1, 100); }, false, 0},
  };
  return table;
}

class Estimators : public testing::TestWithParam<Row> {
 protected:
  // Multiples of 1/64, so that shifting by 128 and scaling by 4 are exact and the comparisons may be too.
  static std::vector<double> data(std::size_t n) {
    auto x = test::Streams(n).exponential_chain(n, 0.3);
    for (double& v : x) v = test::quantised(v, 1.0 / 64);
    return x;
  }
  static constexpr std::array<std::size_t, 5> sizes{2, 5, 21, 100, 5000};
};

void expect_same(const Estimate& a, const Estimate& b) {
  EXPECT_NEAR(a.value, b.value, 1e-9);
  EXPECT_NEAR(a.low, b.low, 1e-9);
  EXPECT_NEAR(a.high, b.high, 1e-9);
}

TEST_P(Estimators, LowIsNotAboveTheValueAndHighNotBelow) {
  for (const auto n : sizes) {
    const auto e = GetParam().estimate(data(n));
    EXPECT_LE(e.low, e.value) << n;
    EXPECT_LE(e.value, e.high) << n;
  }
}

TEST_P(Estimators, ScaleWithTheUnit) {
  for (const auto n : sizes) {
    auto x = data(n);
    auto e = GetParam().estimate(x);
    for (double& v : x) v *= 4;
    expect_same({.value = 4 * e.value, .low = 4 * e.low, .high = 4 * e.high}, GetParam().estimate(x));
  }
}

TEST_P(Estimators, ShiftWithTheSamples) {
  for (const auto n : sizes) {
    auto x = data(n);
    auto e = GetParam().estimate(x);
    const double by = 128 * GetParam().with_shift;
    for (double& v : x) v += 128;
    expect_same({.value = e.value + by, .low = e.low + by, .high = e.high + by}, GetParam().estimate(x));
  }
}

TEST_P(Estimators, DoNotDependOnTheOrderUnlessTheySaySo) {
  if (!GetParam().any_order) GTEST_SKIP() << "reads its samples in run order";
  for (const auto n : sizes) {
    auto x = data(n);
    const auto e = GetParam().estimate(x);
    std::ranges::shuffle(x, std::mt19937_64(3));
    expect_same(e, GetParam().estimate(x));
  }
}

TEST_P(Estimators, OfConstantInputAreThatConstantAndAPoint) {
  for (const double c : {0.0, 0.1, 1e12}) {
    const auto e = GetParam().estimate(std::vector<double>(50, c));
    EXPECT_EQ(e.value, c * GetParam().with_shift);
    EXPECT_EQ(e.low, e.value);
    EXPECT_EQ(e.high, e.value);
  }
}

INSTANTIATE_TEST_SUITE_P(Table, Estimators, testing::ValuesIn(rows()), [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace warpclock
