// Every reason to stop occurs, and each is the one that is reported.
#include <gtest/gtest.h>

#include "measure/measure.hpp"
#include "support/sim_workload.hpp"

namespace warpclock {
namespace {

using testing::fixed_kernel;
using testing::quiet;
using testing::SimWorkload;

Measurement run(const sim::SimConfig& config, const Protocol& protocol, Nanoseconds time = microseconds(100),
                const Control& control = {}) {
  auto device = sim::make_device(config);
  Session session(*device);
  SimWorkload workload(*device, fixed_kernel(time));
  return measure(session, workload, protocol, control);
}

sim::SimConfig noisy(double sigma, double rho = 0) {
  auto config = quiet();
  config.noise.sigma = sigma;
  config.noise.rho = rho;
  return config;
}

TEST(Stop, OnPrecisionOnceTheIntervalIsNarrowEnough) {
  EXPECT_EQ(run(noisy(0.01), {}).stop_reason, StopReason::precision);
}

TEST(Stop, OnResolutionWhereTheTimerIsCoarserThanTheWantedInterval) {
  auto config = quiet();
  config.record_step = Nanoseconds{1000};
  const auto measured = run(config, {}, microseconds(3.7));
  EXPECT_EQ(measured.stop_reason, StopReason::resolution);
}

TEST(Stop, AfterExactlyTheSamplesAskedFor) {
  Protocol protocol;
  protocol.samples = 7;
  const auto measured = run(noisy(0.2), protocol);
  EXPECT_EQ(measured.stop_reason, StopReason::samples);
  EXPECT_EQ(measured.samples.size(), 14U);  // 7 a pass
}

// F102: a budget of 1 s of a 50 ms kernel is about 20 repetitions, not the thousands that its host time suggests.
TEST(Stop, WhenTheTimeOfThePointIsUsedUp) {
  Protocol protocol;
  protocol.max_time = seconds(1);
  const auto measured = run(noisy(0.05), protocol, milliseconds(50));
  EXPECT_EQ(measured.stop_reason, StopReason::max_time);
  EXPECT_GE(measured.samples.size(), 15U);
  EXPECT_LE(measured.samples.size(), 25U);
}

// F17: the budget binds whatever the size of the kernel is.
TEST(Stop, TheBudgetBindsForShortAndLongKernels) {
  for (const double us : {2.0, 200.0, 20'000.0}) {
    Protocol protocol;
    protocol.max_time = milliseconds(200);
    protocol.precision = 1e-4;
    const auto measured = run(noisy(0.1), protocol, microseconds(us));
    const auto sampled = measured.samples.back().at;
    EXPECT_LE(sampled, milliseconds(300)) << us;
    EXPECT_GE(sampled, milliseconds(100)) << us;
  }
}

TEST(Stop, OnAPlateauWhereMoreSamplesDoNotHelp) {
  auto config = noisy(0.05, 0.999);  // nearly a random walk: the interval stays wide however many samples there are
  Protocol protocol;
  protocol.max_time = seconds(1000);
  EXPECT_EQ(run(config, protocol, microseconds(10)).stop_reason, StopReason::plateau);
}

TEST(Stop, WhenTheUserInterruptsAndWhatWasTakenIsKept) {
  int asked = 0;
  Control control;
  control.interrupted = [&] { return ++asked > 40; };
  Protocol protocol;
  protocol.samples = 1000;
  const auto measured = run(noisy(0.1), protocol, microseconds(100), control);
  EXPECT_EQ(measured.stop_reason, StopReason::interrupted);
  EXPECT_GT(measured.samples.size(), 10U);
  EXPECT_LT(measured.samples.size(), 100U);
}

}  // namespace
}  // namespace warpclock
