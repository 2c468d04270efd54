#include "backends/cuda/nvml.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>

#include "backends/cuda/libraries.hpp"
#include "core/errors.hpp"

namespace warpclock::cuda {

// The few calls that are used, as nvml.h declares them: their header is in no toolkit package that we need otherwise.
// Return values and enumerators are NVML's (API version 12).
namespace {

using Handle = void*;
constexpr int nvml_success = 0;
constexpr int nvml_no_permission = 4;
constexpr int nvml_insufficient_size = 7;
constexpr int nvml_driver_not_loaded = 9;
constexpr int nvml_lib_rm_version_mismatch = 18;
constexpr unsigned clock_sm = 1;
constexpr unsigned clock_memory = 2;
constexpr unsigned temperature_gpu = 0;

struct ProcessInfo {  // nvmlProcessInfo_v2_t, what ..._v3 of the call fills
  unsigned pid;
  unsigned long long used_memory;  // all ones: not known
  unsigned gpu_instance;
  unsigned compute_instance;
};

constexpr std::array<std::pair<unsigned long long, const char*>, 7> throttle_bits{{
    {0x2, "application clocks"},
    {0x4, "power limit"},
    {0x8, "hardware slowdown"},
    {0x10, "sync boost"},
    {0x20, "temperature"},
    {0x40, "temperature (hardware)"},
    {0x80, "power brake"},
}};

}  // namespace

struct NvmlFunctions {
  NvmlFunctions() : library({"NVML", "WARPCLOCK_LIBNVML", {"libnvidia-ml.so.1"}, {}, {}}) {
    library.bind(init, "nvmlInit_v2");
    library.bind(shutdown, "nvmlShutdown");
    library.bind(error_string, "nvmlErrorString");
    library.bind(by_uuid, "nvmlDeviceGetHandleByUUID");
    library.bind(by_pci, "nvmlDeviceGetHandleByPciBusId_v2");
    library.bind(driver_version, "nvmlSystemGetDriverVersion");
    library.bind(clock, "nvmlDeviceGetClockInfo");
    library.bind(max_clock, "nvmlDeviceGetMaxClockInfo");
    library.bind(power, "nvmlDeviceGetPowerUsage");
    library.bind(power_limit, "nvmlDeviceGetEnforcedPowerLimit");
    library.bind(temperature, "nvmlDeviceGetTemperature");
    library.bind(throttle_reasons, "nvmlDeviceGetCurrentClocksThrottleReasons");
    library.bind(persistence, "nvmlDeviceGetPersistenceMode");
    library.bind(mig_mode, "nvmlDeviceGetMigMode");
    library.bind(chip_of_slice, "nvmlDeviceGetDeviceHandleFromMigDeviceHandle");
    library.bind(processes, "nvmlDeviceGetComputeRunningProcesses_v3");
  }

  [[nodiscard]] std::string text(int result) const {
    const char* name = error_string(result);
    return fmt::format("{} ({})", name == nullptr ? "unknown error" : name, result);
  }

  Library library;
  int (*init)() = nullptr;
  int (*shutdown)() = nullptr;
  const char* (*error_string)(int) = nullptr;
  int (*by_uuid)(const char*, Handle*) = nullptr;
  int (*by_pci)(const char*, Handle*) = nullptr;
  int (*driver_version)(char*, unsigned) = nullptr;
  int (*clock)(Handle, unsigned, unsigned*) = nullptr;      // MHz
  int (*max_clock)(Handle, unsigned, unsigned*) = nullptr;  // MHz
  int (*power)(Handle, unsigned*) = nullptr;                // mW
  int (*power_limit)(Handle, unsigned*) = nullptr;          // mW
  int (*temperature)(Handle, unsigned, unsigned*) = nullptr;
  int (*throttle_reasons)(Handle, unsigned long long*) = nullptr;
  int (*persistence)(Handle, unsigned*) = nullptr;
  int (*mig_mode)(Handle, unsigned*, unsigned*) = nullptr;
  int (*chip_of_slice)(Handle, Handle*) = nullptr;
  int (*processes)(Handle, unsigned*, ProcessInfo*) = nullptr;
};

namespace {

std::string init_advice(int result) {
  switch (result) {
    case nvml_no_permission:
      return "; this user may not open /dev/nvidiactl";
    case nvml_driver_not_loaded:
      return "; load the nvidia kernel module";
    case nvml_lib_rm_version_mismatch:
      return "; library and kernel module differ: reboot after the driver update";
    default:
      return "";
  }
}

template <class Call, class... Args>
std::optional<double> number(Call call, double scale, Args... args) {
  unsigned value = 0;
  if (call(args..., &value) != nvml_success) return std::nullopt;
  return value * scale;
}

}  // namespace

NvmlDevice::NvmlDevice(const std::string& uuid, const std::string& pci_bus) : nvml_(std::make_unique<NvmlFunctions>()) {
  if (const int result = nvml_->init(); result != nvml_success) {
    throw DeviceError(fmt::format("NVML: nvmlInit: {}{}", nvml_->text(result), init_advice(result)));
  }
  int result = nvml_->by_uuid(("GPU-" + uuid).c_str(), &device_);
  if (result == nvml_success) {
    slice_ = device_;
    return;
  }
  if (nvml_->by_uuid(("MIG-" + uuid).c_str(), &slice_) == nvml_success) {
    is_mig_slice_ = true;
    result = nvml_->chip_of_slice(slice_, &device_);
  } else {
    result = nvml_->by_pci(pci_bus.c_str(), &device_);
    slice_ = device_;
  }
  if (result == nvml_success) return;
  (void)nvml_->shutdown();
  throw DeviceError(fmt::format("NVML: knows no GPU with UUID {} or at {}: {}", uuid, pci_bus, nvml_->text(result)));
}

NvmlDevice::~NvmlDevice() { (void)nvml_->shutdown(); }

std::string NvmlDevice::library() const {
  return fmt::format("{} ({})", nvml_->library.path(), nvml_->library.found_by());
}

std::string NvmlDevice::driver_version() const {
  std::array<char, 96> text{};  // NVML_SYSTEM_DRIVER_VERSION_BUFFER_SIZE is 80
  return nvml_->driver_version(text.data(), 80) == nvml_success ? text.data() : "";
}

Telemetry NvmlDevice::telemetry() const {
  Telemetry t;
  t.sm_clock_mhz = number(nvml_->clock, 1, device_, clock_sm);
  t.memory_clock_mhz = number(nvml_->clock, 1, device_, clock_memory);
  t.power_watts = number(nvml_->power, 1e-3, device_);
  t.power_limit_watts = number(nvml_->power_limit, 1e-3, device_);
  t.temperature_celsius = number(nvml_->temperature, 1, device_, temperature_gpu);
  unsigned long long reasons = 0;
  if (nvml_->throttle_reasons(device_, &reasons) == nvml_success) {
    for (const auto& [bit, name] : throttle_bits) {
      if ((reasons & bit) != 0) t.throttle_reasons.emplace_back(name);
    }
  }
  return t;
}

std::optional<double> NvmlDevice::max_sm_clock_mhz() const { return number(nvml_->max_clock, 1, device_, clock_sm); }

std::optional<double> NvmlDevice::max_memory_clock_mhz() const {
  return number(nvml_->max_clock, 1, device_, clock_memory);
}

std::optional<bool> NvmlDevice::mig_enabled() const {
  unsigned current = 0;
  unsigned pending = 0;
  if (nvml_->mig_mode(device_, &current, &pending) != nvml_success) return std::nullopt;
  return current != 0;
}

std::optional<bool> NvmlDevice::persistence_mode() const {
  unsigned mode = 0;
  if (nvml_->persistence(device_, &mode) != nvml_success) return std::nullopt;
  return mode != 0;
}

std::optional<std::vector<OtherProcess>> NvmlDevice::other_processes() const {
  std::vector<ProcessInfo> infos(64);
  auto count = static_cast<unsigned>(infos.size());
  int result = nvml_->processes(slice_, &count, infos.data());
  if (result == nvml_insufficient_size) {
    infos.resize(count + 16);  // some more may have come meanwhile
    count = static_cast<unsigned>(infos.size());
    result = nvml_->processes(slice_, &count, infos.data());
  }
  if (result != nvml_success) return std::nullopt;
  infos.resize(count);
  // We have a context, so one entry is ours. In a container NVML may name processes by numbers that are not those
  // here; then the newest entry stands for us.
  const auto own = std::find_if(infos.begin(), infos.end(),
                                [](const ProcessInfo& info) { return info.pid == static_cast<unsigned>(getpid()); });
  if (own != infos.end()) {
    infos.erase(own);
  } else if (!infos.empty()) {
    infos.pop_back();
  }
  std::vector<OtherProcess> others;
  for (const ProcessInfo& info : infos) {
    OtherProcess other{info.pid, std::nullopt};
    if (info.used_memory != ~0ULL) other.memory_bytes = info.used_memory;
    others.push_back(other);
  }
  return others;
}

}  // namespace warpclock::cuda
