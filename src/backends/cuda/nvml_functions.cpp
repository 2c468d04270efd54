#include "backends/cuda/nvml_functions.hpp"

#include <fmt/format.h>

namespace warpclock::cuda {

namespace {

template <class Function>
void bind_optional(const Library& library, Function*& pointer, const char* name) {
  pointer = reinterpret_cast<Function*>(library.symbol(name));
}

}  // namespace

NvmlFunctions::NvmlFunctions() : library({"NVML", "WARPCLOCK_LIBNVML", {"libnvidia-ml.so.1"}, {}, {}}) {
  library.bind(init, "nvmlInit_v2");
  library.bind(shutdown, "nvmlShutdown");
  library.bind(error_string, "nvmlErrorString");
  library.bind(by_uuid, "nvmlDeviceGetHandleByUUID");
  library.bind(by_pci, "nvmlDeviceGetHandleByPciBusId_v2");

  const auto bind = [&](auto*& pointer, const char* name) { bind_optional(library, pointer, name); };
  bind(driver_version, "nvmlSystemGetDriverVersion");
  bind(persistence, "nvmlDeviceGetPersistenceMode");
  bind(mig_mode, "nvmlDeviceGetMigMode");
  bind(chip_of_slice, "nvmlDeviceGetDeviceHandleFromMigDeviceHandle");
  bind(processes, "nvmlDeviceGetComputeRunningProcesses_v3");
  bind(clock, "nvmlDeviceGetClockInfo");
  bind(max_clock, "nvmlDeviceGetMaxClockInfo");
  bind(power, "nvmlDeviceGetPowerUsage");
  bind(power_limit, "nvmlDeviceGetEnforcedPowerLimit");
  bind(temperature, "nvmlDeviceGetTemperature");
  bind(energy, "nvmlDeviceGetTotalEnergyConsumption");
  bind(throttle_reasons, "nvmlDeviceGetCurrentClocksEventReasons");
  if (throttle_reasons == nullptr) bind(throttle_reasons, "nvmlDeviceGetCurrentClocksThrottleReasons");  // before R535
  bind(field_values, "nvmlDeviceGetFieldValues");
  bind(violation, "nvmlDeviceGetViolationStatus");
  bind(memory_clocks, "nvmlDeviceGetSupportedMemoryClocks");
  bind(graphics_clocks, "nvmlDeviceGetSupportedGraphicsClocks");
  bind(lock_sm, "nvmlDeviceSetGpuLockedClocks");
  bind(unlock_sm, "nvmlDeviceResetGpuLockedClocks");
  bind(lock_memory, "nvmlDeviceSetMemoryLockedClocks");
  bind(unlock_memory, "nvmlDeviceResetMemoryLockedClocks");
}

std::string NvmlFunctions::text(int result) const {
  const char* name = error_string(result);
  return fmt::format("{} ({})", name == nullptr ? "unknown error" : name, result);
}

}  // namespace warpclock::cuda
