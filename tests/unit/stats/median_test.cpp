// Wrong numbers these catch: an interval that claims a coverage it does not have.
#include "stats/median.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "core/errors.hpp"
#include "stats/quantiles.hpp"
#include "streams.hpp"

namespace warpclock {
namespace {

std::vector<double> one_to(int n) {
  std::vector<double> x(static_cast<std::size_t>(n));
  std::iota(x.begin(), x.end(), 1.0);
  return x;
}

TEST(Median, FiveValuesCannotReach95PercentAndTheEstimateSaysSo) {
  const auto m = median(std::array{5.0, 1.0, 4.0, 2.0, 3.0}, 0.95);
  EXPECT_EQ(m.value, 3);
  EXPECT_EQ(m.low, 1);
  EXPECT_EQ(m.high, 5);
  EXPECT_NEAR(m.level, 0.9375, 1e-12);  // 1 - 2 (1/2)^5, by hand
}

TEST(Median, OneValueIsAPointWithoutConfidence) {
  const auto m = median(std::array{7.0});
  EXPECT_EQ(m.low, 7);
  EXPECT_EQ(m.high, 7);
  EXPECT_NEAR(m.level, 0, 1e-12);
}

// By hand from the binomial table: P(B(n, 1/2) < k) <= 0.025 < P(B < k + 1).
TEST(Median, TakesTheOrderStatisticsOfTheBinomialTable) {
  const auto six = median(one_to(6));
  EXPECT_EQ(six.low, 1);
  EXPECT_NEAR(six.level, 1 - 2.0 / 64, 1e-12);
  const auto ten = median(one_to(10));
  EXPECT_EQ(ten.low, 2);
  EXPECT_EQ(ten.high, 9);
  EXPECT_NEAR(ten.level, 1 - 2 * 11.0 / 1024, 1e-12);
  const auto twenty = median(one_to(20));
  EXPECT_EQ(twenty.low, 6);
  EXPECT_EQ(twenty.high, 15);
  EXPECT_NEAR(twenty.level, 1 - 2 * 21700.0 / 1048576, 1e-9);
}

TEST(Median, LevelExactlyReachedCostsNoRank) { EXPECT_EQ(median(one_to(10), 1 - 2 * 11.0 / 1024).low, 2); }

TEST(Median, RefusesLevelsThatAreNone) {
  for (const double level : {0.0, 1.0, 95.0, -0.5}) {
    EXPECT_THROW(static_cast<void>(median(std::array{1.0}, level)), UsageError) << level;
    EXPECT_THROW(static_cast<void>(median_of_series(std::array{1.0}, level)), UsageError) << level;
  }
}

struct Coverage {
  double covered = 0;
  double width = 0;  // median width over that of the interval for independent samples
};

template <typename Draw>
Coverage coverage(Draw draw, double truth, int runs) {
  int inside = 0;
  std::vector<double> widths;
  std::vector<double> plain;
  for (int run = 0; run < runs; ++run) {
    const std::vector<double> x = draw();
    const auto m = median_of_series(x);
    const auto independent = median(x);
    inside += m.low <= truth && truth <= m.high;
    widths.push_back(m.high - m.low);
    plain.push_back(independent.high - independent.low);
  }
  return {static_cast<double>(inside) / runs, quantile(widths, 0.5) / quantile(plain, 0.5)};
}

// 2000 runs: the standard error is 0.005, so 0.93 is where 0.95 can no longer be claimed.
constexpr int runs = 2000;

int runs_at(std::size_t n) { return n >= 1000 ? 400 : runs; }

class Dependent : public testing::TestWithParam<double> {};

// The naive interval covers 59 % at rho 0.8.
TEST_P(Dependent, IntervalCoversTheMedianOfANormalChain) {
  test::Streams streams(11);
  for (const std::size_t n : {20U, 50U, 200U, 1000U}) {
    const auto c = coverage([&] { return streams.chain(n, GetParam()); }, 0, runs_at(n));
    EXPECT_GE(c.covered, 0.925) << n;
  }
}

TEST_P(Dependent, IntervalCoversTheMedianOfASkewedChain) {
  test::Streams streams(12);
  for (const std::size_t n : {20U, 50U, 200U}) {
    const auto c = coverage([&] { return streams.exponential_chain(n, GetParam()); }, std::log(2.0), runs);
    EXPECT_GE(c.covered, 0.925) << n;
  }
}

// 32 ns steps, spread 25 ns: three or four values in all. 2496 holds the middle of the distribution.
TEST_P(Dependent, IntervalCoversTheMedianOfQuantisedTimes) {
  test::Streams streams(13);
  const auto draw = [&](std::size_t n) {
    auto x = streams.chain(n, GetParam());
    for (double& v : x) v = test::quantised(2500 + 25 * v, 32);
    return x;
  };
  for (const std::size_t n : {20U, 50U, 200U}) {
    EXPECT_GE(coverage([&] { return draw(n); }, 2496, runs).covered, 0.93) << n;
  }
}

INSTANTIATE_TEST_SUITE_P(Rho, Dependent, testing::Values(0.0, 0.5, 0.8));

// An interval that is always wide covers too; it would make every measurement take longer.
TEST(MedianOfSeries, CostsLittleWhereSamplesAreIndependent) {
  test::Streams streams(14);
  for (const std::size_t n : {50U, 100U, 200U, 1000U}) {
    EXPECT_LE(coverage([&] { return streams.chain(n, 0); }, 0, runs_at(n)).width, 1.3) << n;
  }
}

TEST(MedianOfSeries, OrderMatters) {
  auto x = one_to(100);
  const auto drifting = median_of_series(x);
  std::ranges::shuffle(x, std::mt19937_64(1));
  const auto shuffled = median_of_series(x);
  EXPECT_EQ(drifting.value, shuffled.value);
  EXPECT_GT(drifting.high - drifting.low, 2 * (shuffled.high - shuffled.low));
  EXPECT_LT(drifting.effective_samples, 10);
}

TEST(MedianOfSeries, SaysThatTooFewSamplesAreLeftForTheLevel) {
  const auto m = median_of_series(one_to(20));
  EXPECT_EQ(m.low, 1);
  EXPECT_EQ(m.high, 20);
  EXPECT_LT(m.level, 0.95);
}

}  // namespace
}  // namespace warpclock
