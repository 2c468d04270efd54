// Lets the device recover before samples are taken: a point right after a hot one reads up to 24 % slow (measured on an
// H200), and "steady" is not "recovered": the clock stays low for tens of milliseconds.
#pragma once

#include "core/units.hpp"
#include "measure/control.hpp"
#include "measure/session.hpp"

namespace warpclock {

struct Settled {
  double clock_mhz = 0;    // last reading
  bool recovered = false;  // false: the wait ran out, or waiting changed nothing
  Nanoseconds waited{0};
};

/// Reads the clock and, while it is below the recovered one, lets the device idle, at most for `budget`.
/// Gives up early where three waits in a row raise the clock by nothing: then the cause is not heat.
[[nodiscard]] Settled settle(Session& session, Nanoseconds budget, const Control& control);

}  // namespace warpclock
