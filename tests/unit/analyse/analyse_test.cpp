#include "analyse/analyse.hpp"

#include <gtest/gtest.h>

#include "support/sim_workload.hpp"

namespace warpclock {
namespace {

using testing::fixed_kernel;
using testing::quiet;
using testing::SimWorkload;

Result run(Workload& workload, sim::SimDevice& device, const Protocol& protocol = {}) {
  Session session(device);
  const auto measured = measure(session, workload, protocol);
  const Roofline roofline{.peaks = sim::peaks(device.config())};
  return analyse("scripted", {}, measured, {device.info(), protocol, roofline});
}

TEST(Analyse, TellsEachTimeUnderItsOwnName) {
  auto config = quiet();
  config.first_launch = milliseconds(5);
  auto device = sim::make_device(config);
  SimWorkload workload(*device, fixed_kernel(microseconds(20)));
  const auto result = run(workload, *device);
  EXPECT_EQ(result.status, Status::ok);
  EXPECT_NEAR(result.kernel_time_ns->median.value, 20'000, 1);
  EXPECT_NEAR(result.busy_ns->median.value, 20'000, 1);
  EXPECT_NEAR(result.call_time_ns->median.value, 22'400, 32);
  EXPECT_NEAR(*result.call_offset_ns, 2'400, 32);
  EXPECT_NEAR(result.host_time_ns->median.value, 2'000, 1);
  EXPECT_GT(result.first_call->count(), 5e6);
  EXPECT_FALSE(result.marginal_time_ns.has_value());
  EXPECT_EQ(result.launches_per_call, 1);
}

// F53: for a call of several kernels the sum of their times is not what the call takes.
TEST(Analyse, ShowsTheCallTimeOfACallOfSeveralKernels) {
  auto device = sim::make_device(quiet());
  SimWorkload workload(*device, [](sim::SimDevice& d, std::uint32_t) {
    d.stream().launch_on_side(fixed_kernel(milliseconds(1)), true);
    d.stream().launch(fixed_kernel(milliseconds(1)));
  });
  const auto result = run(workload, *device);
  EXPECT_EQ(result.headline, Headline::call_time);
  EXPECT_NEAR(result.headline_summary()->median.value, 1e6, 1e4);
  EXPECT_NEAR(result.kernel_time_ns->median.value, 2e6, 10);
  EXPECT_NEAR(result.busy_ns->median.value, 1e6, 1e4);
}

TEST(Analyse, MarginalTimeIsTheSlopeOverTheChain) {
  auto device = sim::make_device(quiet());
  SimWorkload workload(*device, fixed_kernel(microseconds(10)));
  Protocol protocol;
  protocol.marginal = 16;
  const auto result = run(workload, *device, protocol);
  EXPECT_NEAR(result.marginal_time_ns->value, 10'970, 20);
}

// F59: a call that launches nothing has no device time, not a time of zero.
TEST(Analyse, HasNoDeviceTimeWithoutDeviceWork) {
  auto device = sim::make_device(quiet());
  SimWorkload workload(*device, [](sim::SimDevice& d, std::uint32_t) { d.host_wait(milliseconds(100)); });
  Protocol protocol;
  protocol.samples = 3;
  const auto result = run(workload, *device, protocol);
  EXPECT_FALSE(result.kernel_time_ns);
  EXPECT_FALSE(result.call_time_ns);
  EXPECT_EQ(result.headline_summary(), nullptr);
  EXPECT_NEAR(result.host_time_ns->median.value, 1e8, 1e5);
}

TEST(Analyse, AWrongOutputIsTheStatusOfTheResult) {
  auto device = sim::make_device(quiet());
  SimWorkload workload(*device, fixed_kernel(microseconds(10)));
  workload.check_ = {.state = Check::State::failed, .max_error = 1, .tolerance = 1e-6, .detail = "y[3] is 0, not 1"};
  const auto result = run(workload, *device);
  EXPECT_EQ(result.status, Status::wrong);
  EXPECT_NE(result.error.find("y[3]"), std::string::npos);
}

TEST(Analyse, WithoutTracingTheCallTimeIsAllThereIs) {
  auto config = quiet();
  config.tracing = false;
  auto device = sim::make_device(config);
  SimWorkload workload(*device, fixed_kernel(microseconds(10)));
  const auto result = run(workload, *device);
  EXPECT_FALSE(result.kernel_time_ns);
  EXPECT_EQ(result.headline, Headline::call_time);
  EXPECT_NEAR(result.headline_summary()->median.value, 12'400, 32);
}

}  // namespace
}  // namespace warpclock
