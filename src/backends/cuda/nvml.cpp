#include "backends/cuda/nvml.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>

#include "backends/cuda/nvml_clocks.hpp"
#include "backends/cuda/nvml_functions.hpp"
#include "backends/cuda/nvml_telemetry.hpp"
#include "core/errors.hpp"

namespace warpclock::cuda {

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

constexpr const char* nobody_locked = "warpclock has not locked it; NVML cannot say whether others have";

}  // namespace

NvmlDevice::NvmlDevice(const std::string& uuid, const std::string& pci_bus) : nvml_(std::make_unique<NvmlFunctions>()) {
  if (const int result = nvml_->init(); result != nvml_success) {
    throw DeviceError(fmt::format("NVML: nvmlInit: {}{}", nvml_->text(result), init_advice(result)));
  }
  if (const int result = find(uuid, pci_bus); result != nvml_success) {
    (void)nvml_->shutdown();
    throw DeviceError(fmt::format("NVML: knows no GPU with UUID {} or at {}: {}", uuid, pci_bus, nvml_->text(result)));
  }
  reader_ = std::make_unique<TelemetryReader>(*nvml_, device_);
}

int NvmlDevice::find(const std::string& uuid, const std::string& pci_bus) {
  int result = nvml_->by_uuid(("GPU-" + uuid).c_str(), &device_);
  if (result == nvml_success) {
    slice_ = device_;
    return result;
  }
  if (nvml_->chip_of_slice != nullptr && nvml_->by_uuid(("MIG-" + uuid).c_str(), &slice_) == nvml_success) {
    is_mig_slice_ = true;
    return nvml_->chip_of_slice(slice_, &device_);
  }
  result = nvml_->by_pci(pci_bus.c_str(), &device_);
  slice_ = device_;
  return result;
}

NvmlDevice::~NvmlDevice() { (void)nvml_->shutdown(); }

std::string NvmlDevice::library() const {
  return fmt::format("{} ({})", nvml_->library.path(), nvml_->library.found_by());
}

std::string NvmlDevice::driver_version() const {
  std::array<char, 96> text{};  // NVML_SYSTEM_DRIVER_VERSION_BUFFER_SIZE is 80
  return nvml_problem(*nvml_, nvml_->driver_version, text.data(), 80U).empty() ? text.data() : "";
}

Telemetry NvmlDevice::telemetry() {
  Telemetry out = reader_->read();
  out.sm_clock_requested_mhz = locked_sm_mhz_;
  out.memory_clock_requested_mhz = locked_memory_mhz_;
  if (!locked_sm_mhz_) out.missing["sm_clock_requested_mhz"] = nobody_locked;
  if (!locked_memory_mhz_) out.missing["memory_clock_requested_mhz"] = nobody_locked;
  return out;
}

std::optional<bool> NvmlDevice::mig_enabled() const {
  unsigned current = 0;
  unsigned pending = 0;
  if (!nvml_problem(*nvml_, nvml_->mig_mode, device_, &current, &pending).empty()) return std::nullopt;
  return current != 0;
}

std::optional<bool> NvmlDevice::persistence_mode() const {
  unsigned mode = 0;
  if (!nvml_problem(*nvml_, nvml_->persistence, device_, &mode).empty()) return std::nullopt;
  return mode != 0;
}

std::optional<std::vector<OtherProcess>> NvmlDevice::other_processes() const {
  if (nvml_->processes == nullptr) return std::nullopt;
  std::vector<NvmlProcessInfo> infos(64);
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
  const auto own = std::find_if(infos.begin(), infos.end(), [](const NvmlProcessInfo& info) {
    return info.pid == static_cast<unsigned>(getpid());
  });
  if (own != infos.end()) {
    infos.erase(own);
  } else if (!infos.empty()) {
    infos.pop_back();
  }
  std::vector<OtherProcess> others;
  for (const NvmlProcessInfo& info : infos) {
    OtherProcess other{info.pid, std::nullopt};
    if (info.used_memory != ~0ULL) other.memory_bytes = info.used_memory;
    others.push_back(other);
  }
  return others;
}

void NvmlDevice::check_clock(ClockDomain domain, const ClockWish& wish) const {
  cuda::check_clock(*nvml_, device_, domain, wish);
}

double NvmlDevice::lock_clock(ClockDomain domain, const ClockWish& wish) {
  if (is_mig_slice_) {
    throw DeviceError("a MIG slice shares its clocks with the chip's other slices; lock them on the whole chip");
  }
  const double mhz = cuda::lock_clock(*nvml_, device_, domain, wish);
  (domain == ClockDomain::sm ? locked_sm_mhz_ : locked_memory_mhz_) = mhz;
  return mhz;
}

void NvmlDevice::unlock_clocks() {
  if (locked_sm_mhz_) reset_clock(ClockDomain::sm);
  if (locked_memory_mhz_) reset_clock(ClockDomain::memory);
}

void NvmlDevice::reset_clock(ClockDomain domain) {
  cuda::reset_clock(*nvml_, device_, domain);
  (domain == ClockDomain::sm ? locked_sm_mhz_ : locked_memory_mhz_).reset();
}

}  // namespace warpclock::cuda
