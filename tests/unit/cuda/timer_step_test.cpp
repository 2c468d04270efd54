#include "backends/cuda/timer_step.hpp"

#include <gtest/gtest.h>

namespace warpclock::cuda {
namespace {

std::vector<Nanoseconds> ns(std::initializer_list<double> values) { return {values.begin(), values.end()}; }

TEST(TimerStep, IsTheSmallestDifferenceOfIntervalsInAnyOrder) {
  EXPECT_EQ(smallest_step(ns({1312, 1248, 1280, 1408})), Nanoseconds{32});
}

TEST(TimerStep, RoundingOfFloatStampsIsNoStep) {  // else the step of a float, 0.1 ns, would be called the timer's
  EXPECT_NEAR(smallest_step(ns({1280.0, 1280.1, 1312.0, 1312.2})).count(), 31.9, 1e-9);
}

TEST(TimerStep, EqualIntervalsShowNone) {  // else a coarse timer would look infinitely fine
  EXPECT_EQ(smallest_step(ns({500, 500, 500})), Nanoseconds{0});
  EXPECT_EQ(smallest_step({}), Nanoseconds{0});
}

}  // namespace
}  // namespace warpclock::cuda
