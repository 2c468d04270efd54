// How the time of one point depends on the clock to which the device was locked.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/estimate.hpp"
#include "core/point.hpp"

namespace warpclock {

struct ClockScalingPoint {
  double locked_mhz = 0;               // asked for
  std::optional<double> measured_mhz;  // while the call ran, where that is known; else before it
  Estimate time_ns;                    // headline time
  std::optional<double> cycles;        // of one call
};

/// The model is time = fixed + cycles / clock. No model says that a higher clock is faster: where the times say
/// otherwise, nothing is claimed.
struct ClockScaling {
  enum class Verdict : std::uint8_t {
    fits,      // the model explains the times
    untested,  // two clocks: they always fit
    rises,     // the time is longer at a higher clock
    misfits,   // something else changes with the clock
    unknown,   // fewer than two clocks that differ were measured
  };
  std::string benchmark;
  Point point;
  std::string regime;
  std::string time;                       // "kernel time" or "call time"
  std::vector<ClockScalingPoint> points;  // by rising measured clock
  Verdict verdict = Verdict::unknown;
  double fixed_ns = 0;  // of the model; with fits and untested
  double cycles = 0;    // of the model; with fits and untested
  double top_mhz = 0;   // highest measured clock
  Estimate share;       // part of the time at top_mhz that scales with the clock, 0 to 1; with fits and untested
  double misfit = 0;    // largest distance of a time from the model, as part of that time
};

}  // namespace warpclock
