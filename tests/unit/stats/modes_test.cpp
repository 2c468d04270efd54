// Wrong numbers these catch: the bare median of two modes, and modes made of noise or of timer steps.
#include "stats/modes.hpp"

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <string>

#include "core/errors.hpp"
#include "streams.hpp"

namespace warpclock {
namespace {

using Draw = std::function<double(test::Streams&)>;

/// Part of `runs` seeded runs of n samples in which the number of modes is not `expected`.
double wrong(const Draw& draw, std::size_t n, double step, std::size_t expected, int runs = 500) {
  test::Streams streams(21);
  int count = 0;
  for (int run = 0; run < runs; ++run) {
    std::vector<double> x(n);
    for (double& v : x) v = draw(streams);
    count += modes(x, step).size() != expected;
  }
  return static_cast<double>(count) / runs;
}

double two_modes(test::Streams& s, double first_share) {
  return (s.uniform() < first_share ? 100 : 102) + 0.2 * s.normal();  // 2 % apart, spread 0.2 %
}

TEST(Modes, TwoPercentApartAreTwoWithTheirCentresAndShares) {
  test::Streams streams(22);
  std::vector<double> x(200);
  for (double& v : x) v = two_modes(streams, 0.7);
  const auto m = modes(x);
  ASSERT_EQ(m.size(), 2U);
  EXPECT_NEAR(m[0].center, 100, 0.1);
  EXPECT_NEAR(m[1].center, 102, 0.1);
  EXPECT_NEAR(m[0].share, 0.7, 0.1);
  EXPECT_DOUBLE_EQ(m[0].share + m[1].share, 1);
}

TEST(Modes, ThreeAreThree) {
  EXPECT_LE(wrong([](auto& s) { return 100 + 2 * std::floor(3 * s.uniform()) + 0.2 * s.normal(); }, 300, 0, 3, 200),
            0.02);
}

TEST(Modes, AreFoundInNearlyEveryRun) {
  const Draw equal = [](auto& s) { return two_modes(s, 0.5); };
  EXPECT_LE(wrong(equal, 30, 0, 2), 0.10);
  EXPECT_LE(wrong(equal, 60, 0, 2), 0.02);
  EXPECT_LE(wrong(equal, 1000, 0, 2, 200), 0.01);
  EXPECT_LE(wrong([](auto& s) { return two_modes(s, 0.8); }, 200, 0, 2), 0.02);
}

TEST(Modes, AreFoundOnTheGridOfTheTimer) {
  const Draw draw = [](auto& s) { return test::quantised(200 * two_modes(s, 0.5), 32); };  // 20.0 and 20.4 us
  EXPECT_LE(wrong(draw, 100, 32, 2), 0.02);
}

TEST(Modes, NoiseHasOne) {
  const std::vector<std::pair<std::string, Draw>> shapes{
      {"normal", [](auto& s) { return s.normal(); }},
      {"exponential", [](auto& s) { return s.exponential(); }},
      {"uniform", [](auto& s) { return s.uniform(); }},
      {"log-normal", [](auto& s) { return std::exp(s.normal()); }},
      {"Cauchy", [](auto& s) { return s.normal() / s.normal(); }},
  };
  for (const auto& [name, draw] : shapes) {
    for (const std::size_t n : {20U, 50U, 100U, 400U, 1000U}) EXPECT_LT(wrong(draw, n, 0, 1), 0.02) << name << ' ' << n;
  }
}

// 2 to 4 distinct values at a spread of 6 to 30 ns: each of them is a peak of the histogram with empty space around it.
TEST(Modes, StepsOfTheTimerAreNotModes) {
  for (const double spread : {6.0, 15.0, 30.0, 100.0}) {
    for (const std::size_t n : {20U, 50U, 200U, 1000U}) {
      const Draw normal = [=](auto& s) { return test::quantised(2500 + spread * s.normal(), 32); };
      const Draw skewed = [=](auto& s) { return test::quantised(2500 + spread * s.exponential(), 32); };
      EXPECT_LT(wrong(normal, n, 32, 1), 0.02) << spread << ' ' << n;
      EXPECT_LT(wrong(skewed, n, 32, 1), 0.02) << spread << ' ' << n;
    }
  }
}

TEST(Modes, OfConstantInputAreOneWithEverything) {
  for (const double step : {0.0, 32.0}) {
    const auto m = modes(std::vector<double>(100, 5.0), step);
    ASSERT_EQ(m.size(), 1U);
    EXPECT_EQ(m[0].center, 5);
    EXPECT_EQ(m[0].share, 1);
  }
}

TEST(Modes, FewOutliersAreTail) {
  std::vector<double> x(100, 5.0);
  for (std::size_t i = 0; i < 4; ++i) x[i] = 500;
  EXPECT_EQ(modes(x, 1).size(), 1U);
}

TEST(Modes, RefuseANegativeStep) { EXPECT_THROW(static_cast<void>(modes(std::array{1.0}, -1)), UsageError); }

}  // namespace
}  // namespace warpclock
