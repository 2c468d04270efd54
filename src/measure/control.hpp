// How a caller follows and stops a measurement. Measuring itself prints nothing.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string_view>

#include "core/estimate.hpp"
#include "core/units.hpp"

namespace warpclock {

/// Where the measurement of one point stands.
struct Progress {
  std::string_view phase;   // "first call", "settling", "calibrating", "traced", "untraced", "marginal", "checking"
  std::size_t samples = 0;  // taken so far in this point
  std::optional<Estimate> estimate;  // of the headline time so far, in ns
};

struct Control {
  std::function<bool()> interrupted = [] { return false; };  // asked between samples
  std::function<void(const Progress&)> progress = [](const Progress&) {};
};

}  // namespace warpclock
