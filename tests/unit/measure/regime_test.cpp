// Regimes, the effective clock, telemetry and energy on the simulated chip, whose limiter, power and clock are
// scripted: what is reported is compared with what the script says is true.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "measure/measure.hpp"
#include "support/sim_workload.hpp"

namespace warpclock {
namespace {

using testing::fixed_kernel;
using testing::quiet;
using testing::SimWorkload;

constexpr double full_clock = 1980;
constexpr double limited_clock = 1365;  // of the simulated chip while its limiter is engaged
constexpr double sm_flops_per_clock = 4096.0 * 132;

/// A matmul that takes `us` at the full clock and draws all the power there is.
sim::SimKernel hot_kernel(double us) {
  return {.name = "hot", .flops = us * full_clock * sm_flops_per_clock, .compute_type = "bf16", .power = 1.0};
}

double kernel_us(const Measurement& measured) {
  std::vector<double> values;
  for (const auto& sample : measured.samples) {
    if (sample.kernel) values.push_back(sample.kernel->count() / 1e3);
  }
  std::ranges::sort(values);
  return values.empty() ? -1 : values[values.size() / 2];
}

Protocol in(Regime regime) {
  Protocol protocol;
  protocol.regime = regime;
  return protocol;
}

Measurement run(sim::SimDevice& device, const sim::SimKernel& kernel, const Protocol& protocol) {
  Session session(device);
  SimWorkload workload(device, kernel);
  workload.work_ = {.flops = kernel.flops, .compute_type = kernel.compute_type};
  return measure(session, workload, protocol);
}

// F31, F32: one matmul, two answers. A harness that blends them gives a third one that depends on its settings.
TEST(Regime, BurstAndSustainedAreTwoAnswersAndEachIsRight) {
  const auto device = sim::make_device(quiet());
  const auto burst = run(*device, hot_kernel(300), in(Regime::burst));
  const auto sustained = run(*device, hot_kernel(300), in(Regime::sustained));
  EXPECT_NEAR(kernel_us(burst), 300, 0.3);
  EXPECT_NEAR(kernel_us(sustained), 300 * full_clock / limited_clock, 0.5);
  EXPECT_EQ(burst.conditions.regime, "burst");
  EXPECT_EQ(sustained.conditions.regime, "sustained");
  EXPECT_TRUE(sustained.conditions.steady);
  EXPECT_GE(sustained.conditions.soak_time, seconds(1));
  EXPECT_EQ(burst.conditions.soak_time, Nanoseconds{0});
}

// F32: the headline must not move with the number of samples or the time that a user allows.
TEST(Regime, BurstDoesNotDependOnHowManySamplesAreTaken) {
  for (const std::uint64_t samples : {5, 30, 300}) {
    const auto device = sim::make_device(quiet());
    auto protocol = in(Regime::burst);
    protocol.samples = samples;
    protocol.max_time = seconds(60);
    EXPECT_NEAR(kernel_us(run(*device, hot_kernel(300), protocol)), 300, 3) << samples;
  }
}

// F23, F118: what ran before in the process must not show. The hot predecessor costs its recovery once, counted apart.
TEST(Regime, BurstAfterASustainedRunIsBurst) {
  const auto device = sim::make_device(quiet());
  Session session(*device);
  SimWorkload hot(*device, hot_kernel(300));
  SimWorkload light(*device, fixed_kernel(microseconds(50)));
  static_cast<void>(measure(session, hot, in(Regime::sustained)));
  const auto after = measure(session, light, in(Regime::burst));
  EXPECT_GT(after.conditions.settle_wait, milliseconds(50));
  EXPECT_LT(after.conditions.settle_wait, seconds(1.5));
  EXPECT_TRUE(after.conditions.settled);
  const auto again = measure(session, light, in(Regime::burst));
  EXPECT_EQ(again.conditions.settle_wait, Nanoseconds{0});  // a light kernel pays nothing for settling
  EXPECT_NEAR(kernel_us(measure(session, hot, in(Regime::burst))), 300, 3);
}

// A process that starts on a chip still hot reads a steady clock too: steady is not recovered.
TEST(Regime, ASessionThatStartsHotWaitsForTheRecoveredClock) {
  const auto device = sim::make_device(quiet());
  for (int i = 0; i < 2000; ++i) device->stream().launch(hot_kernel(300));
  device->stream().synchronize();
  ASSERT_LT(device->true_clock_mhz(), 1500);
  Session session(*device);
  EXPECT_GT(session.reference_clock(), full_clock * 0.98);
}

// A card that never reaches its nominal clock is not waited for at every point.
TEST(Regime, AChipBelowItsNominalClockIsTakenAsItIs) {
  auto config = quiet();
  config.clock_steps = {{Nanoseconds{0}, 1700}};
  const auto device = sim::make_device(config);
  Session session(*device);
  EXPECT_NEAR(session.reference_clock(), 1700, 1);
  SimWorkload workload(*device, fixed_kernel(microseconds(50)));
  const auto measured = measure(session, workload, {});
  EXPECT_EQ(measured.conditions.settle_wait, Nanoseconds{0});
  EXPECT_TRUE(measured.conditions.settled);
}

TEST(Regime, HeatingIsBoundedAndSaysThatItRanOut) {
  const auto device = sim::make_device(quiet());
  auto protocol = in(Regime::sustained);
  protocol.soak_time = milliseconds(400);  // steadiness takes a second to see
  const auto measured = run(*device, hot_kernel(300), protocol);
  EXPECT_FALSE(measured.conditions.steady);
  EXPECT_LT(measured.conditions.soak_time, milliseconds(800));
  EXPECT_FALSE(measured.samples.empty());
}

TEST(Regime, HeatingStopsWhenTheUserDoes) {
  const auto device = sim::make_device(quiet());
  Session session(*device);
  SimWorkload workload(*device, hot_kernel(300));
  bool stop = false;
  const Control control{.interrupted = [&] { return stop; },
                        .progress = [&](const Progress& now) { stop = stop || now.phase == "heating"; }};
  const auto start = device->host_now();
  static_cast<void>(measure(session, workload, in(Regime::sustained), control));
  EXPECT_LT(device->host_now() - start, seconds(1));
}

// NVML's 1980 MHz beside SMs at 1365: the clock of the call is the one that its cycles need.
TEST(EffectiveClock, IsThatOfTheCallAndNotWhatTheLibraryTells) {
  for (const auto source : {ClockSource::sentinel, ClockSource::counters, ClockSource::both}) {
    const auto device = sim::make_device(quiet());
    auto protocol = in(Regime::sustained);
    protocol.effective_clock = source;
    const auto measured = run(*device, hot_kernel(300), protocol);
    ASSERT_TRUE(measured.effective_clock.mhz);
    EXPECT_NEAR(measured.effective_clock.mhz->value, limited_clock, 0.01 * limited_clock);
    EXPECT_EQ(measured.effective_clock.sentinel_mhz.has_value(), source != ClockSource::counters);
    EXPECT_EQ(measured.effective_clock.counters_mhz.has_value(), source != ClockSource::sentinel);
    EXPECT_NEAR(*measured.telemetry.back().state.sm_clock_mhz, full_clock, 1);
  }
}

// F33: clock times time is the number of cycles, whatever regime the chip was in.
TEST(EffectiveClock, CyclesAreTheSameInBothRegimes) {
  constexpr double cycles = 500'000;
  const sim::SimKernel counted{.name = "counted", .cycles = cycles, .power = 1.0};
  for (const auto regime : {Regime::burst, Regime::sustained}) {
    const auto device = sim::make_device(quiet());
    const auto measured = run(*device, counted, in(regime));
    EXPECT_NEAR(kernel_us(measured) * measured.effective_clock.mhz->value, cycles, 0.005 * cycles);
  }
}

TEST(EffectiveClock, FallsBackToTheSentinelAndSaysWhy) {
  auto config = quiet();
  config.meters.counters = false;
  const auto device = sim::make_device(config);
  auto protocol = in(Regime::burst);
  protocol.effective_clock = ClockSource::counters;
  const auto none = run(*device, fixed_kernel(microseconds(50)), protocol);
  EXPECT_FALSE(none.effective_clock.mhz);
  EXPECT_NE(none.effective_clock.missing.find("counters"), std::string::npos);
  protocol.effective_clock = ClockSource::both;
  const auto sentinel = run(*device, fixed_kernel(microseconds(50)), protocol);
  EXPECT_EQ(sentinel.effective_clock.source, "sentinel");
  EXPECT_NE(sentinel.effective_clock.missing.find("counters"), std::string::npos);
}

// A cooperative kernel needs the SM on which the sentinel sits: no clock rather than the clock of waiting.
TEST(EffectiveClock, AStarvedSentinelGivesNoneAndEndsSoon) {
  auto config = quiet();
  config.meters.sentinel_starves = true;
  const auto device = sim::make_device(config);
  auto protocol = in(Regime::burst);
  protocol.effective_clock = ClockSource::sentinel;
  const auto measured = run(*device, fixed_kernel(microseconds(50)), protocol);
  EXPECT_FALSE(measured.effective_clock.mhz);
  EXPECT_NE(measured.effective_clock.missing.find("sentinel"), std::string::npos);
  EXPECT_FALSE(measured.samples.empty());
}

TEST(EffectiveClock, SwitchedOffMetersNothing) {
  const auto device = sim::make_device(quiet());
  auto protocol = in(Regime::burst);
  protocol.effective_clock = ClockSource::off;
  EXPECT_FALSE(run(*device, fixed_kernel(microseconds(50)), protocol).effective_clock.mhz);
}

// The calls of the clock's pass and of the telemetry must not shift what the samples say.
TEST(Telemetry, LeavesTheKernelTimeAlone) {
  std::vector<double> times;
  for (const bool on : {true, false}) {
    const auto device = sim::make_device(quiet());
    auto protocol = in(Regime::burst);
    protocol.telemetry = on;
    protocol.effective_clock = on ? ClockSource::sentinel : ClockSource::off;
    const auto measured = run(*device, hot_kernel(300), protocol);
    EXPECT_EQ(measured.telemetry.empty(), !on);
    times.push_back(kernel_us(measured));
  }
  EXPECT_NEAR(times[0] / times[1], 1, 0.002);
}

// F41: power, temperature and throttling stand beside each block, in the order in which they were read.
TEST(Telemetry, IsKeptForEachBlock) {
  const auto device = sim::make_device(quiet());
  const auto measured = run(*device, hot_kernel(300), in(Regime::sustained));
  ASSERT_GE(measured.telemetry.size(), 3U);  // before, and after a block of each pass
  EXPECT_LT(measured.telemetry.front().at, Nanoseconds{0});
  for (std::size_t i = 1; i < measured.telemetry.size(); ++i) {
    EXPECT_GT(measured.telemetry[i].at, measured.telemetry[i - 1].at);
    EXPECT_GE(*measured.telemetry[i].state.energy_joules, *measured.telemetry[i - 1].state.energy_joules);
  }
  const auto& last = measured.telemetry.back().state;
  EXPECT_GT(*last.power_watts, 500);
  EXPECT_GT(*last.temperature_celsius, 50);
  EXPECT_EQ(*last.throttle_reasons, std::vector<std::string>{"power limit"});
  EXPECT_GT(last.throttle_time->at("power limit"), seconds(1));
}

// Energy of a call is power times its time in a row; the model draws 700 W for the kernel and 80 W for the idle chip.
TEST(Energy, IsPowerTimesTimeWithTheCountersStepBesideIt) {
  const auto device = sim::make_device(quiet());
  const auto measured = run(*device, hot_kernel(300), in(Regime::sustained));
  ASSERT_TRUE(measured.energy.energy);
  const auto& energy = *measured.energy.energy;
  const double kernel_s = 300e-6 * full_clock / limited_clock;
  const double gap_s = 1e-6;  // between kernels in a row
  EXPECT_NEAR(energy.joules_per_call, 700 * kernel_s + 80 * (kernel_s + gap_s), 0.02 * 700 * kernel_s);
  EXPECT_GT(energy.resolution_joules, 0);
  EXPECT_LT(energy.resolution_joules, 0.05 * energy.joules_per_call);
  EXPECT_NEAR(*energy.joules_per_flop, energy.joules_per_call / hot_kernel(300).flops, 1e-20);
  EXPECT_NEAR(static_cast<double>(energy.calls), energy.window / seconds(kernel_s + gap_s), 2);
}

TEST(Energy, IsNoneWithAReasonWhereTheCounterIsMissingOrStandsStill) {
  auto config = quiet();
  config.telemetry.missing = {"energy_joules"};
  const auto silent = run(*sim::make_device(config), hot_kernel(300), in(Regime::sustained));
  EXPECT_FALSE(silent.energy.energy);
  EXPECT_NE(silent.energy.missing.find("script"), std::string::npos);
  config = quiet();
  config.telemetry.step = seconds(30);
  const auto still = run(*sim::make_device(config), hot_kernel(300), in(Regime::sustained));
  EXPECT_FALSE(still.energy.energy);
  EXPECT_NE(still.energy.missing.find("moved"), std::string::npos);
  EXPECT_FALSE(run(*sim::make_device(quiet()), hot_kernel(300), in(Regime::burst)).energy.energy);
}

// F42: the chip draws less power for zeros, so times differ; cycles do not.
TEST(EffectiveClock, CyclesOfHotAndCoolDataAgreeWhileTimesDiffer) {
  std::vector<double> times, cycles;
  for (const double power : {1.0, 0.5}) {
    const auto device = sim::make_device(quiet());
    auto kernel = hot_kernel(300);
    kernel.power = power;
    const auto measured = run(*device, kernel, in(Regime::sustained));
    times.push_back(kernel_us(measured));
    cycles.push_back(times.back() * measured.effective_clock.mhz->value);
  }
  EXPECT_GT(times[0] / times[1], 1.2);
  EXPECT_NEAR(cycles[0] / cycles[1], 1, 0.01);
}

}  // namespace
}  // namespace warpclock
