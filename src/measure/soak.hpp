// Brings the chip into the state that it keeps under this call: regime "sustained" (measuring.md, part 1).
#pragma once

#include "measure/back_to_back.hpp"
#include "measure/control.hpp"
#include "plan/protocol.hpp"

namespace warpclock {

struct Soaked {
  Nanoseconds time{0};  // spent
  bool steady = false;  // false: time ran out before clock, power and temperature stood still
};

/// Runs the call back to back until, over the last second, its time (and so the clock) stands still within 0.5 %, power
/// within 2 % and temperature within 1 degree, as far as the device tells them; at most for protocol.soak_time.
[[nodiscard]] Soaked soak(Device& device, BackToBack& load, const Protocol& protocol, const Control& control);

}  // namespace warpclock
