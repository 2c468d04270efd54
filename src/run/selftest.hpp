// Checks the measuring itself on a device, against what is known beforehand: work of known duration, timers that cannot
// be finer than their step, a flush that is large enough once a larger one changes nothing.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "device/benchmark.hpp"
#include "measure/control.hpp"
#include "measure/session.hpp"

namespace warpclock {

struct SelftestItem {
  enum class State : std::uint8_t { passed, failed, skipped };
  std::string name;  // "spin slope"
  State state = State::skipped;
  std::string measured;  // figures with units
  std::string expected;  // what it is compared with, and the tolerance
  std::string remedy;    // what to do where it failed, or why it was skipped
};

/// Runs every item, told to `done` as it ends; takes some seconds. Tolerances are a floor of some percent widened by
/// the intervals of the very samples compared, so that a noisy machine fails on errors of method and not on its noise.
/// The device's own refusals are items that failed.  throws DeviceError where the device is lost
[[nodiscard]] std::vector<SelftestItem> selftest(Session& session, const std::vector<Benchmark>& suite,
                                                 const Control& control,
                                                 const std::function<void(const SelftestItem&)>& done);

}  // namespace warpclock
