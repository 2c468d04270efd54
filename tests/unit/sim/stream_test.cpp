// Order and time of what is enqueued: launch-bound spans, holds, watchdogs, the queue, side streams.
#include <gmock/gmock.h>

#include "core/errors.hpp"
#include "script.hpp"

namespace warpclock::sim {
namespace {

using ::testing::DoubleNear;

TEST(SimStream, NothingTakesTimeBeforeItIsEnqueued) {
  const auto device = make_device(quiet());
  EXPECT_EQ(device->host_now().count(), 0);
  device->host_wait(microseconds(7));
  EXPECT_EQ(device->host_now().count(), 7000);
}

// Would catch an offset that is applied twice, or not: the calibration on the oracles stands on these three.
TEST(SimStream, HeldSpansAreTheFloorAndTheKernelPlusItsOffset) {
  const auto device = make_device(quiet());
  auto& stream = device->stream();
  EXPECT_NEAR(held_span(*device, [] {}), 1250, exact);
  EXPECT_NEAR(held_span(*device, [&] { stream.launch_empty(); }), 1000 + 2400, exact);
  EXPECT_NEAR(held_span(*device, [&] { stream.launch_spin(microseconds(30)); }), 30'000 + 2400, exact);
  EXPECT_NEAR(held_span(*device, [&] { stream.launch_cycles(19800); }), 10'000 + 2400, exact);
}

TEST(SimStream, EveryFurtherKernelCostsItsTimeAndTheGap) {
  const auto device = make_device(quiet());
  const auto kernel = kernel_of(microseconds(1));
  const auto span_of = [&](int n) {
    return held_span(*device, [&] {
      for (int i = 0; i < n; ++i) device->stream().launch(kernel);
    });
  };
  EXPECT_NEAR(span_of(21) - span_of(1), 20 * (1000 + 970), 10 * exact);
}

TEST(SimStream, DrainLengthensTheSpanButNotTheKernel) {
  const auto device = make_device(quiet());
  auto kernel = kernel_of(microseconds(50));
  kernel.drain = Nanoseconds{700};
  EXPECT_NEAR(held_span(*device, [&] { device->stream().launch(kernel); }), 50'000 + 2400 + 700, exact);
  EXPECT_NEAR(device->stream().last_kernel_time().count(), 50'000, exact);
}

// Would catch a tool that takes an unheld span of a short kernel for its time.
TEST(SimStream, UnheldShortKernelReadsTheHostsPaceAndHeldItsOwn) {
  auto config = quiet();
  config.launch_cost = microseconds(20);
  const auto device = make_device(config);
  auto& stream = device->stream();
  const auto kernel = kernel_of(Nanoseconds{2500});
  const auto a = stream.mark();
  stream.launch(kernel);
  const auto b = stream.mark();
  stream.synchronize();
  EXPECT_NEAR(stream.elapsed(a, b).count(), 2 * 20'000, exact);
  EXPECT_NEAR(held_span(*device, [&] { stream.launch(kernel); }), 2500 + 2400, exact);
}

TEST(SimStream, LongKernelHidesTheHostUnheldToo) {
  const auto device = make_device(quiet());
  auto& stream = device->stream();
  const auto a = stream.mark();
  stream.launch(kernel_of(microseconds(500)));
  const auto b = stream.mark();
  stream.synchronize();
  EXPECT_NEAR(stream.elapsed(a, b).count(), 500'000 + 2400, exact);
}

TEST(SimStream, StampsMoveInTheirSteps) {
  auto config = quiet();
  config.mark_step = Nanoseconds{32};
  const auto device = make_device(config);
  for (int i = 0; i < 50; ++i) {
    device->host_wait(Nanoseconds{7.3});
    const double span = held_span(*device, [&] { device->stream().launch(kernel_of(Nanoseconds{3001})); });
    EXPECT_EQ(std::fmod(span, 32), 0);
    EXPECT_THAT(span, DoubleNear(5401, 32));
  }
}

TEST(SimStream, HostPaysForEveryCommandAndSynchronizeWaitsForTheDevice) {
  const auto device = make_device(quiet());
  auto& stream = device->stream();
  stream.launch(kernel_of(microseconds(100)));
  EXPECT_EQ(device->host_now().count(), 2000);
  stream.synchronize();
  // enqueued at 2.0 us, 1.5 us to the device, which ran it for 100 us
  EXPECT_NEAR(device->host_now().count(), 2000 + 1500 + 100'000, exact);
  stream.synchronize();
  EXPECT_NEAR(device->host_now().count(), 103'500, exact);
}

TEST(SimHold, LastsAsLongAsTheHostComesBackInTime) {
  const auto device = make_device(quiet());
  auto& stream = device->stream();
  stream.hold(milliseconds(1));
  stream.launch(kernel_of(microseconds(10)));
  device->host_wait(microseconds(900));
  EXPECT_TRUE(stream.release());
  stream.synchronize();
  EXPECT_NEAR(device->host_now().count(), 2000 + 2000 + 900'000 + 100 + 1500 + 10'000, 1150 + exact);
  EXPECT_EQ(device->counters().watchdogs, 0U);
}

// Would catch a deadlock in the model: a call that waits under a hold must come back at the deadline.
TEST(SimHold, WatchdogEndsItWhenTheHostBlocks) {
  const auto device = make_device(quiet());
  auto& stream = device->stream();
  stream.hold(milliseconds(5));
  stream.launch(kernel_of(microseconds(10)));
  stream.synchronize();
  EXPECT_GE(device->host_now(), Nanoseconds{2000} + milliseconds(5));
  EXPECT_LT(device->host_now(), Nanoseconds{2000} + milliseconds(5) + microseconds(20));
  EXPECT_FALSE(stream.release());
  EXPECT_EQ(device->counters().watchdogs, 1U);
  stream.hold(milliseconds(5));  // and the next hold is a whole one
  EXPECT_TRUE(stream.release());
}

TEST(SimHold, WatchdogEndsItWhenTheHostIsSlow) {
  const auto device = make_device(quiet());
  auto& stream = device->stream();
  stream.hold(milliseconds(1));
  const auto a = stream.mark();
  device->host_wait(milliseconds(3));
  stream.launch(kernel_of(microseconds(10)));
  const auto b = stream.mark();
  EXPECT_FALSE(stream.release());
  stream.synchronize();
  // The first mark was let go at 2 us + 1 ms, the kernel enqueued at 2 + 2 us + 3 ms + 2 us.
  EXPECT_NEAR(stream.elapsed(a, b).count(), 3'006'000 - 1'002'000 + 10'000, exact);
}

TEST(SimHold, TwiceOrNotAtAllIsRefused) {
  const auto device = make_device(quiet());
  auto& stream = device->stream();
  EXPECT_THROW(stream.release(), DeviceError);
  stream.hold(milliseconds(1));
  EXPECT_THROW(stream.hold(milliseconds(1)), DeviceError);
}

TEST(SimHold, CanBeAbsent) {
  auto config = quiet();
  config.holding = false;
  EXPECT_THROW(make_device(config)->stream().hold(milliseconds(1)), DeviceError);
}

// Would catch a model without a queue, on which a batch too long for a hold looks held.
TEST(SimQueue, FillingItBehindAHoldWaitsForTheWatchdog) {
  auto config = quiet();
  config.queue_limit = 100;
  const auto device = make_device(config);
  auto& stream = device->stream();
  const auto kernel = kernel_of(microseconds(1));
  stream.hold(milliseconds(250));
  for (int i = 0; i < 100; ++i) stream.launch(kernel);
  EXPECT_LT(device->host_now(), milliseconds(1));
  stream.launch(kernel);
  EXPECT_GE(device->host_now(), milliseconds(250));
  EXPECT_FALSE(stream.release());
  EXPECT_GE(device->counters().queue_waits, 1U);
}

TEST(SimQueue, LimitsHowFarTheHostRunsAheadOfTheDevice) {
  auto config = quiet();
  config.queue_limit = 10;
  const auto device = make_device(config);
  const auto kernel = kernel_of(milliseconds(1));
  for (int i = 0; i < 30; ++i) device->stream().launch(kernel);
  EXPECT_NEAR(device->host_now().count(), 20e6, 0.1e6);
  device->stream().synchronize();
  EXPECT_NEAR(device->host_now().count(), 30e6, 0.1e6);
}

TEST(SimQueue, HeldKernelsAreCopiesAndOutliveTheirCaller) {
  const auto device = make_device(quiet());
  const double span = held_span(*device, [&] {
    auto kernel = std::make_unique<SimKernel>(kernel_of(microseconds(40)));
    device->stream().launch(*kernel);
    kernel->fixed = microseconds(1);
  });
  EXPECT_NEAR(span, 42'400, exact);
}

// Would catch marks that see work they cannot see: only the comparison with the records finds such a call out.
TEST(SimSideStream, UnjoinedWorkEscapesTheMarksAndJoinedWorkDoesNot) {
  const auto device = make_device(quiet());
  auto& stream = device->stream();
  const auto side = kernel_of(microseconds(80), "side");
  const auto main = kernel_of(microseconds(10), "main");
  const double escaped = held_span(*device, [&] {
    stream.launch_on_side(side, false);
    stream.launch(main);
  });
  EXPECT_NEAR(escaped, 10'000 + 2400, exact);
  const double joined = held_span(*device, [&] {
    stream.launch_on_side(side, true);
    stream.launch(main);
  });
  EXPECT_NEAR(joined, 1250 + 970 + 80'000, exact);
}

TEST(SimSideStream, SynchronizeWaitsForItAndItIsInTheRecords) {
  const auto device = make_device(quiet());
  auto& stream = device->stream();
  stream.start_trace();
  stream.open_window(4);
  stream.launch(kernel_of(microseconds(10), "main"));
  stream.launch_on_side(kernel_of(microseconds(80), "side"), false);
  stream.close_window();
  stream.synchronize();
  EXPECT_GT(device->host_now(), microseconds(90));
  const auto records = stream.stop_trace();
  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(records[1].name, "side");
  EXPECT_NEAR((records[1].end - records[1].start).count(), 80'000, exact);
}

TEST(SimMarks, CannotBeReadBeforeTheyAreReachedNorAfterRecycle) {
  const auto device = make_device(quiet());
  auto& stream = device->stream();
  const auto a = stream.mark();
  stream.launch(kernel_of(microseconds(10)));
  const auto b = stream.mark();
  EXPECT_THROW((void)stream.elapsed(a, b), DeviceError);
  EXPECT_THROW(stream.recycle(), DeviceError);
  stream.synchronize();
  EXPECT_NO_THROW((void)stream.elapsed(a, b));
  stream.recycle();
  EXPECT_THROW((void)stream.elapsed(a, b), DeviceError);
}

TEST(SimTrace, ReportsOnlyWhatWasEnqueuedInsideAWindow) {
  const auto device = make_device(quiet());
  auto& stream = device->stream();
  const auto buffer = device->allocate(mebi);
  stream.start_trace();
  stream.fill(*buffer, 0);
  stream.evict(Evict::clean, 120 * mebi);
  stream.open_window(7);
  stream.launch(kernel_of(microseconds(3), "a"));
  stream.fill(*buffer, 0);
  stream.close_window();
  static_cast<void>(stream.probe_clock());
  stream.open_window(8);
  stream.launch_spin(microseconds(5));
  stream.close_window();
  stream.launch(kernel_of(microseconds(3), "outside"));
  const auto records = stream.stop_trace();
  ASSERT_EQ(records.size(), 3U);
  EXPECT_EQ(records[0].name, "a");
  EXPECT_EQ(records[0].kind, "kernel");
  EXPECT_EQ(records[0].window, 7U);
  EXPECT_EQ(records[1].kind, "fill");
  EXPECT_EQ(records[2].name, "spin");
  EXPECT_EQ(records[2].window, 8U);
  EXPECT_NEAR((records[2].end - records[2].start).count(), 5000, exact);
}

TEST(SimTrace, AWindowWithoutTracingLeavesNothingAndTracingCostsTheHost) {
  auto config = quiet();
  config.trace_overhead = Nanoseconds{500};
  const auto device = make_device(config);
  auto& stream = device->stream();
  stream.open_window(1);
  stream.launch_empty();
  EXPECT_EQ(device->host_now().count(), 2000);
  stream.close_window();
  stream.start_trace();
  stream.launch_empty();
  EXPECT_EQ(device->host_now().count(), 4500);
  EXPECT_TRUE(stream.stop_trace().empty());
  EXPECT_THROW((void)stream.stop_trace(), DeviceError);
}

TEST(SimTrace, CanBeAbsent) {
  auto config = quiet();
  config.tracing = false;
  const auto device = make_device(config);
  EXPECT_TRUE(device->info().record_timer.empty());
  EXPECT_THROW(device->stream().start_trace(), DeviceError);
}

}  // namespace
}  // namespace warpclock::sim
