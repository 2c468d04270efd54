// A sweep that loses, doubles or reorders points puts numbers under the wrong sizes.
#include "plan/sweep.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "core/errors.hpp"

namespace warpclock {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

AxisSpec axis(const std::string& name, std::vector<AxisValue> defaults, std::vector<std::string> choices = {}) {
  AxisSpec spec;
  spec.name = name;
  spec.defaults = std::move(defaults);
  spec.choices = std::move(choices);
  return spec;
}

AxisValue number(std::int64_t n) { return n; }

std::vector<SweepBenchmark> suite() {
  return {{"add", {axis("n", {number(1024), number(2048)})}},
          {"gemm", {axis("M", {number(2)}), axis("N", {number(128)}), axis("dtype", {"bf16"}, {"bf16", "fp32"})}},
          {"empty", {}}};
}

std::vector<std::string> labels(const std::vector<SweepItem>& items) {
  std::vector<std::string> out;
  std::transform(items.begin(), items.end(), std::back_inserter(out), label);
  return out;
}

std::vector<std::string> labels(const std::vector<Point>& points) {
  std::vector<std::string> out;
  for (const auto& point : points) out.push_back(to_string(point));
  return out;
}

template <class Call>
std::string refusal(const Call& call) {
  try {
    call();
  } catch (const UsageError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Points, LastAxisRunsFastestInDeclaredOrderWhateverTheOrderOfTheOverrides) {
  const auto gemm = suite()[1].axes;
  EXPECT_THAT(
      labels(points(gemm, {{"dtype", "fp32,bf16"}, {"M", "1,2"}})),
      ElementsAre("M=1 N=128 dtype=fp32", "M=1 N=128 dtype=bf16", "M=2 N=128 dtype=fp32", "M=2 N=128 dtype=bf16"));
}

TEST(Points, DefaultsStandWhereNothingIsOverridden) {
  EXPECT_THAT(labels(points(suite()[0].axes, {{"M", "7"}})), ElementsAre("n=1024", "n=2048"));
  EXPECT_EQ(points({}, {}).size(), 1U);
  EXPECT_TRUE(points({}, {}).front().values.empty());
}

TEST(Points, RefusesAnAxisGivenTwiceAndOneWithoutAnyValue) {
  EXPECT_EQ(refusal([] {
              static_cast<void>(points(suite()[0].axes, {{"n", "1"}, {"n", "2"}}));
            }),
            "--axis n is given twice; write --axis n=1,2");
  EXPECT_THAT(refusal([] { static_cast<void>(points({axis("n", {})}, {})); }), HasSubstr("axis 'n' has no default"));
}

// A product that wraps around would give a short plan without a word.
TEST(Points, RefusesMoreThanAMillionInsteadOfOverflowing) {
  const std::vector<AxisSpec> wide{axis("a", {number(1)}), axis("b", {number(1)}), axis("c", {number(1)}),
                                   axis("d", {number(1)})};
  const auto message = refusal([&] {
    static_cast<void>(points(wide, {{"a", "1..65536"}, {"b", "1..65536"}, {"c", "1..65536"}, {"d", "1..65536"}}));
  });
  EXPECT_THAT(message, HasSubstr("more than 1000000 points; give axis 'b'"));
  EXPECT_EQ(points(wide, {{"a", "1..100"}, {"b", "1..100"}}).size(), 10'000U);
}

TEST(Sweep, AnAxisAppliesToTheKernelsThatHaveIt) {
  EXPECT_THAT(labels(sweep(suite(), {{{"n", "8"}}, "", Order::given, 1})),
              ElementsAre("add n=8", "gemm M=2 N=128 dtype=bf16", "empty"));
}

TEST(Sweep, AnAxisThatNoKernelHasIsAnErrorWithTheNearestName) {
  EXPECT_EQ(refusal([] {
              static_cast<void>(sweep(suite(), {{{"dtpye", "bf16"}}, "", Order::given, 1}));
            }),
            "--axis dtpye: no kernel of this run has such an axis; did you mean 'dtype'?");
  EXPECT_EQ(refusal([] {
              static_cast<void>(sweep({suite()[0]}, {{{"rows", "1"}}, "", Order::given, 1}));
            }),
            "--axis rows: 'add' has no such axis; known: n");
}

TEST(Sweep, FilterKeepsWhatMatchesTheLabel) {
  EXPECT_THAT(labels(sweep(suite(), {{}, "^add n=2", Order::given, 1})), ElementsAre("add n=2048"));
  EXPECT_THAT(labels(sweep(suite(), {{}, "gemm.*bf16|empty", Order::given, 1})),
              ElementsAre("gemm M=2 N=128 dtype=bf16", "empty"));
}

TEST(Sweep, FilterThatMatchesNothingOrIsMalformedIsAnError) {
  EXPECT_EQ(refusal([] {
              static_cast<void>(sweep(suite(), {{}, "sub", Order::given, 1}));
            }),
            "--filter: no point matches 'sub'; labels read 'add n=1024'");
  EXPECT_THAT(refusal([] {
                static_cast<void>(sweep(suite(), {{}, "(", Order::given, 1}));
              }),
              HasSubstr("--filter: '(' is not a regular expression"));
}

std::vector<SweepItem> numbered(int count) {
  std::vector<SweepItem> out;
  for (int i = 0; i < count; ++i) out.push_back({std::to_string(i), {}});
  return out;
}

// The order of a published run must come back with any compiler. The mapping is written out again here; numbers are
// passed over with a chance below 1e-18 a swap, so that part is left out.
TEST(Shuffle, IsTheDocumentedMapping) {
  auto items = numbered(10);
  shuffle(items, 1);
  std::vector<int> expected{0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  std::mt19937_64 random(1);
  for (std::size_t i = 9; i > 0; --i) std::swap(expected[i], expected[random() % (i + 1)]);
  std::vector<std::string> words;
  for (const auto i : expected) words.push_back(std::to_string(i));
  EXPECT_EQ(labels(items), words);
}

TEST(Shuffle, SameSeedSameOrderOtherSeedOtherOrderAndNothingIsLost) {
  auto first = numbered(100), again = first, other = first;
  shuffle(first, 7);
  shuffle(again, 7);
  shuffle(other, 8);
  EXPECT_EQ(first, again);
  EXPECT_NE(first, other);
  EXPECT_NE(first, numbered(100));
  const auto words = labels(first);
  EXPECT_EQ(std::set<std::string>(words.begin(), words.end()).size(), 100U);
}

// A naive shuffle (swap with any of n) favours some orders: 27 equally likely ways cannot fill 6 orders evenly.
TEST(Shuffle, EveryOrderOfThreeIsEquallyLikely) {
  std::map<std::string, int> seen;
  for (std::uint64_t seed = 0; seed < 6000; ++seed) {
    auto items = numbered(3);
    shuffle(items, seed);
    ++seen[labels(items)[0] + labels(items)[1] + labels(items)[2]];
  }
  ASSERT_EQ(seen.size(), 6U);
  // Binomial, n = 6000, p = 1/6: sd 29. The naive one gives 4/27 or 5/27 of 6000, 889 or 1111.
  for (const auto& [order, times] : seen) EXPECT_NEAR(times, 1000, 90) << order;
}

TEST(Shuffle, ShortListsAreLeftAlone) {
  std::vector<SweepItem> none;
  shuffle(none, 1);
  auto one = numbered(1);
  shuffle(one, 1);
  EXPECT_EQ(one, numbered(1));
}

TEST(Sweep, RandomOrderShufflesOverTheWholePlan) {
  const SweepRequest request{{{"n", "1..50"}, {"M", "1..50"}}, "", Order::random, 3};
  const auto order = labels(sweep(suite(), request));
  const auto adds =
      std::count_if(order.begin(), order.begin() + 50, [](const auto& l) { return l.starts_with("add"); });
  EXPECT_GT(adds, 5);  // both kernels occur in each half
  EXPECT_LT(adds, 45);
  EXPECT_EQ(order, labels(sweep(suite(), request)));
}

std::vector<std::string> full_labels(const std::vector<SweepItem>& items) {
  std::vector<std::string> out;
  for (const auto& item : items) out.push_back(full_label(item));
  return out;
}

// A burst after every sustained point would wait a second for the chip to cool, once a point.
TEST(Sweep, BothRegimesPutAllBurstsFirst) {
  SweepRequest request{{{"n", "1,2"}}};
  request.regime = Regime::both;
  EXPECT_THAT(full_labels(sweep({suite()[0]}, request)),
              ElementsAre("add n=1", "add n=2", "add n=1, sustained", "add n=2, sustained"));
  request.regime = Regime::sustained;
  EXPECT_THAT(full_labels(sweep({suite()[0]}, request)), ElementsAre("add n=1, sustained", "add n=2, sustained"));
}

TEST(Sweep, EveryPointComesAtEachClockAndTheClockChangesSeldom) {
  SweepRequest request{{{"n", "1,2"}}, "", Order::random, 5};
  request.clocks_mhz = {1200, 1980};
  const auto items = sweep({suite()[0]}, request);
  ASSERT_EQ(items.size(), 4U);
  EXPECT_EQ(items[0].lock_clock_mhz, items[1].lock_clock_mhz);
  EXPECT_EQ(items[2].lock_clock_mhz, items[3].lock_clock_mhz);
  EXPECT_NE(full_label(items[0]).find(", 1200 MHz"), std::string::npos);
}

// Work that grows with the square of the points (1e10 steps here) would run into the time limit of the tests.
TEST(Sweep, AHundredThousandPointsArePlanned) {
  const auto items = sweep({suite()[0]}, {{{"n", "1..100000"}}, "", Order::random, 1});
  EXPECT_EQ(items.size(), 100'000U);
}

}  // namespace
}  // namespace warpclock
