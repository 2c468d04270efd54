// The step of a timer, read off intervals that it measured.
#pragma once

#include <vector>

#include "core/units.hpp"

namespace warpclock::cuda {

/// Smallest difference between two distinct intervals: the timer's step, if the intervals vary by single steps.
///   intervals  any order; values closer than half a nanosecond count as equal (stamps may come as float)
///   return     0 where all are equal, so that no step can be seen
[[nodiscard]] Nanoseconds smallest_step(std::vector<Nanoseconds> intervals);

}  // namespace warpclock::cuda
