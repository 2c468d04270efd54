// Wrong numbers these catch: a measurement that never ends, ends on luck, or costs more than the kernel (case F100).
#include "stats/stopping.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <limits>

#include "core/errors.hpp"
#include "streams.hpp"

namespace warpclock {
namespace {

constexpr std::size_t budget = 1'000'000;

struct End {
  std::optional<StopReason> reason;
  std::size_t samples = 0;
};

End run(StopRule rule, const std::function<double(std::size_t)>& stream, std::size_t most = budget) {
  Stopping stopping(rule);
  while (!stopping.verdict() && stopping.count() < most) stopping.add(stream(stopping.count()));
  return {stopping.verdict(), stopping.count()};
}

TEST(F100, ConstantAndAllZeroStreamsEndAtTheMinimum) {
  for (const double value : {2496.0, 0.0, -1.0}) {
    const auto end = run({}, [=](std::size_t) { return value; });
    EXPECT_EQ(end.reason, StopReason::precision) << value;
    EXPECT_EQ(end.samples, 20U) << value;
  }
}

TEST(F100, OneSampleOfAConstantStreamIsNotEnoughForALevel) {
  StopRule rule;
  rule.min_samples = 1;
  const auto end = run(rule, [](std::size_t) { return 1.0; });
  EXPECT_EQ(end.reason, StopReason::precision);
  EXPECT_EQ(end.samples, 6U);  // the first size at which [min, max] has 95 %
}

TEST(F100, HeavyTailsEndOnThePrecisionOfTheMedian) {
  test::Streams streams(61);
  const auto end = run({}, [&](std::size_t) { return 10 + streams.normal() / streams.normal(); });
  EXPECT_EQ(end.reason, StopReason::precision);
  // (1.96 x pi/2 / 0.05)^2 = 3790 for independent samples; the mean of such a stream never settles.
  EXPECT_GT(end.samples, 1000U);
  EXPECT_LT(end.samples, 10'000U);
}

TEST(F100, DriftEndsOnThePlateau) {
  test::Streams streams(62);
  const auto end = run({}, [&](std::size_t i) { return 100 + 0.05 * static_cast<double>(i) + streams.normal(); });
  EXPECT_EQ(end.reason, StopReason::plateau);
  EXPECT_LT(end.samples, 2000U);
}

TEST(F100, FixedNumberIsTakenWhateverTheIntervalSays) {
  StopRule rule;
  rule.samples = budget;
  const auto end = run(
      rule, [](std::size_t) { return 0.0; }, 2 * budget);
  EXPECT_EQ(end.reason, StopReason::samples);
  EXPECT_EQ(end.samples, budget);
}

// The worst case: no reason ever holds, so every look of the grid is taken. A relation inside one run, no absolute
// time: four times the samples may cost 4 x as long (n log n), a quadratic rule 16 x.
TEST(F100, CostGrowsWithTheSamplesAndNotWithTheirSquare) {
  const auto seconds = [](std::size_t n) {
    test::Streams streams(63);
    std::vector<double> x(n);
    double level = 0;
    for (double& v : x) v = level += 1e-3 * streams.normal() + 1e-4;
    StopRule rule;
    rule.precision = 0;
    rule.plateau = 0;
    rule.min_samples = n / 100;
    Stopping stopping(rule);
    const auto start = std::chrono::steady_clock::now();
    for (const double v : x) stopping.add(v);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  EXPECT_LT(seconds(budget) / seconds(budget / 4), 10);
}

TEST(Stopping, StopsOnceTheIntervalIsAsNarrowAsAsked) {
  test::Streams streams(64);
  StopRule rule;
  Stopping stopping(rule);
  while (!stopping.verdict()) stopping.add(100 + 2 * streams.normal());
  EXPECT_EQ(stopping.verdict(), StopReason::precision);
  EXPECT_LE(stopping.current().relative_half_width(), rule.precision);
  EXPECT_GT(stopping.count(), 60U);  // (1.96 x 1.25 x 2 / 0.5)^2 = 96
}

TEST(Stopping, DependentSamplesNeedMoreOfThem) {
  const auto needed = [](double rho) {
    auto x = test::Streams(65).chain(100'000, rho);
    return run({}, [&](std::size_t i) { return 100 + 2 * x[i]; }).samples;
  };
  EXPECT_GT(needed(0.8), 3 * needed(0));
}

TEST(Stopping, IntervalBelowTheTimerStepEndsOnResolution) {
  test::Streams streams(66);
  StopRule rule;
  rule.step = 32;
  rule.precision = 1e-6;
  const auto end = run(rule, [&](std::size_t) { return test::quantised(2512 + 20 * streams.normal(), 32); });
  EXPECT_EQ(end.reason, StopReason::resolution);
}

// Two thirds of the samples lie on one value; looking at the median alone would stop at n = 1.
TEST(Stopping, NeverBeforeTheMinimum) {
  StopRule rule;
  rule.min_samples = 77;
  EXPECT_EQ(run(rule, [](std::size_t i) { return i % 3 == 0 ? 2.0 : 1.0; }).samples, 77U);
}

// Looking 30 times must not make the interval at the end cover less: peeking on significance would double the misses.
TEST(Stopping, IntervalAtTheEndStillCovers) {
  int inside = 0;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    test::Streams streams(seed);
    Stopping stopping({.precision = 0.01});
    while (!stopping.verdict()) stopping.add(100 + 4 * streams.normal());
    const auto e = stopping.current();
    inside += e.low <= 100 && 100 <= e.high;
  }
  EXPECT_GE(inside, 925);
}

TEST(Stopping, VerdictStaysWhateverComesAfterIt) {
  Stopping stopping({});
  for (int i = 0; i < 20; ++i) stopping.add(1);
  for (int i = 0; i < 100; ++i) stopping.add(i);
  EXPECT_EQ(stopping.verdict(), StopReason::precision);
  EXPECT_EQ(stopping.count(), 120U);
}

TEST(Stopping, RefusesRulesAndSamplesThatMeanNothing) {
  EXPECT_THROW(Stopping({.precision = -1}), UsageError);
  EXPECT_THROW(Stopping({.level = 95}), UsageError);
  EXPECT_THROW(Stopping({.step = -32}), UsageError);
  EXPECT_THROW(Stopping({.samples = 0}), UsageError);
  Stopping stopping({});
  EXPECT_THROW(stopping.add(std::numeric_limits<double>::quiet_NaN()), UsageError);
  EXPECT_THROW(static_cast<void>(stopping.current()), UsageError);
}

}  // namespace
}  // namespace warpclock
