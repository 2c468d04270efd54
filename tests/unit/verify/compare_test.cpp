// Comparison of outputs with a reference.
#include "verify/compare.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "core/errors.hpp"

namespace warpclock {
namespace {

using testing::HasSubstr;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(Compare, ErrorsAreRelativeToTheLargerOfElementAndScale) {
  // Root mean square of {3, 4, 0, 0} is 2.5: the error 0.25 at a zero is 0.1, the error 0.5 at the 4 is 0.125.
  EXPECT_DOUBLE_EQ(compare(std::vector{3.0, 4.0, 0.25, 0.0}, std::vector{3.0, 4.0, 0.0, 0.0}, 1).max_error, 0.1);
  EXPECT_DOUBLE_EQ(compare(std::vector{3.0, 4.5, 0.0, 0.0}, std::vector{3.0, 4.0, 0.0, 0.0}, 1).max_error, 0.125);
}

TEST(Compare, TheToleranceItselfStillPasses) {
  const std::vector want{1.0, 1.0};
  EXPECT_EQ(compare(std::vector{1.0, 1.25}, want, 0.25).state, Check::State::passed);
  EXPECT_EQ(compare(std::vector{1.0, 1.26}, want, 0.25).state, Check::State::failed);
  EXPECT_EQ(compare(want, want, 0).state, Check::State::passed);
}

// With a plain `error > tolerance` NaN passes, and so does a kernel that writes nothing.
TEST(Compare, NanNeverPassesOnEitherSide) {
  EXPECT_EQ(compare(std::vector{nan, 1.0}, std::vector{1.0, 1.0}, 1e9).state, Check::State::failed);
  EXPECT_EQ(compare(std::vector{1.0, 1.0}, std::vector{nan, 1.0}, 1e9).state, Check::State::failed);
  EXPECT_EQ(compare(std::vector{nan}, std::vector{nan}, 1e9).state, Check::State::failed);
}

TEST(Compare, AnInfinityPassesOnlyAgainstTheSameOne) {
  EXPECT_EQ(compare(std::vector{infinity, 1.0}, std::vector{infinity, 1.0}, 0).state, Check::State::passed);
  EXPECT_EQ(compare(std::vector{-infinity, 1.0}, std::vector{infinity, 1.0}, 1e9).state, Check::State::failed);
  EXPECT_EQ(compare(std::vector{infinity, 1.0}, std::vector{1.0, 1.0}, 1e9).state, Check::State::failed);
  EXPECT_EQ(compare(std::vector{1.0, 1.0}, std::vector{infinity, 1.0}, 1e9).state, Check::State::failed);
}

// All zeros have no scale: anything but a zero is wrong then, and nothing divides zero by zero into a pass.
TEST(Compare, AgainstZerosOnlyZerosPass) {
  EXPECT_EQ(compare(std::vector{0.0, -0.0}, std::vector{0.0, 0.0}, 1e-3).state, Check::State::passed);
  EXPECT_EQ(compare(std::vector{0.0, 1e-30}, std::vector{0.0, 0.0}, 1e-3).state, Check::State::failed);
}

TEST(Compare, NamesTheFirstWrongElementAndCountsThem) {
  const auto check = compare(std::vector{1.0, 5.0, 7.0}, std::vector{1.0, 1.0, 1.0}, 0.1);
  EXPECT_EQ(check.detail, "element 1: got 5, want 1; 2 of 3 elements compared are wrong");
}

TEST(Compare, NothingToCompareIsNoPass) {
  EXPECT_EQ(compare({}, {}, 1).state, Check::State::unchecked);
  EXPECT_THROW((void)compare(std::vector{1.0}, {}, 1), UsageError);
}

TEST(Compare, PiecesAddUpToTheWhole) {
  Comparison pieces(1, 0.1);
  pieces.add(0, std::vector{1.0, 1.0}, std::vector{1.0, 1.0});
  pieces.add(2, std::vector{1.0, 3.0}, std::vector{1.0, 1.0});
  EXPECT_THAT(pieces.result().detail, HasSubstr("element 3:"));
  EXPECT_THAT(pieces.result().detail, HasSubstr("1 of 4"));
}

}  // namespace
}  // namespace warpclock
