// The whole loop on the simulated device: what it reports is compared with what the script says is true.
#include "measure/measure.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/errors.hpp"
#include "support/sim_workload.hpp"

namespace warpclock {
namespace {

using testing::fixed_kernel;
using testing::quiet;
using testing::reading_kernel;
using testing::SimWorkload;

double median_of(const Measurement& measured, std::optional<Nanoseconds> Sample::*time) {
  std::vector<double> values;
  for (const auto& sample : measured.samples) {
    if (sample.*time) values.push_back((sample.*time)->count());
  }
  std::ranges::sort(values);
  return values.empty() ? -1 : values[values.size() / 2];
}

double kernel_us(const Measurement& m) { return median_of(m, &Sample::kernel) / 1e3; }
double call_us(const Measurement& m) { return median_of(m, &Sample::call) / 1e3; }

Measurement run(sim::SimDevice& device, Workload& workload, const Protocol& protocol = {}) {
  Session session(device);
  return measure(session, workload, protocol);
}

TEST(Measure, AShortKernelIsReadRightUnderAHold) {
  auto device = sim::make_device(quiet());
  SimWorkload workload(*device, fixed_kernel(microseconds(2.5)));
  const auto measured = run(*device, workload);
  EXPECT_NEAR(kernel_us(measured), 2.5, 0.001);
  EXPECT_NEAR(call_us(measured), 2.5 + 2.4, 0.032);  // the scripted offset, up to one step of the event timer
  EXPECT_NEAR(measured.call_offset->value.count(), 2400, 32);
  EXPECT_EQ(measured.headline, Headline::kernel_time);
  EXPECT_EQ(measured.conditions.cover, "hold");
}

// F01, F02: without a cover the call time of a short kernel is the host's launch time, and a slower host is a slower
// kernel.
TEST(Measure, WithoutACoverTheCallTimeIsTheHosts) {
  for (const double launch_us : {10.0, 50.0}) {
    auto config = quiet();
    config.launch_cost = microseconds(launch_us);
    auto device = sim::make_device(config);
    SimWorkload workload(*device, fixed_kernel(microseconds(2.5)));
    Protocol protocol;
    protocol.cover = Cover::none;
    protocol.cache = CacheState::rotate;  // a flush would hide the host, as it does for those who do not know it (F03)
    const auto bare = run(*device, workload, protocol);
    EXPECT_GT(call_us(bare), launch_us);
    EXPECT_NEAR(kernel_us(bare), 2.5, 0.001);
    EXPECT_TRUE(std::ranges::all_of(bare.samples, [](const Sample& s) { return s.marks.has(Mark::host_late); }));
    const auto held = run(*device, workload);
    EXPECT_NEAR(call_us(held), 4.9, 0.032);
  }
}

TEST(Measure, ADirtyFlushInflatesAndACleanOneDoesNot) {
  const Bytes bytes = 32U << 20U;
  auto device = sim::make_device(quiet());
  SimWorkload workload(*device, reading_kernel(bytes));
  const auto with = [&](CacheState cache) {
    Protocol protocol;
    protocol.cache = cache;
    return kernel_us(run(*device, workload, protocol));
  };
  const double cold = with(CacheState::cold);
  const double bytes_d = static_cast<double>(bytes);
  EXPECT_NEAR(cold, bytes_d / device->config().memory_bandwidth * 1e6, 0.01);
  EXPECT_NEAR(with(CacheState::warm), bytes_d / device->config().l2_bandwidth * 1e6, 0.01);
  EXPECT_GT(with(CacheState::dirty), 1.2 * cold);
}

// What the layer before has just written is in the cache although everything else was flushed; written before the flush
// it would be as cold as the weights, written inside the hold it would be timed.
TEST(Measure, WhatIsWrittenAfterTheFlushIsWarmAndNotTimed) {
  const Bytes bytes = 32U << 20U;
  auto device = sim::make_device(quiet());
  SimWorkload workload(*device, reading_kernel(bytes));
  workload.after_flush_ = [&](sim::SimDevice& d, std::uint32_t) { d.stream().launch(reading_kernel(bytes)); };
  const auto measured = run(*device, workload);
  EXPECT_NEAR(kernel_us(measured), static_cast<double>(bytes) / device->config().l2_bandwidth * 1e6, 0.01);
  EXPECT_LT(call_us(measured), 2 * kernel_us(measured));
}

// F12: rotation is cold only when the copies together exceed the cache.
TEST(Measure, RotationIsColdOnceTheCopiesExceedTheCache) {
  const Bytes bytes = 8U << 20U;
  auto device = sim::make_device(quiet());
  SimWorkload workload(
      *device, [&](sim::SimDevice& d, std::uint32_t copy) { d.stream().launch(reading_kernel(bytes, 1 + copy)); });
  Protocol protocol;
  protocol.cache = CacheState::rotate;
  workload.copies_ = 16;  // 128 MiB over an L2 of 60 MiB
  const double cold = kernel_us(run(*device, workload, protocol));
  EXPECT_NEAR(cold, static_cast<double>(bytes) / device->config().memory_bandwidth * 1e6, 0.01);
  workload.copies_ = 2;
  EXPECT_LT(kernel_us(run(*device, workload, protocol)), 0.6 * cold);
}

sim::SimKernel hot_kernel() {
  return {.name = "hot", .flops = 4e11, .compute_type = "bf16", .power = 1.0};  // about 0.4 ms at the nominal clock
}

/// Runs the chip hot for half a second, as a sustained benchmark before this one does.
void heat(sim::SimDevice& device) {
  for (int i = 0; i < 1200; ++i) {
    device.stream().launch(hot_kernel());
    if (i % 100 == 0) device.stream().synchronize();
  }
  device.stream().synchronize();
}

// 25 % in a naive loop: a point right after a hot one reads slow unless the device is given time to recover.
TEST(Measure, AHotPredecessorLeaksWithoutSettlingAndNotWithIt) {
  const auto after_heat = [](Nanoseconds settle_time) {
    auto device = sim::make_device(quiet());
    Session session(*device);
    heat(*device);
    // Light enough to leave the limiter alone, and bound by the clock.
    SimWorkload workload(*device, sim::SimKernel{.name = "cycles", .cycles = 198'000, .power = 0.1});
    Protocol protocol;
    protocol.settle_time = settle_time;
    protocol.samples = 20;
    return measure(session, workload, protocol);
  };
  const double truth = 100;  // us: 198,000 cycles at 1980 MHz
  const auto leaking = after_heat(Nanoseconds{0});
  EXPECT_GT(kernel_us(leaking), 1.05 * truth);
  EXPECT_TRUE(leaking.samples.front().marks.has(Mark::unsettled));
  EXPECT_FALSE(leaking.conditions.settled);
  const auto settled = after_heat(seconds(2));
  EXPECT_NEAR(kernel_us(settled), truth, 0.01 * truth);
  EXPECT_GT(settled.conditions.settle_wait.count(), 0);
  EXPECT_TRUE(settled.conditions.settled);
}

// Position in a sweep: the same hot kernel first and after itself has to read the same.
TEST(Measure, AHotKernelReadsTheSameAloneAndAfterAHotOne) {
  auto device = sim::make_device(quiet());
  Session session(*device);
  SimWorkload workload(*device, hot_kernel());
  const double alone = kernel_us(measure(session, workload, Protocol{}));
  heat(*device);
  EXPECT_NEAR(kernel_us(measure(session, workload, Protocol{})), alone, 0.015 * alone);
}

TEST(Measure, TheFirstCallIsReportedAndNeverMixedIn) {
  auto config = quiet();
  config.first_launch = milliseconds(30);
  auto device = sim::make_device(config);
  SimWorkload workload(*device, fixed_kernel(microseconds(5)));
  const auto measured = run(*device, workload);
  EXPECT_GT(measured.first_call, milliseconds(30));
  EXPECT_NEAR(call_us(measured), 7.4, 0.032);
  EXPECT_TRUE(std::ranges::none_of(measured.samples, [](const Sample& s) { return s.marks.has(Mark::unheld); }));
}

// F63, F92: a call that synchronises can never return under a hold. The watchdog ends it and the sample says so.
TEST(Measure, ACallThatSynchronisesIsLetGoAndMarked) {
  auto device = sim::make_device(quiet());
  auto kernel = fixed_kernel(microseconds(5));
  kernel.fault = sim::Fault::synchronises;
  SimWorkload workload(*device, kernel);
  Protocol protocol;
  protocol.samples = 5;
  const auto measured = run(*device, workload, protocol);
  EXPECT_TRUE(std::ranges::all_of(measured.samples, [](const Sample& s) { return s.marks.has(Mark::unheld); }));
  EXPECT_NEAR(kernel_us(measured), 5, 0.001);
}

// A call with more launches than the queue takes would fill it and hang behind the hold.
TEST(Measure, ACallTooLongForTheQueueIsNotHeld) {
  auto device = sim::make_device(quiet());
  SimWorkload workload(*device, [](sim::SimDevice& d, std::uint32_t) {
    for (int i = 0; i < 2000; ++i) d.stream().launch(fixed_kernel(microseconds(1)));
  });
  Protocol protocol;
  protocol.samples = 3;
  const auto measured = run(*device, workload, protocol);
  EXPECT_EQ(measured.launches_per_call, std::size_t{2000});
  EXPECT_EQ(measured.conditions.cover, "none");
  EXPECT_EQ(measured.headline, Headline::call_time);
  EXPECT_EQ(device->counters().watchdogs, 0U);
}

// F04: a chain of short launches under a hold shows the chain and not the host.
TEST(Measure, AChainOfLaunchesIsNotStarvedUnderAHold) {
  auto config = quiet();
  config.launch_cost = microseconds(20);
  auto device = sim::make_device(config);
  SimWorkload workload(*device, [](sim::SimDevice& d, std::uint32_t) {
    for (int i = 0; i < 20; ++i) d.stream().launch(fixed_kernel(microseconds(3)));
  });
  const auto held = run(*device, workload);
  EXPECT_EQ(held.headline, Headline::call_time);
  const double gaps = 19 * device->config().kernel_gap.count() / 1e3;
  EXPECT_NEAR(call_us(held), 60 + gaps + 2.4, 0.1);
  Protocol bare;
  bare.cover = Cover::none;
  EXPECT_GT(call_us(run(*device, workload, bare)), 380);
}

// F59: nothing was launched, so there is no device time, and the host's time is told.
TEST(Measure, ACallWithoutDeviceWorkHasOnlyHostTime) {
  auto device = sim::make_device(quiet());
  SimWorkload workload(*device, [](sim::SimDevice& d, std::uint32_t) { d.host_wait(milliseconds(100)); });
  Protocol protocol;
  protocol.samples = 3;
  const auto measured = run(*device, workload, protocol);
  EXPECT_EQ(measured.launches_per_call, std::size_t{0});
  EXPECT_NEAR(measured.samples.front().host.count(), 1e8, 1e5);
  EXPECT_TRUE(std::ranges::none_of(measured.samples, [](const Sample& s) { return s.kernel.has_value(); }));
}

TEST(Measure, TheMatmulCoverHidesTheHost) {
  auto config = quiet();
  config.launch_cost = microseconds(50);
  config.limiter.enabled = false;
  auto device = sim::make_device(config);
  SimWorkload workload(*device, fixed_kernel(microseconds(2.5)));
  for (const auto cover : {Cover::matmul, Cover::spin}) {
    Protocol protocol;
    protocol.cover = cover;
    const auto measured = run(*device, workload, protocol);
    EXPECT_NEAR(call_us(measured), 4.9, 0.3);
    EXPECT_TRUE(std::ranges::none_of(measured.samples, [](const Sample& s) { return s.marks.has(Mark::host_late); }));
  }
}

// The article's way: five calls on five copies between one pair of marks, divided by five.
TEST(Measure, ABatchIsDividedByItsCalls) {
  auto device = sim::make_device(quiet());
  SimWorkload workload(*device, fixed_kernel(microseconds(10)));
  workload.copies_ = 5;
  Protocol protocol;
  protocol.batch = 5;
  const auto measured = run(*device, workload, protocol);
  EXPECT_NEAR(kernel_us(measured), 10, 0.001);
  EXPECT_NEAR(call_us(measured), (5 * 10 + 4 * 0.97 + 2.4) / 5, 0.02);
}

TEST(Measure, MarginalTimeLeavesTheOffsetBehind) {
  auto device = sim::make_device(quiet());
  SimWorkload workload(*device, fixed_kernel(microseconds(10)));
  Protocol protocol;
  protocol.marginal = 20;
  const auto measured = run(*device, workload, protocol);
  ASSERT_FALSE(measured.chains.empty());
  const auto time = [&](std::uint32_t length) {
    return std::ranges::find(measured.chains, length, &ChainSample::length)->time.count();
  };
  EXPECT_NEAR((time(20) - time(10)) / 10, 10'970, 10);  // a kernel and a gap
}

TEST(Measure, BrokenStampsAreCountedAndEnterNoEstimate) {
  auto config = quiet();
  config.bad_stamp_share = 0.2;
  auto device = sim::make_device(config);
  SimWorkload workload(*device, fixed_kernel(microseconds(10)));
  Protocol protocol;
  protocol.samples = 50;
  const auto measured = run(*device, workload, protocol);
  const auto bad =
      std::ranges::count_if(measured.samples, [](const Sample& s) { return s.marks.has(Mark::bad_stamp); });
  EXPECT_GT(bad, 0);
  EXPECT_EQ(measured.samples.size(), 100U);  // marked, not deleted: 50 a pass
}

// With nothing to calibrate on there is no offset; a median of nothing would be an offset of the whole call time.
TEST(Measure, WithoutSoundStampsThereIsNoOffset) {
  auto config = quiet();
  config.bad_stamp_share = 1;
  auto device = sim::make_device(config);
  SimWorkload workload(*device, fixed_kernel(microseconds(10)));
  Protocol protocol;
  protocol.samples = 5;
  const auto measured = run(*device, workload, protocol);
  EXPECT_FALSE(measured.call_offset.has_value());
  EXPECT_NEAR(kernel_us(measured), 10, 0.001);
}

TEST(Measure, AKernelThatFailsLeavesTheDeviceUsable) {
  auto config = quiet();
  config.faults = {{.launch = 30, .fault = sim::Fault::throw_at_launch}};
  auto device = sim::make_device(config);
  Session session(*device);
  SimWorkload workload(*device, fixed_kernel(microseconds(10)));
  EXPECT_THROW(static_cast<void>(measure(session, workload, Protocol{})), KernelError);
  // Not held, not tracing: the next point is measured as if nothing had happened.
  EXPECT_NEAR(kernel_us(measure(session, workload, Protocol{})), 10, 0.001);
}

TEST(Measure, TheSameSeedGivesTheSameSamples) {
  const auto once = [] {
    sim::SimConfig config;
    config.noise.sigma = 0.02;
    auto device = sim::make_device(config);
    SimWorkload workload(*device, fixed_kernel(microseconds(10)));
    return run(*device, workload);
  };
  const auto a = once(), b = once();
  ASSERT_EQ(a.samples.size(), b.samples.size());
  for (std::size_t i = 0; i < a.samples.size(); ++i) {
    EXPECT_EQ(a.samples[i].kernel, b.samples[i].kernel);
    EXPECT_EQ(a.samples[i].call, b.samples[i].call);
  }
}

TEST(Measure, SamplesAreInRunOrderAndCarryTheirClock) {
  auto device = sim::make_device(quiet());
  SimWorkload workload(*device, fixed_kernel(microseconds(10)));
  const auto measured = run(*device, workload);
  EXPECT_EQ(measured.samples.front().at.count(), 0);
  EXPECT_TRUE(std::ranges::is_sorted(measured.samples, {}, &Sample::at));
  for (const auto& sample : measured.samples) EXPECT_NEAR(sample.clock_mhz.value(), 1980, 1);
}

}  // namespace
}  // namespace warpclock
