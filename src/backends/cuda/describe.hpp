// Everything about a GPU that is worth printing, and what can and cannot be done on it.
#pragma once

#include <string>

#include "backends/cuda/context.hpp"
#include "backends/cuda/nvml.hpp"
#include "backends/cuda/stream.hpp"
#include "device/device.hpp"

namespace warpclock::cuda {

/// What opening the parts of the backend has shown.
struct Parts {
  const Context& context;
  const CudaStream& stream;
  NvmlDevice* nvml = nullptr;  // null: nvml_problem says why
  std::string nvml_problem;
  std::string tracing_library;  // empty: tracing_problem says why
  std::string tracing_problem;
  Nanoseconds record_step{0};
};

[[nodiscard]] DeviceInfo describe(const Parts& parts);

/// UUID in the usual form, without "GPU-" in front: "8b4c7f1e-...".  throws DeviceError
[[nodiscard]] std::string uuid_text(const Context& context);
/// "0000:3B:00.0".  throws DeviceError
[[nodiscard]] std::string pci_bus_text(const Context& context);

/// Commands that fit behind a hold, with what CUDA_SCALE_LAUNCH_QUEUES makes of it.
[[nodiscard]] std::size_t launch_queue_limit();

}  // namespace warpclock::cuda
