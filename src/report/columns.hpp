// The columns of a table of results, which text and markdown share: what a kernel engineer looks for first stands left.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/result.hpp"

namespace warpclock::report {

struct Column {
  enum class Kind { axis, headline, figure, status };
  Kind kind = Kind::figure;
  std::string name;                // "kernel"
  std::string unit;                // "us"; second line of the heading
  bool left = false;               // text stands left, numbers right
  std::vector<std::string> cells;  // one a row
};

/// Columns in order: axes, headline time and its interval, other times, rates, SOL, clock, sustained over burst,
/// energy, samples, stop reason, status. One that would be empty in every row is left out.
///   results  all of one benchmark with the same axes
///   axes     which of them get a column, by their place in the point
///   status   the cells of the last column, one a result
[[nodiscard]] std::vector<Column> columns(const std::vector<const Result*>& results,
                                          const std::vector<std::size_t>& axes, std::vector<std::string> status);

}  // namespace warpclock::report
