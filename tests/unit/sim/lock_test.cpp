// Clock locks of the simulated chip: a ceiling below which the limiter still goes.
#include <gmock/gmock.h>

#include "core/errors.hpp"
#include "script.hpp"

namespace warpclock::sim {
namespace {

constexpr ClockWish mhz(double value) { return {ClockWish::Kind::mhz, value}; }

SimKernel cycles(double count, double power = 0.3) {
  SimKernel kernel;
  kernel.cycles = count;
  kernel.power = power;
  return kernel;
}

TEST(SimLock, TimesFollowItAndComeBack) {
  const auto device = make_device(quiet());
  EXPECT_NEAR(time_of(*device, cycles(19800)), 10'000, exact);
  EXPECT_EQ(device->lock_clock(ClockDomain::sm, mhz(990)), 990);
  EXPECT_NEAR(time_of(*device, cycles(19800)), 20'000, exact);
  EXPECT_EQ(device->telemetry().sm_clock_requested_mhz, 990);
  device->unlock_clocks();
  EXPECT_NEAR(time_of(*device, cycles(19800)), 10'000, exact);
  EXPECT_FALSE(device->telemetry().sm_clock_requested_mhz);
}

TEST(SimLock, TheLimiterGoesBelowIt) {
  const auto device = make_device(quiet());
  device->lock_clock(ClockDomain::sm, mhz(1500));
  for (int i = 0; i < 100; ++i) static_cast<void>(time_of(*device, cycles(1'500'000, 1)));
  EXPECT_NEAR(device->true_clock_mhz(), 1365, 1);
  device->idle(seconds(2));
  EXPECT_NEAR(device->true_clock_mhz(), 1500, 1e-9);  // and recovers to the lock, not beyond
}

TEST(SimLock, BaseAndMax) {
  const auto device = make_device(quiet());
  EXPECT_EQ(device->lock_clock(ClockDomain::sm, {ClockWish::Kind::base, 0}), 1590);
  EXPECT_EQ(device->lock_clock(ClockDomain::sm, {ClockWish::Kind::max, 0}), 1980);
}

TEST(SimLock, RefusalsChangeNothing) {
  auto config = quiet();
  const auto device = make_device(config);
  for (const double clock : {1501.0, 200.0, 3000.0}) {
    EXPECT_THROW(device->lock_clock(ClockDomain::sm, mhz(clock)), UsageError) << clock;
    EXPECT_THROW(device->check_clock(ClockDomain::sm, mhz(clock)), UsageError) << clock;
  }
  EXPECT_THROW(device->lock_clock(ClockDomain::memory, {ClockWish::Kind::max, 0}), DeviceError);
  EXPECT_EQ(device->true_clock_mhz(), 1980);
  config.locking = false;
  const auto forbidden = make_device(config);
  EXPECT_THROW(forbidden->lock_clock(ClockDomain::sm, mhz(1500)), DeviceError);
  EXPECT_EQ(forbidden->true_clock_mhz(), 1980);
}

}  // namespace
}  // namespace warpclock::sim
