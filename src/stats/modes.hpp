// Does a set of samples have one mode or several, and where are they.
#pragma once

#include <span>
#include <vector>

#include "core/estimate.hpp"

namespace warpclock {

/// Modes of `x`, from low to high; one entry where nothing speaks for more than one.
/// A histogram (bins a few times as wide as the narrowest mode, and always whole timer steps, at least two) is cut at a
/// valley when the valley holds significantly less, and less than half, of what the lower of its two peaks holds. A
/// mode that has less than 5 % of the samples is tail, and joins its neighbour.
///   x       n >= 1 finite values in any order
///   step    of the timer, >= 0, in the unit of x; modes closer than about four steps are one
///   throws  UsageError if x is empty or not finite, or step is negative
///   failure equal modes of a spread s are found from n = 20 on when 10 s apart, a share of 20 % from n = 60 on;
///           false alarms on one mode: under 2 % (modes_test.cpp simulates both)
///   cost    O(n log n)
[[nodiscard]] std::vector<Mode> modes(std::span<const double> x, double step = 0);

}  // namespace warpclock
