// The CUDA backend as the rest of the program sees it: there is always an answer, also without CUDA at build time.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "device/device.hpp"

namespace warpclock::cuda {

/// Why this build has no CUDA backend; empty where it has one (WARPCLOCK_WITH_CUDA is then defined).
[[nodiscard]] const std::string& missing_at_build_time();

/// Names of the GPUs that can be opened: "cuda:0", ...
///   throws  DeviceError saying why there is none (not built in, no driver, driver too old, no GPU)
[[nodiscard]] std::vector<std::string> device_ids();

/// Opens "cuda" or "cuda:N", N as CUDA_VISIBLE_DEVICES orders the GPUs.
///   throws  UsageError for a name that is none or a GPU that is not there, DeviceError where it cannot be opened
[[nodiscard]] std::unique_ptr<Device> open_device(const std::string& id);

/// What takes away a lock of a GPU's clocks that another process has set, without a context on that GPU.
///   identity  DeviceInfo::identity: "GPU-..."
///   throws    DeviceError where NVML does not know it, and so does what is returned
[[nodiscard]] std::function<void(ClockDomain)> clock_reset(const std::string& identity);

}  // namespace warpclock::cuda
