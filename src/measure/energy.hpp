// Energy of one call, from the chip's counter over calls back to back.
#pragma once

#include <optional>
#include <string>

#include "core/telemetry.hpp"
#include "measure/back_to_back.hpp"
#include "measure/control.hpp"

namespace warpclock {

struct EnergyReading {
  std::optional<Energy> energy;
  std::string missing;  // why there is none
};

/// Runs the call back to back for 1.5 s and reads the counter meanwhile. The counter moves only every 20 to 100 ms, so
/// the time between two of its moves is what is taken, and its step over the calls in that time is the resolution.
///   flops  of a call; 0: joules per flop stay empty
[[nodiscard]] EnergyReading measure_energy(Device& device, BackToBack& load, double flops, const Control& control);

}  // namespace warpclock
