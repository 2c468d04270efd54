// Locks of a chip's clocks through NVML. NVML has no getter for them: nothing is ever undone here that was not asked
// for by name.
#pragma once

#include <vector>

#include "backends/cuda/nvml_functions.hpp"
#include "device/clock_wish.hpp"

namespace warpclock::cuda {

/// Clocks that the chip can be asked for in MHz, ascending; empty where NVML does not tell.
[[nodiscard]] std::vector<unsigned> supported_clocks(const NvmlFunctions& nvml, NvmlHandle chip, ClockDomain domain);

/// throws UsageError, naming the nearest clocks, for MHz that the chip does not have, or a base clock of the memory
void check_clock(const NvmlFunctions& nvml, NvmlHandle chip, ClockDomain domain, const ClockWish& wish);

/// Asks for the clock.
///   return  the MHz that were asked for; for `base` what NVML reads afterwards
///   throws  UsageError as check_clock; DeviceError without permission or support, and nothing is locked then
double lock_clock(const NvmlFunctions& nvml, NvmlHandle chip, ClockDomain domain, const ClockWish& wish);

/// Takes the lock of this domain away, whoever has set it.  throws DeviceError
void reset_clock(const NvmlFunctions& nvml, NvmlHandle chip, ClockDomain domain);

}  // namespace warpclock::cuda
