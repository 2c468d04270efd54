// A lock is a wish (F37): what the chip did with it is told by measurement.
#include <gtest/gtest.h>

#include <set>

#include "analyse/findings.hpp"
#include "support/sim_workload.hpp"

namespace warpclock {
namespace {

using testing::quiet;
using testing::SimWorkload;

struct Locked {
  double asked = 1500;    // of the device
  double claimed = 1500;  // in the conditions
  double power = 0.3;     // of a kernel that takes 26 ms at 1500 MHz
  std::string problem = {};
};

std::set<std::string> ids(const Locked& locked) {
  const auto device = sim::make_device(quiet());
  Session session(*device);
  device->lock_clock(ClockDomain::sm, {ClockWish::Kind::mhz, locked.asked});
  session.clock_was_changed(locked.asked);
  SimWorkload workload(*device, {.name = "hot", .flops = 2.1e13, .compute_type = "bf16", .power = locked.power});
  Protocol protocol;
  protocol.samples = 20;
  protocol.max_time = seconds(20);
  auto measured = measure(session, workload, protocol);
  measured.conditions.locked_clock_mhz = locked.claimed;
  measured.lock_problem = locked.problem;
  std::set<std::string> out;
  for (const auto& finding : analyse("scripted", {}, measured, {device->info(), protocol, {}}).findings) {
    out.insert(finding.id);
  }
  return out;
}

TEST(ClockFindings, F37AChipThatDropsBelowTheLockIsReported) {
  EXPECT_TRUE(ids({.power = 1.0}).contains("clock-below-lock"));
  EXPECT_FALSE(ids({.power = 0.3}).contains("clock-below-lock"));
  // The limiter of this chip keeps 1365 MHz: a lock there holds.
  EXPECT_FALSE(ids({.asked = 1365, .claimed = 1365, .power = 1.0}).contains("clock-below-lock"));
}

TEST(ClockFindings, ALockThatTheDriverTookAndDoesNotKeepIsReported) {
  EXPECT_TRUE(ids({.asked = 1980, .claimed = 1500}).contains("clock-above-lock"));
  EXPECT_FALSE(ids({.asked = 1515, .claimed = 1500}).contains("clock-above-lock"));  // one step of the clock
}

TEST(ClockFindings, ALockThatWasRefusedLabelsTheResult) {
  EXPECT_TRUE(ids({.problem = "no permission"}).contains("clock-not-locked"));
  EXPECT_FALSE(ids({}).contains("clock-not-locked"));
}

}  // namespace
}  // namespace warpclock
