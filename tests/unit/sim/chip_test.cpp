// Clock, power limiter, compute rates and other processes, against sums done by hand.
#include <gmock/gmock.h>

#include "core/errors.hpp"
#include "script.hpp"

namespace warpclock::sim {
namespace {

double read_clock(SimDevice& device) {
  auto& stream = device.stream();
  const auto probe = stream.probe_clock();
  stream.synchronize();
  return stream.clock_mhz(probe);
}

SimKernel hot(Nanoseconds time = milliseconds(1)) {
  auto kernel = kernel_of(time, "hot");
  kernel.power = 1;
  return kernel;
}

void heat(SimDevice& device, Nanoseconds duration) {
  const auto until = device.host_now() + duration;
  while (device.host_now() < until) static_cast<void>(time_of(device, hot()));
}

TEST(SimClock, CyclesAndFlopsScaleWithItAndFixedTimesDoNot) {
  auto config = quiet();
  config.clock_steps = {{milliseconds(1), 990}};
  const auto device = make_device(config);
  SimKernel cycles;
  cycles.cycles = 19800;
  SimKernel flops;
  flops.flops = 132 * 4096 * 19800.0;  // 19800 cycles of all multiprocessors
  flops.compute_type = "bf16";
  EXPECT_NEAR(time_of(*device, cycles), 10'000, exact);
  EXPECT_NEAR(time_of(*device, flops), 10'000, exact);
  device->host_wait(milliseconds(1));
  EXPECT_NEAR(time_of(*device, cycles), 20'000, exact);
  EXPECT_NEAR(time_of(*device, flops), 20'000, exact);
  EXPECT_NEAR(time_of(*device, kernel_of(microseconds(10))), 10'000, exact);
}

TEST(SimClock, ComputeAndMemoryOverlapAndFixedTimeComesOnTop) {
  const auto device = make_device(quiet());
  SimKernel kernel;
  kernel.flops = 132 * 256 * 19800.0;   // 10 us in fp32
  kernel.bytes_read = 4.583e12 * 7e-6;  // 7 us
  kernel.fixed = microseconds(2);
  EXPECT_NEAR(time_of(*device, kernel), 12'000, exact);
  kernel.bytes_read *= 2;
  EXPECT_NEAR(time_of(*device, kernel), 16'000, exact);
}

TEST(SimClock, UnknownComputeTypeIsRefusedAtTheLaunch) {
  const auto device = make_device(quiet());
  SimKernel kernel;
  kernel.flops = 1;
  kernel.compute_type = "fp12";
  EXPECT_THROW(device->stream().launch(kernel), UsageError);
}

TEST(SimClock, StepsHoldFromTheirMoment) {
  auto config = quiet();
  config.clock_steps = {{milliseconds(10), 1500}, {milliseconds(20), 2100}};
  const auto device = make_device(config);
  EXPECT_NEAR(read_clock(*device), 1980, 1e-6);
  device->host_wait(milliseconds(10));
  EXPECT_NEAR(read_clock(*device), 1500, 1e-6);
  device->host_wait(milliseconds(10));
  EXPECT_NEAR(read_clock(*device), 2100, 1e-6);
  EXPECT_NEAR(device->true_clock_mhz(), 2100, 1e-6);
}

TEST(SimProbe, TakesItsTimeOfTheDeviceAndHasTheScriptedNoise) {
  auto config = quiet();
  config.probe_noise = 0.001;
  const auto device = make_device(config);
  EXPECT_NEAR(held_span(*device, [&] { static_cast<void>(device->stream().probe_clock()); }), 20'000 + 2400, exact);
  double sum = 0;
  double squares = 0;
  constexpr int n = 4000;
  for (int i = 0; i < n; ++i) {
    const double relative = read_clock(*device) / 1980 - 1;
    sum += relative;
    squares += relative * relative;
  }
  EXPECT_NEAR(sum / n, 0, 4 * 0.001 / std::sqrt(n));
  EXPECT_NEAR(std::sqrt(squares / n), 0.001, 4 * 0.001 / std::sqrt(2.0 * n));
}

// The figures of a real chip after 0.7 s of a matmul: a settling loop is tested against exactly these.
TEST(SimLimiter, RecoversAlongTheMeasuredCurve) {
  const std::pair<double, double> measured[] = {{20, 1485}, {50, 1694}, {100, 1889}, {300, 1965}, {1000, 1980}};
  for (const auto& [idle_ms, mhz] : measured) {
    const auto device = make_device(quiet());
    heat(*device, milliseconds(700));
    EXPECT_NEAR(device->true_clock_mhz(), 1365, 1e-6);
    device->idle(milliseconds(idle_ms));
    EXPECT_NEAR(device->true_clock_mhz(), mhz, 0.01) << idle_ms << " ms";
    EXPECT_NEAR(read_clock(*device), mhz, 0.1) << idle_ms << " ms";
  }
}

TEST(SimLimiter, RecoveryNeverGoesBack) {
  const auto device = make_device(quiet());
  heat(*device, milliseconds(100));
  double last = 0;
  for (int i = 0; i < 1100; ++i) {
    device->idle(milliseconds(1));
    ASSERT_GE(device->true_clock_mhz(), last);
    last = device->true_clock_mhz();
  }
  EXPECT_EQ(last, 1980);
}

// Would catch a warm-up of a fixed 50 ms, which has the limiter engaged before the first sample.
TEST(SimLimiter, EngagesAfterTwentyFiveMillisecondsOfFullPowerAndNotBefore) {
  const auto device = make_device(quiet());
  heat(*device, milliseconds(24));
  EXPECT_EQ(device->true_clock_mhz(), 1980);
  heat(*device, milliseconds(2));
  EXPECT_NEAR(device->true_clock_mhz(), 1365, 1e-6);
}

TEST(SimLimiter, SpacedKernelsDoNotEngageIt) {
  const auto device = make_device(quiet());
  for (int i = 0; i < 500; ++i) {
    static_cast<void>(time_of(*device, hot()));
    device->host_wait(milliseconds(1));
  }
  EXPECT_EQ(device->true_clock_mhz(), 1980);
}

TEST(SimLimiter, PowerBelowTheSustainableDoesNotEngageIt) {
  const auto device = make_device(quiet());
  auto kernel = hot(milliseconds(10));
  kernel.power = 0.6;
  for (int i = 0; i < 200; ++i) static_cast<void>(time_of(*device, kernel));
  EXPECT_EQ(device->true_clock_mhz(), 1980);
}

TEST(SimLimiter, SlowsTheKernelsThatRunHot) {
  const auto device = make_device(quiet());
  SimKernel kernel;
  kernel.cycles = 1980 * 280;
  EXPECT_NEAR(time_of(*device, kernel), 280'000, exact);
  heat(*device, milliseconds(700));
  device->idle(milliseconds(20));
  EXPECT_NEAR(time_of(*device, kernel), 280'000 * 1980 / 1485.0, 20);
}

TEST(SimLimiter, TheCoverMatmulHeatsTheChip) {
  const auto device = make_device(quiet());
  device->stream().launch_cover_matmul();
  device->stream().synchronize();
  // 2 x 4096^3 flops at 132 x 256 flops a clock
  EXPECT_NEAR(device->stream().last_kernel_time().count(), 2 * std::pow(4096.0, 3) / (132 * 256 * 1.98), 1);
  for (int i = 0; i < 20; ++i) device->stream().launch_cover_matmul();
  device->stream().synchronize();
  EXPECT_LT(device->true_clock_mhz(), 1400);
}

TEST(SimLimiter, CanBeSwitchedOff) {
  auto config = quiet();
  config.limiter.enabled = false;
  const auto device = make_device(config);
  heat(*device, milliseconds(200));
  EXPECT_EQ(device->true_clock_mhz(), 1980);
}

// Would catch samples next to another process that pass for clean ones: they are longer by its share, exactly.
TEST(SimContamination, TakesItsShareInItsIntervals) {
  auto config = quiet();
  config.contamination = {{milliseconds(1), milliseconds(2), 0.5}, {milliseconds(3), milliseconds(4), 0.75}};
  const auto device = make_device(config);
  const auto kernel = kernel_of(microseconds(100));
  EXPECT_NEAR(time_of(*device, kernel), 100'000, exact);
  device->host_wait(milliseconds(1));
  EXPECT_NEAR(time_of(*device, kernel), 200'000, exact);
  device->host_wait(milliseconds(2));
  EXPECT_NEAR(time_of(*device, kernel), 400'000, exact);
  device->host_wait(milliseconds(1));
  EXPECT_NEAR(time_of(*device, kernel), 100'000, exact);
}

TEST(SimContamination, AKernelAcrossAnIntervalLosesOnlyWhatTheOthersTook) {
  auto config = quiet();
  config.contamination = {{milliseconds(1), milliseconds(2), 0.5}};
  const auto device = make_device(config);
  EXPECT_NEAR(time_of(*device, kernel_of(milliseconds(5))), 5.5e6, exact);
}

}  // namespace
}  // namespace warpclock::sim
