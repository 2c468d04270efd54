// Wrong numbers these catch: a marginal time bent by one late launch, and an interval that changes from run to run.
#include "stats/slope.hpp"

#include <gtest/gtest.h>

#include <array>

#include "core/errors.hpp"
#include "streams.hpp"

namespace warpclock {
namespace {

TEST(Slope, OfALineIsExactWhateverTheIntercept) {
  EXPECT_EQ(slope(std::array{1.0, 2.0, 4.0, 8.0}, std::array{103.0, 106.0, 112.0, 124.0}), 3);
}

TEST(Slope, OneLateLaunchDoesNotBendIt) {
  // Least squares gives 92.3.
  EXPECT_EQ(slope(std::array{1.0, 2.0, 3.0, 4.0, 5.0, 6.0}, std::array{2.0, 4.0, 6.0, 8.0, 10.0, 1000.0}), 2);
}

TEST(Slope, ManyPointsGiveTheSameAsFew) {
  test::Streams streams(41);
  std::vector<double> x;
  std::vector<double> y;
  for (int i = 0; i < 20'000; ++i) {
    x.push_back(1 + i % 20);
    y.push_back(5 + 1.97 * x.back() + 0.1 * streams.normal());
  }
  EXPECT_NEAR(slope(x, y), 1.97, 0.005);
}

TEST(Slope, RefusesWhatHasNone) {
  EXPECT_THROW(static_cast<void>(slope(std::array{1.0, 1.0}, std::array{1.0, 2.0})), UsageError);
  EXPECT_THROW(static_cast<void>(slope(std::array{1.0}, std::array{1.0})), UsageError);
  EXPECT_THROW(static_cast<void>(slope(std::array{1.0, 2.0}, std::array{1.0})), UsageError);
}

TEST(SlopeEstimate, SameSeedSameInterval) {
  test::Streams streams(42);
  std::vector<double> x;
  std::vector<double> y;
  for (int i = 1; i <= 30; ++i) {
    x.push_back(i);
    y.push_back(2.0 * i + streams.normal());
  }
  const auto a = slope_estimate(x, y, 0.95, 7);
  const auto b = slope_estimate(x, y, 0.95, 7);
  EXPECT_EQ(a.low, b.low);
  EXPECT_EQ(a.high, b.high);
  EXPECT_NE(a.low, slope_estimate(x, y, 0.95, 8).low);
}

TEST(SlopeEstimate, IntervalCoversTheTrueSlope) {
  test::Streams streams(43);
  int inside = 0;
  for (int run = 0; run < 400; ++run) {
    std::vector<double> x;
    std::vector<double> y;
    for (int i = 1; i <= 30; ++i) {
      x.push_back(i);
      y.push_back(2.0 * i + streams.exponential());
    }
    const auto e = slope_estimate(x, y, 0.95, static_cast<std::uint64_t>(run), 200);
    inside += e.low <= 2 && 2 <= e.high;
  }
  EXPECT_GE(inside, 0.90 * 400);
}

}  // namespace
}  // namespace warpclock
