// Wrong numbers these catch: another quantile definition than the documented one, a sum that overflows the precision.
#include "stats/quantiles.hpp"

#include <gtest/gtest.h>

#include <array>
#include <limits>

#include "core/errors.hpp"

namespace warpclock {
namespace {

TEST(Quantile, IsTypeSevenAndNotOneOfTheEightOthers) {
  const std::array x{40.0, 10.0, 30.0, 20.0};
  EXPECT_DOUBLE_EQ(quantile(x, 0.25), 17.5);  // by hand: position 0.75; type 6 gives 12.5, type 5 gives 15
  EXPECT_DOUBLE_EQ(quantile(x, 0.5), 25);
  EXPECT_DOUBLE_EQ(quantile(x, 0.95), 38.5);
  EXPECT_EQ(quantile(x, 0), 10);
  EXPECT_EQ(quantile(x, 1), 40);
}

TEST(Quantile, OfOneValueIsThatValue) { EXPECT_EQ(quantile(std::array{7.0}, 0.95), 7); }

TEST(Quantile, SeveralComeInTheOrderAskedFor) {
  EXPECT_EQ(quantiles(std::array{3.0, 1.0, 2.0}, std::array{1.0, 0.0, 0.5}), (std::vector<double>{3, 1, 2}));
}

TEST(Quantile, RefusesWhatHasNoAnswer) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(static_cast<void>(quantile({}, 0.5)), UsageError);
  EXPECT_THROW(static_cast<void>(quantile(std::array{1.0, nan}, 0.5)), UsageError);
  EXPECT_THROW(static_cast<void>(quantile(std::array{1.0}, 50)), UsageError);
  EXPECT_THROW(static_cast<void>(quantile(std::array{1.0}, nan)), UsageError);
}

TEST(Spread, ByHand) {
  const auto s = spread(std::array{1.0, 2.0, 3.0, 4.0, 100.0});
  EXPECT_EQ(s.min, 1);
  EXPECT_DOUBLE_EQ(s.p5, 1.2);
  EXPECT_EQ(s.p25, 2);
  EXPECT_EQ(s.p75, 4);
  EXPECT_DOUBLE_EQ(s.p95, 80.8);
  EXPECT_EQ(s.max, 100);
  EXPECT_EQ(s.mean, 22);
  EXPECT_EQ(s.mad, 1);  // deviations 2 1 0 1 97
}

TEST(Spread, OfAMillionEqualTimesHasExactlyThatMean) {
  const std::vector<double> x(1'000'000, 0.1);  // a plain sum over n gives 0.10000000000133
  EXPECT_EQ(spread(x).mean, 0.1);
  EXPECT_EQ(spread(x).mad, 0);
}

}  // namespace
}  // namespace warpclock
