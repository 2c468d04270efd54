// Memory of the CPU device: page-aligned, zeroed and really there, so that no page fault falls into a timed call.
#pragma once

#include <memory>

#include "device/device.hpp"

namespace warpclock::cpu {

/// Total and free memory: what /proc/meminfo says, cut down to the memory limits of this process's control groups.
[[nodiscard]] MemoryState memory_state();

/// `bytes` of zeroed memory, aligned to a page, every page touched.
///   throws  UsageError for 0 bytes, DeviceError naming needed and free bytes where they do not fit
[[nodiscard]] std::unique_ptr<Buffer> allocate(Bytes bytes);

}  // namespace warpclock::cpu
