// Wrong numbers these catch: an interval of 0.1 ns from a timer that steps by 32.
#include "stats/summary.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "core/errors.hpp"
#include "stats/median.hpp"
#include "streams.hpp"

namespace warpclock {
namespace {

TEST(Summary, IntervalIsNeverNarrowerThanTheTimerStep) {
  const auto s = summarise(std::vector<double>(1000, 2496.0), 0.95, 32);
  EXPECT_EQ(s.median.value, 2496);
  EXPECT_EQ(s.median.low, 2480);
  EXPECT_EQ(s.median.high, 2512);
}

TEST(Summary, EndsFurtherOutThanTheStepStayWhereTheyAre) {
  const auto e = at_least_step({.value = 10, .low = 3, .high = 10, .level = 0.95}, 4);
  EXPECT_EQ(e.low, 3);
  EXPECT_EQ(e.high, 12);
}

TEST(Summary, HoldsWhatTheSingleFunctionsSay) {
  const auto x = test::Streams(51).chain(300, 0.8);
  const auto s = summarise(x);
  const auto m = median_of_series(x);
  EXPECT_EQ(s.median.low, m.low);  // in run order: sorting first would leave one effective sample
  EXPECT_EQ(s.median.effective_samples, m.effective_samples);
  EXPECT_EQ(s.modes.size(), 1U);
  EXPECT_EQ(s.spread.min, *std::ranges::min_element(x));
}

TEST(Summary, RefusesANegativeStep) {
  EXPECT_THROW(static_cast<void>(summarise(std::array{1.0}, 0.95, -32)), UsageError);
  EXPECT_THROW(static_cast<void>(summarise({}, 0.95, 0)), UsageError);
}

}  // namespace
}  // namespace warpclock
