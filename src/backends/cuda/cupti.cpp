#include "backends/cuda/cupti.hpp"

#include <fmt/format.h>

#include <fstream>

#include "core/errors.hpp"

namespace warpclock::cuda {

namespace {

bool on_wsl(const std::string& kernel_release_file) {
  std::ifstream version(kernel_release_file);
  std::string line;
  std::getline(version, line);
  return line.find("icrosoft") != std::string::npos;
}

// Newer than the oldest headers that this builds with (CUPTI 12.0); values of cupti_result.h 13.0.
constexpr int mig_device_not_supported = 43;
constexpr int wsl_device_not_supported = 45;

std::string advice(int result, const std::string& wanted, const std::string& kernel_release_file) {
  switch (result) {
    case CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED:
      return "another tool in this process holds CUPTI (a torch profiler, nsys, ncu, compute-sanitizer): end it first";
    case CUPTI_ERROR_INSUFFICIENT_PRIVILEGES:
    case CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES:
      return on_wsl(kernel_release_file)
                 ? "under WSL 2 the Windows driver decides: allow GPU performance counters in its control panel"
                 : fmt::format(
                       "the driver restricts {} to administrators: load nvidia with "
                       "NVreg_RestrictProfilingToAdminUsers=0, or give the container CAP_SYS_ADMIN",
                       wanted);
    case wsl_device_not_supported:
      return "under WSL 2 this GPU does not support " + wanted;
    case mig_device_not_supported:
      return "a MIG slice does not support " + wanted + " with this CUPTI";
    case CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED:
      return "confidential computing does not permit " + wanted;
    case CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED:
      return "this virtual GPU does not support " + wanted + ": its host must permit it";
    case CUPTI_ERROR_HARDWARE_BUSY:
      return "another profiler uses the chip's counters (ncu, nsys, DCGM's profiling metrics): end it first";
    case CUPTI_ERROR_NOT_INITIALIZED:
      return "CUPTI does not fit the driver: install the CUPTI of the driver's CUDA version";
    default:
      return "";
  }
}

}  // namespace

LibrarySpec cupti_spec(int driver_version) {
  return {"CUPTI",
          "WARPCLOCK_LIBCUPTI",
          versioned_names("libcupti", driver_version / 1000, 12),
          {"cuda_cupti/lib", "cu13/lib", "cu12/lib"},
          {"lib64", "extras/CUPTI/lib64"}};
}

Cupti::Cupti(int driver_version) : library(cupti_spec(driver_version)) {
  library.bind(get_version, "cuptiGetVersion");
  library.bind(result_string, "cuptiGetResultString");
  library.bind(subscribe, "cuptiSubscribe");
  library.bind(unsubscribe, "cuptiUnsubscribe");
  library.bind(register_callbacks, "cuptiActivityRegisterCallbacks");
  library.bind(enable, "cuptiActivityEnable");
  library.bind(disable, "cuptiActivityDisable");
  library.bind(flush_all, "cuptiActivityFlushAll");
  library.bind(next_record, "cuptiActivityGetNextRecord");
  library.bind(dropped_records, "cuptiActivityGetNumDroppedRecords");
  library.bind(device_id, "cuptiGetDeviceId");
  library.bind(stream_id, "cuptiGetStreamIdEx");
  if (get_version(&version) != CUPTI_SUCCESS) version = 0;
}

void Cupti::check(int result, const char* call, const std::string& wanted,
                  const std::string& kernel_release_file) const {
  if (result == CUPTI_SUCCESS) return;
  const char* name = nullptr;
  (void)result_string(static_cast<CUptiResult>(result), &name);
  std::string line = fmt::format("CUPTI: {}: {} ({})", call, name == nullptr ? "unknown error" : name, result);
  if (const std::string what = advice(result, wanted, kernel_release_file); !what.empty()) line += "; " + what;
  throw DeviceError(line);
}

}  // namespace warpclock::cuda
