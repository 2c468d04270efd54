// Every scripted misbehaviour happens where the script puts it, and nowhere else.
#include <gmock/gmock.h>

#include "core/errors.hpp"
#include "script.hpp"

namespace warpclock::sim {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(SimFaults, LaunchThatThrowsCostsOnlyItself) {
  auto config = quiet();
  config.faults = {{1, Fault::throw_at_launch}};
  const auto device = make_device(config);
  auto& stream = device->stream();
  const auto kernel = kernel_of(microseconds(10), "unlucky");
  EXPECT_NO_THROW(stream.launch(kernel));
  EXPECT_THAT([&] { stream.launch(kernel); }, ThrowsMessage<KernelError>(HasSubstr("unlucky")));
  EXPECT_NO_THROW(stream.launch(kernel));
  EXPECT_NO_THROW(stream.synchronize());
}

TEST(SimFaults, StickyErrorShowsAtTheWaitAndNeverLeaves) {
  auto config = quiet();
  config.faults = {{1, Fault::sticky_error}};
  const auto device = make_device(config);
  auto& stream = device->stream();
  stream.launch(kernel_of(microseconds(10)));
  stream.synchronize();
  stream.launch(kernel_of(microseconds(10), "culprit"));
  stream.launch(kernel_of(microseconds(10), "innocent"));
  EXPECT_THAT([&] { stream.synchronize(); }, ThrowsMessage<DeviceError>(HasSubstr("culprit")));
  EXPECT_THROW(stream.synchronize(), DeviceError);
  EXPECT_THROW(stream.launch_empty(), DeviceError);
  EXPECT_THROW(static_cast<void>(stream.mark()), DeviceError);
  EXPECT_THROW(static_cast<void>(device->allocate(1)), DeviceError);
}

TEST(SimFaults, StickyErrorUnderAHoldShowsAfterItRan) {
  const auto device = make_device(quiet());
  auto& stream = device->stream();
  auto kernel = kernel_of(microseconds(10), "culprit");
  kernel.fault = Fault::sticky_error;
  stream.hold(milliseconds(1));
  stream.launch(kernel);
  EXPECT_NO_THROW(static_cast<void>(stream.mark()));
  EXPECT_TRUE(stream.release());
  EXPECT_THROW(stream.synchronize(), DeviceError);
}

TEST(SimFaults, LaunchThatSynchronisesWaitsAndEndsAHold) {
  const auto device = make_device(quiet());
  auto& stream = device->stream();
  auto kernel = kernel_of(milliseconds(3), "waits");
  kernel.fault = Fault::synchronises;
  stream.launch(kernel);
  EXPECT_NEAR(device->host_now().count(), 2000 + 1500 + 3e6, exact);
  stream.hold(milliseconds(250));
  stream.launch(kernel);
  EXPECT_GE(device->host_now(), milliseconds(253));
  EXPECT_FALSE(stream.release());
}

TEST(SimFaults, MissingRecordHidesTheKernelFromTheTraceOnly) {
  auto config = quiet();
  config.faults = {{0, Fault::missing_record}};
  const auto device = make_device(config);
  auto& stream = device->stream();
  stream.start_trace();
  stream.open_window(1);
  stream.launch(kernel_of(microseconds(10), "lost"));
  stream.launch(kernel_of(microseconds(10), "found"));
  stream.close_window();
  const auto records = stream.stop_trace();
  ASSERT_EQ(records.size(), 1U);
  EXPECT_EQ(records[0].name, "found");
  EXPECT_GT(device->host_now(), microseconds(20));
}

TEST(SimFaults, BadStampsAreZeroOrReversedAtTheirMarks) {
  auto config = quiet();
  config.bad_stamps = {{1, BadStamp::zero}, {2, BadStamp::reversed}};
  const auto device = make_device(config);
  const auto span = [&] { return held_span(*device, [&] { device->stream().launch_empty(); }); };
  EXPECT_EQ(span(), 0);
  EXPECT_EQ(span(), -1000);
  EXPECT_NEAR(span(), 3400, exact);
}

TEST(SimFaults, BadStampsHaveTheirShare) {
  auto config = quiet();
  config.bad_stamp_share = 0.1;
  const auto device = make_device(config);
  constexpr int n = 4000;
  int bad = 0;
  for (int i = 0; i < n; ++i) {
    if (held_span(*device, [] {}) <= 0) ++bad;
    device->stream().recycle();
  }
  const double expected = 1 - 0.9 * 0.9;  // one of the two marks
  EXPECT_NEAR(static_cast<double>(bad) / n, expected, 4 * std::sqrt(expected * (1 - expected) / n));
}

// Would catch a loop that holds the very first call, or lets its time into the samples.
TEST(SimFaults, FirstLaunchOfAKernelLoadsAndWaits) {
  auto config = quiet();
  config.first_launch = microseconds(300);
  const auto device = make_device(config);
  auto& stream = device->stream();
  const auto host_of = [&](const std::string& name) {
    const auto before = device->host_now();
    stream.launch(kernel_of(microseconds(1), name));
    return (device->host_now() - before).count();
  };
  EXPECT_NEAR(host_of("a"), 302'000, exact);
  EXPECT_NEAR(host_of("a"), 2000, exact);
  stream.launch(kernel_of(milliseconds(2), "a"));
  EXPECT_GE(host_of("b"), 2e6);  // another variant, late: it waits for what is running
  stream.synchronize();
  stream.hold(milliseconds(10));
  static_cast<void>(host_of("c"));
  EXPECT_FALSE(stream.release());
}

TEST(SimFaults, FirstKernelUnderTracingWaitsOnce) {
  auto config = quiet();
  config.first_traced_launch = microseconds(100);
  const auto device = make_device(config);
  auto& stream = device->stream();
  stream.launch(kernel_of(microseconds(1)));
  stream.start_trace();
  stream.hold(milliseconds(10));
  stream.launch(kernel_of(microseconds(1)));
  EXPECT_FALSE(stream.release());
  stream.hold(milliseconds(10));
  stream.launch(kernel_of(microseconds(1)));
  EXPECT_TRUE(stream.release());
  static_cast<void>(stream.stop_trace());
}

TEST(SimFaults, NonsenseScriptsAreRefused) {
  const auto refuses = [](auto change) {
    auto config = quiet();
    change(config);
    EXPECT_THROW(static_cast<void>(make_device(config)), UsageError);
  };
  refuses([](SimConfig& c) { c.memory_bandwidth = 0; });
  refuses([](SimConfig& c) { c.noise.rho = 1; });
  refuses([](SimConfig& c) { c.noise.outlier_share = 1.5; });
  refuses([](SimConfig& c) { c.clock_steps = {{seconds(2), 1000}, {seconds(1), 900}}; });
  refuses([](SimConfig& c) { c.contamination = {{seconds(0), seconds(2), 0.5}, {seconds(1), seconds(3), 0.5}}; });
  refuses([](SimConfig& c) { c.contamination = {{seconds(0), seconds(2), 1.0}}; });
  refuses([](SimConfig& c) { c.limiter.recovery.clear(); });
  refuses([](SimConfig& c) { c.call_offset = Nanoseconds{0}; });
  refuses([](SimConfig& c) { c.mark_step = Nanoseconds{0}; });
}

}  // namespace
}  // namespace warpclock::sim
