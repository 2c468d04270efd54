// Launches put together into calls. A kernel of one call counted in the next one is a time that no call had.
#include "crosscheck/ncu_point.hpp"

#include <gmock/gmock.h>

#include "core/errors.hpp"

namespace warpclock {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

NcuKernel launch(const std::string& name, double ns) {
  return {
      .name = name, .time_ns = ns, .cycles = 2 * ns, .clock_mhz = 1500, .dram_read_bytes = 10, .dram_written_bytes = 1};
}

TEST(NcuPoint, OneKernelACall) {
  const auto point = into_calls({launch("k", 30), launch("k", 10), launch("k", 20)}, 3);
  EXPECT_THAT(point.kernels, ElementsAre("k"));
  EXPECT_EQ(point.time_ns.value, 20);
  EXPECT_EQ(point.time_ns.low, 10);
  EXPECT_EQ(point.time_ns.high, 30);
  EXPECT_EQ(point.spread_ns(), 20);
  EXPECT_EQ(point.cycles->value, 40);
  EXPECT_EQ(point.clock_mhz->value, 1500);
}

TEST(NcuPoint, KernelsOfACallAreSummedInOrder) {
  auto fast = launch("b", 300);
  fast.clock_mhz = 1900;
  const auto point = into_calls({launch("a", 100), fast, launch("a", 100), fast}, 2);
  EXPECT_THAT(point.kernels, ElementsAre("a", "b"));
  EXPECT_EQ(point.calls.size(), 2U);
  EXPECT_EQ(point.time_ns.value, 400);
  EXPECT_EQ(point.cycles->value, 800);
  EXPECT_EQ(point.clock_mhz->value, 1800);  // (100 x 1500 + 300 x 1900) / 400, by hand
  EXPECT_EQ(point.dram_read_bytes->value, 20);
  EXPECT_EQ(point.dram_written_bytes->value, 2);
}

TEST(NcuPoint, WithoutTheClockColumnItIsCyclesOverTime) {
  auto kernel = launch("k", 1000);
  kernel.clock_mhz.reset();
  kernel.cycles = 1755;
  EXPECT_EQ(into_calls({kernel}, 1).clock_mhz->value, 1755);
}

TEST(NcuPoint, AMetricThatOneLaunchLacksIsNotGivenAtAll) {
  auto gap = launch("k", 10);
  gap.dram_read_bytes.reset();
  const auto point = into_calls({launch("k", 10), gap}, 2);
  EXPECT_FALSE(point.dram_read_bytes);
  EXPECT_TRUE(point.dram_written_bytes);
}

std::string refusal(const std::vector<NcuKernel>& launches, std::uint32_t calls) {
  try {
    (void)into_calls(launches, calls);
  } catch (const DataError& error) {
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return "";
}

TEST(NcuPoint, LaunchesThatAreNoEqualCallsAreRefused) {
  EXPECT_THAT(refusal({}, 5), HasSubstr("0 launches in 5 calls"));
  EXPECT_THAT(refusal({launch("a", 1), launch("a", 1), launch("a", 1)}, 2), HasSubstr("3 launches in 2 calls"));
  EXPECT_THAT(refusal({launch("a", 1), launch("b", 1)}, 2), HasSubstr("do not make the same launches"));
  EXPECT_THAT(refusal({{.name = "a"}}, 1), HasSubstr("n/a"));
}

}  // namespace
}  // namespace warpclock
