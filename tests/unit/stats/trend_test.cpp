// Wrong numbers these catch: a median over a drift nobody is told about, and dependence taken for drift.
#include "stats/trend.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/errors.hpp"
#include "streams.hpp"

namespace warpclock {
namespace {

TEST(Trend, HasTheSizeAndSignOfTheDrift) {
  test::Streams streams(31);
  for (const double drift : {3.0, -3.0}) {
    std::vector<double> x(400);
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] = 100 + drift * static_cast<double>(i) / 399 + 0.5 * streams.normal();
    }
    const auto t = trend(x);
    EXPECT_TRUE(t.significant);
    EXPECT_NEAR(t.change, drift, 0.3);
    EXPECT_NEAR(t.relative, drift / 100, 0.003);
  }
}

double alarms(double rho, std::size_t n, double level) {
  test::Streams streams(32);
  int count = 0;
  for (int run = 0; run < 2000; ++run) count += trend(streams.chain(n, rho), level).significant;
  return count / 2000.0;
}

// Mann-Kendall without the correction fires in 40 % at rho 0.8.
TEST(Trend, DependenceIsNotDrift) {
  for (const double rho : {0.0, 0.5, 0.8}) {
    for (const std::size_t n : {20U, 50U, 200U, 1000U}) {
      EXPECT_LE(alarms(rho, n, 0.01), 0.02) << rho << ' ' << n;
      EXPECT_LE(alarms(rho, n, 0.05), 0.06) << rho << ' ' << n;
    }
  }
}

TEST(Trend, OneOutlierIsNotDrift) {
  test::Streams streams(33);
  auto x = streams.chain(100, 0);
  x.back() = 1e6;
  EXPECT_FALSE(trend(x).significant);
  EXPECT_LT(trend(x).change, 2);
}

TEST(Trend, ConstantAndShortRunsHaveNone) {
  EXPECT_FALSE(trend(std::vector<double>(100, 3.0)).significant);
  EXPECT_EQ(trend(std::vector<double>(100, 3.0)).change, 0);
  EXPECT_FALSE(trend(std::vector<double>{1, 2, 3, 4, 5}).significant);
  EXPECT_THROW(static_cast<void>(trend({})), UsageError);
}

}  // namespace
}  // namespace warpclock
