// The stream of the CPU device, on top of its worker.
#pragma once

#include <memory>

#include "backends/cpu/device.hpp"

namespace warpclock::cpu {

/// throws DeviceError if its worker thread cannot be started
[[nodiscard]] std::unique_ptr<CpuStream> make_stream();

}  // namespace warpclock::cpu
