// One line a point for spreadsheets and data frames.
#pragma once

#include <span>
#include <string>

#include "core/result.hpp"

namespace warpclock::report {

/// RFC 4180 with a heading line, lines ended by CR LF. Every axis of every benchmark is a column of its own, called as
/// the axis is ("axis_" in front where a fixed column has that name). Numbers have a decimal point and as many digits
/// as it takes to read the same double back; what was not measured, or is not finite, is an empty cell.
[[nodiscard]] std::string csv(const Environment& environment, std::span<const Result> results);

/// The same with a column "run" in front: `runs` has its entry for each result.
[[nodiscard]] std::string csv(std::span<const Result> results, std::span<const std::string> runs);

}  // namespace warpclock::report
