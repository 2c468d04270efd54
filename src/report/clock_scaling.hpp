// Latency over clock: a table and a plot for each point that was measured at several locked clocks.
#pragma once

#include <span>
#include <string>

#include "core/clock_scaling.hpp"

namespace warpclock::report {

/// Empty for no points; else valid UTF-8 that ends with a line break. Bars begin at 0.
[[nodiscard]] std::string clock_scaling_text(std::span<const ClockScaling> scalings);

}  // namespace warpclock::report
