// Whole-number expressions of axes.
#include "suite/expression.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "core/errors.hpp"

namespace warpclock {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const Point point{{{"n", std::int64_t{1000}}, {"m", std::int64_t{7}}, {"zero", std::int64_t{0}}}};

std::int64_t value(const std::string& text) { return Expression("--grid", text).value(point); }

std::string refusal(const std::string& text) {
  try {
    (void)value(text);
  } catch (const UsageError& error) {
    return error.what();
  }
  ADD_FAILURE() << text << " was accepted";
  return "";
}

TEST(Expression, OneSlashLosesTheRestAndTwoCoverIt) {
  EXPECT_EQ(value("{n}/256"), 3);
  EXPECT_EQ(value("{n}//256"), 4);
  EXPECT_EQ(value("1024//256"), 4);  // no block too many where it divides evenly
  EXPECT_EQ(value("-{n}/256"), -4);
  EXPECT_EQ(value("-{n}//256"), -3);
}

TEST(Expression, BindsAsInArithmetic) {
  EXPECT_EQ(value("2+3*4"), 14);
  EXPECT_EQ(value("(2+3)*4"), 20);
  EXPECT_EQ(value("10-3-2"), 5);     // from the left, not 9
  EXPECT_EQ(value("100/10*2"), 20);  // from the left, not 5
  EXPECT_EQ(value("2*3^2"), 18);
  EXPECT_EQ(value("2^3^2"), 512);  // powers from the right
  EXPECT_EQ(value("-2^2"), -4);
  EXPECT_EQ(value(" ( {n} + {m} ) * 2 "), 2014);
}

TEST(Expression, SuffixesArePowersOf1024) {
  EXPECT_EQ(value("4Ki"), 4096);
  EXPECT_EQ(value("2Mi"), 2 << 20);
  EXPECT_EQ(value("1Gi*8"), std::int64_t{8} << 30);
}

TEST(Expression, NamesEachAxisOnce) {
  EXPECT_THAT(Expression("x", "{m}*{n}+{m}").axes(), ElementsAre("m", "n"));
  EXPECT_THAT(axes_in("x", "-DT={t} -DU={u}"), ElementsAre("t", "u"));
  EXPECT_EQ(with_axes("f<{n},{m},{n}>", point), "f<1000,7,1000>");
}

TEST(Expression, WhatIsWrongIsShown) {
  EXPECT_THAT(refusal("{n}/"), HasSubstr("--grid: '{n}/'"));
  for (const char* text : {"", "n", "1.5", "{n", "{}", "(1", "1)", "2**3", "1 2", "4ki"}) {
    EXPECT_THAT(refusal(text), HasSubstr("whole-number expression")) << text;
  }
  EXPECT_THAT(refusal("{n}/{zero}"), HasSubstr("divides by zero at n=1000"));
  EXPECT_THAT(refusal("{n}//{zero}"), HasSubstr("divides by zero"));
  EXPECT_THAT(refusal("2^(0-1)"), HasSubstr("negative exponent"));
  EXPECT_THAT(refusal("{other}"), HasSubstr("other"));
}

TEST(Expression, NeverWrapsAround) {  // a product that wrapped would allocate, or count, a plausible wrong size
  EXPECT_EQ(value("2^62"), std::int64_t{1} << 62);
  EXPECT_EQ(value("1^(2^62)"), 1);  // and does not loop 2^62 times
  EXPECT_EQ(value("(0-1)^(2^62+1)"), -1);
  for (const char* text : {"2^63", "2^31*2^32", "2^62+2^62", "9223372036854775808", "16Gi*1Gi", "0-2^62-2^62-1"}) {
    EXPECT_THAT(refusal(text), HasSubstr("63 bits")) << text;
  }
}

TEST(Expression, ARangeIsHeld) {
  EXPECT_EQ(Expression("--block", "{m}").value(point, 1, 7), 7);
  EXPECT_THROW((void)Expression("--block", "{m}").value(point, 1, 6), UsageError);
  EXPECT_THROW((void)Expression("--block", "{zero}").value(point, 1, 6), UsageError);
}

TEST(Expression, DeepNestingIsRefusedRatherThanCrashing) {
  EXPECT_THAT(refusal(std::string(100'000, '(')), HasSubstr("nested"));
  EXPECT_THAT(refusal(std::string(100'000, '-') + "1"), HasSubstr("nested"));
}

}  // namespace
}  // namespace warpclock
