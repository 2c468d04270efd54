// A wrong unit or a digit too few is the simplest way to a wrong number.
#include "report/numbers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <optional>
#include <vector>

#include "fixture.hpp"

namespace warpclock::report {
namespace {

using testing::ElementsAre;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double inf = std::numeric_limits<double>::infinity();

TEST(Duration, UnitThatFits) {
  EXPECT_EQ(duration(Nanoseconds{28340}), "28.34 us");
  EXPECT_EQ(duration(Nanoseconds{32}), "32 ns");
  EXPECT_EQ(duration(Nanoseconds{999.94}), "999.9 ns");
  EXPECT_EQ(duration(milliseconds(1)), "1 ms");
  EXPECT_EQ(duration(seconds(3.6)), "3.6 s");
  EXPECT_EQ(duration(Nanoseconds{0}), "0 ns");
  EXPECT_EQ(duration(Nanoseconds{-2500}), "-2.5 us");
  EXPECT_EQ(duration(seconds(36000)), "36000 s");
  EXPECT_EQ(duration(Nanoseconds{nan}), "-");
  EXPECT_EQ(duration(Nanoseconds{inf}), "-");
}

TEST(Percent, OfAFraction) {
  EXPECT_EQ(percent(0.0042), "0.42 %");
  EXPECT_EQ(percent(0.5), "50.0 %");
  EXPECT_EQ(percent(nan), "-");
}

TEST(Size, PowersOf1024) {
  EXPECT_EQ(size(125'829'120), "120 MiB");
  EXPECT_EQ(size(1'610'612'736), "1.5 GiB");
  EXPECT_EQ(size(100), "100 B");
  EXPECT_EQ(size(0), "0 B");
}

TEST(Si, Prefixes) {
  EXPECT_EQ(si(3.52e12, "B/s"), "3.52 TB/s");
  EXPECT_EQ(si(999.6, "B/s"), "1 kB/s");  // not 1e+03 B/s
  EXPECT_EQ(si(inf, "B/s"), "-");
}

TEST(Significant, NeverMoreDigitsThanAskedForBehindThePoint) {
  EXPECT_EQ(significant(285.94, 4), "285.9");
  EXPECT_EQ(significant(0.012346, 4), "0.01235");
  EXPECT_EQ(significant(4096, 3), "4096");
  EXPECT_EQ(significant(1e9, 3), "1e+09");
  EXPECT_EQ(significant(0, 3), "0.00");
}

TEST(CommonUnit, FollowsTheMedian) {
  EXPECT_EQ(common_unit({2'000.0, 28'340.0, 2'859'000.0}).name, "us");
  EXPECT_EQ(common_unit({500.0, 600.0, 2000.0}).name, "ns");
  EXPECT_EQ(common_unit({std::nullopt, nan, inf, -1.0, 0.0}).name, "us");
}

TEST(Aligned, OneNumberOfDecimalsAColumn) {
  EXPECT_THAT(aligned({28.34, 285.9}, 4), ElementsAre("28.34", "285.90"));
  EXPECT_THAT(aligned({2.345, 2859.1}, 4), ElementsAre("2.35", "2859.10"));
  EXPECT_THAT(aligned({1.234, 123456.7}, 4), ElementsAre("1.2", "123456.7"));
  EXPECT_THAT(aligned({28.34}, 3), ElementsAre("28.3"));
  EXPECT_THAT(aligned({664.2, 3518.0}, 3), ElementsAre("664", "3518"));
  EXPECT_THAT(aligned({1.5, std::nullopt, nan}, 4), ElementsAre("1.500", "", "-"));
  EXPECT_THAT(aligned({std::nullopt}, 4), ElementsAre(""));
}

// Rounded to 0.000 a time looks free; in full 1e300 fills the screen.
TEST(Aligned, ExtremesStayReadable) {
  EXPECT_THAT(aligned({1e-9, 1.0, 1e300}, 4), ElementsAre("1e-09", "1.000", "1e+300"));
}

TEST(Numbers, IgnoreTheLocale) {
  const GermanLocale german;
  EXPECT_EQ(duration(Nanoseconds{28340}), "28.34 us");
  EXPECT_THAT(aligned({1234567.5}, 4), ElementsAre("1234568"));
  EXPECT_EQ(size(1'610'612'736), "1.5 GiB");
}

}  // namespace
}  // namespace warpclock::report
