// Field cases about clocks, power and regimes on a real GPU. Relations and ratios only; each says which wrong number it
// would catch.
#include <gtest/gtest.h>

#ifdef WARPCLOCK_WITH_CUDA
#include "field_gpu.hpp"

namespace warpclock::field {
namespace {

const std::map<std::string, AxisValue> hot_axes{{"M", number(4096)}, {"N", number(19456)}, {"K", number(2560)}};

Protocol sustained(Nanoseconds soak_time) {
  return with([&](Protocol& p) {
    p.regime = Regime::sustained;
    p.soak_time = soak_time;
  });
}

// Warm runs before cold ones in one process made the cold ones noisier.
TEST_F(FieldCuda, F23ColdReadsTheSameAloneAndAfterWarm) {
  const std::map<std::string, AxisValue> axes{{"n", number(16 << 20)}};
  const double alone = kernel_us(run("read", axes));
  const auto warm = with([](Protocol& p) { p.cache = CacheState::warm; });
  for (int i = 0; i < 3; ++i) {
    static_cast<void>(run("read", axes, warm));
    EXPECT_NEAR(kernel_us(run("read", axes)), alone, 0.01 * alone + 0.1);
  }
}

// One repetition gave 1613 TFLOPS and ten gave less: the harness's flags were part of the figure.
TEST_F(FieldCuda, F32TheHeadlineDoesNotFollowTheNumberOfSamples) {
  const double usual = kernel_us(run("gemm", hot_axes));
  for (const std::uint64_t samples : {5, 100}) {
    const auto result = run("gemm", hot_axes, with([&](Protocol& p) {
                              p.samples = samples;
                              p.max_time = seconds(5);
                            }));
    EXPECT_NEAR(kernel_us(result), usual, 0.03 * usual) << samples;
    EXPECT_EQ(result.conditions.regime, "burst");
  }
}

// Back to back the chip throttles; that is another figure with another name, and its state stands beside it (F41).
TEST_F(FieldCuda, F31F41SustainedIsNamedAndCarriesTheChipsState) {
  const auto burst = run("gemm", hot_axes);
  const auto hot = run("gemm", hot_axes, sustained(seconds(3)));
  EXPECT_EQ(hot.conditions.regime, "sustained");
  EXPECT_GT(hot.conditions.soak_time, seconds(1));
  EXPECT_GE(kernel_us(hot), 0.99 * kernel_us(burst));
  ASSERT_FALSE(hot.telemetry.empty());
  const auto& state = hot.telemetry.back().state;
  if (!state.power_watts) GTEST_SKIP() << "the driver tells no power: " << state.missing.at("power_watts");
  EXPECT_GT(*state.power_watts, 100);
  EXPECT_TRUE(state.temperature_celsius && state.throttle_reasons);
  ASSERT_TRUE(hot.energy) << hot.energy_missing;
  // The power reading lags by a second and falls in the pauses between blocks, so the limit is what bounds both.
  if (!state.power_limit_watts) return;
  const double watts = hot.energy->joules_per_call / (kernel_us(hot) * 1e-6);
  EXPECT_LT(watts, 1.15 * *state.power_limit_watts);
  EXPECT_GT(watts, 0.4 * *state.power_limit_watts);
}

// The clock that is written beside a time has to be the one with which cycles become that time.
TEST_F(FieldCuda, F33TheClockIsThatOfTheCycles) {
  constexpr double cycles = 400'000;
  const auto result = run("cycles", {{"cycles", number(static_cast<std::int64_t>(cycles))}});
  ASSERT_TRUE(result.effective_clock.mhz) << result.effective_clock.missing;
  EXPECT_NEAR(cycles / kernel_us(result), result.effective_clock.mhz->value, 0.01 * result.effective_clock.mhz->value);
}

// Sleeping between calls lets a chip clock down: the time must not move, or the clock beside it has to say so.
TEST_F(FieldCuda, F35IdleGapsDoNotChangeTheTimeUnseen) {
  constexpr std::uint64_t cycles = 40'000;
  const auto sleeping = [](Nanoseconds gap) {
    return run(
        [gap] {
          device().host_wait(gap);
          stream().launch_cycles(cycles);
        },
        with([](Protocol& p) { p.samples = 20; }));
  };
  const auto without = sleeping(Nanoseconds{0});
  for (const double ms : {0.05, 1.0, 10.0, 100.0}) {
    const auto with_gap = sleeping(milliseconds(ms));
    const double slower = kernel_us(with_gap) / kernel_us(without) - 1;
    const bool seen = with_gap.effective_clock.mhz &&
                      with_gap.effective_clock.mhz->value < 0.99 * without.conditions.reference_clock_mhz.value_or(0);
    EXPECT_TRUE(std::abs(slower) < 0.01 || seen) << ms << " ms: " << 100 * slower << " %";
  }
}

// Requested, current and largest clock are three things; what was not asked for is null with a reason.
TEST_F(FieldCuda, F40ClocksAreSeparateFields) {
  const auto state = device().telemetry();
  for (const auto& field : telemetry_fields()) {
    if (field.find("requested") != std::string::npos) {
      EXPECT_FALSE(state.missing.at(field).empty());
    }
  }
  EXPECT_FALSE(state.sm_clock_requested_mhz);
  if (state.sm_clock_mhz && state.sm_clock_max_mhz) {
    EXPECT_LE(*state.sm_clock_mhz, 1.01 * *state.sm_clock_max_mhz);
  }
}

// Zeros run faster since they draw less power; the cycles of the work are the same.
TEST_F(FieldCuda, F42CyclesDoNotFollowTheData) {
  const auto normal = run("gemm", hot_axes);
  const auto zeros = run("gemm", hot_axes, with([](Protocol& p) { p.data = Data::zeros; }));
  ASSERT_TRUE(normal.cycles_per_call && zeros.cycles_per_call) << normal.effective_clock.missing;
  EXPECT_NEAR(*zeros.cycles_per_call / *normal.cycles_per_call, 1, 0.03);
}

// A tuning session before it changed what a benchmark read.
TEST_F(FieldCuda, F118TheProcesssHistoryDoesNotShow) {
  const std::map<std::string, AxisValue> axes{{"M", number(2048)}, {"N", number(19456)}, {"K", number(2560)}};
  const double before = kernel_us(run("gemm", axes));
  for (const std::int64_t n : {512, 1024, 2048, 4096, 8192}) {
    static_cast<void>(run("gemm", {{"M", number(n)}, {"N", number(n)}, {"K", number(4096)}}, sustained(seconds(1))));
  }
  EXPECT_NEAR(kernel_us(run("gemm", axes)), before, 0.02 * before);
}

}  // namespace
}  // namespace warpclock::field
#endif
