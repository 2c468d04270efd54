#include "analyse/roofline.hpp"

#include <gtest/gtest.h>

namespace warpclock {
namespace {

// F116: an unknown GPU that falls through to another one's row gives a confident, wrong SOL.
TEST(PeakTable, MatchesTheExactDeviceOnly) {
  EXPECT_FALSE(nominal_peaks("NVIDIA H200").empty());
  EXPECT_FALSE(nominal_peaks("NVIDIA H200 NVL").empty());
  EXPECT_TRUE(nominal_peaks("NVIDIA H20").empty());
  EXPECT_TRUE(nominal_peaks("NVIDIA H200 MIG 1g.18gb").empty());
  EXPECT_TRUE(nominal_peaks("").empty());
}

TEST(PeakTable, GivesDenseRatesWithTheirSource) {
  double bf16 = 0, memory = 0;
  for (const auto& peak : nominal_peaks("NVIDIA H200")) {
    EXPECT_FALSE(peak.source.empty());
    if (peak.resource == "bf16") bf16 = peak.value;
    if (peak.resource == "memory") memory = peak.value;
  }
  EXPECT_NEAR(bf16, 989, 1);  // the sparse rate would be 1979
  EXPECT_EQ(memory, 4800);
}

// rate = SMs x flops per clock and SM x clock: a wrong clock or a sparse rate breaks this.
TEST(PeakTable, TheRateOfTheH200FollowsFromItsClock) {
  for (const auto& peak : nominal_peaks("NVIDIA H200")) {
    if (peak.resource == "bf16") {
      EXPECT_NEAR(132 * 4096 * peak.clock_mhz * 1e6, peak.value * 1e12, 0.005 * peak.value * 1e12);
    }
    if (peak.resource == "memory") {
      EXPECT_EQ(peak.clock_mhz, 0);
    }
  }
}

Roofline example() {
  return {.peaks = {{"memory", 1000, "GB/s", 0, "table"}, {"bf16", 100, "TFLOP/s", 1000, "table"}}};
}

TEST(SpeedOfLight, TakesTheHigherFloor) {
  // 1e6 bytes at 1000 GB/s: 1 us. 2e8 flops at 100 TFLOP/s: 2 us.
  const Work work{.flops = 2e8, .bytes_read = 6e5, .bytes_written = 4e5, .compute_type = "bf16"};
  const auto compute = speed_of_light(work, 4000, example(), true, {});
  EXPECT_EQ(compute->bound, "compute");
  EXPECT_DOUBLE_EQ(compute->percent, 50);
  const Work skinny{.flops = 2e7, .bytes_read = 6e5, .bytes_written = 4e5, .compute_type = "bf16"};
  const auto memory = speed_of_light(skinny, 4000, example(), true, {});
  EXPECT_EQ(memory->bound, "memory");
  EXPECT_DOUBLE_EQ(memory->percent, 25);
}

// A matmul at 80 % of nominal may be at 94 % of what the chip gave it.
TEST(SpeedOfLight, ScalesTheComputeRoofWithTheClock) {
  const Work work{.flops = 2e8, .bytes_read = 0, .bytes_written = 0, .compute_type = "bf16"};
  const auto sol = speed_of_light(work, 2500, example(), true, 850.0);
  EXPECT_DOUBLE_EQ(sol->percent, 80);
  EXPECT_NEAR(*sol->percent_at_clock, 94.1, 0.05);
}

TEST(SpeedOfLight, WarmOperandsHaveNoMemoryRoof) {
  const Work work{.flops = 0, .bytes_read = 1e6, .bytes_written = 0, .compute_type = ""};
  EXPECT_TRUE(speed_of_light(work, 4000, example(), true, {}));
  EXPECT_FALSE(speed_of_light(work, 4000, example(), false, {}));
}

// F116: the TF32 peak for BF16 work is wrong by a factor of two. No row, no SOL.
TEST(SpeedOfLight, NeverTakesThePeakOfAnotherType) {
  const Work work{.flops = 2e8, .bytes_read = 0, .bytes_written = 0, .compute_type = "fp8"};
  EXPECT_FALSE(speed_of_light(work, 4000, example(), true, {}));
}

TEST(Ceilings, BetweenTwoMixesTheTimesAddUp) {
  const Roofline roofline{.ceilings = {{0, 100, "fill"}, {0.5, 50, "copy"}, {1, 200, "read"}}};
  EXPECT_DOUBLE_EQ(ceiling_for(roofline, 0.5)->gb_per_s, 50);
  EXPECT_DOUBLE_EQ(ceiling_for(roofline, 0.75)->gb_per_s, 80);  // 1 / (0.5/50 + 0.5/200)
  EXPECT_DOUBLE_EQ(ceiling_for(roofline, 0)->gb_per_s, 100);
  EXPECT_FALSE(ceiling_for({}, 0.5));
}

TEST(Ceilings, StandInWhereNoMemoryPeakIsKnown) {
  const Roofline roofline{.ceilings = {{1, 200, "measured: read"}}};
  const Work work{.flops = 0, .bytes_read = 1e6, .bytes_written = 0, .compute_type = ""};
  const auto sol = speed_of_light(work, 10'000, roofline, true, {});
  EXPECT_DOUBLE_EQ(sol->percent, 50);
  EXPECT_EQ(sol->source, "measured: read");
}

}  // namespace
}  // namespace warpclock
