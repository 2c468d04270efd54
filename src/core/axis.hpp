// An axis of a benchmark as it is declared: what values it may take, and which it takes when nobody says.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "core/point.hpp"

namespace warpclock {

struct AxisSpec {
  std::string name;  // "M"
  std::string unit;  // "", "ns", "elements"
  std::string help;  // one line
  std::vector<AxisValue> defaults;
  std::int64_t min = 1;  // integer axes: smallest and largest value allowed, both included
  std::int64_t max = std::numeric_limits<std::int64_t>::max();
  std::vector<std::string> choices;  // not empty: a text axis that takes one of these

  std::string zip;  // axes with the same word here take their values together, as tuples; empty: on its own

  [[nodiscard]] bool is_text() const { return !choices.empty(); }
};

}  // namespace warpclock
