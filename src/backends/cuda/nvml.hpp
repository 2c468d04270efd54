// What the management library knows of a GPU: power, clocks, who else uses it. Read-only; nothing is ever set.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace warpclock::cuda {

/// State of the chip at one moment. What the driver does not tell is absent.
struct Telemetry {
  std::optional<double> sm_clock_mhz;
  std::optional<double> memory_clock_mhz;
  std::optional<double> power_watts;
  std::optional<double> power_limit_watts;
  std::optional<double> temperature_celsius;
  std::vector<std::string> throttle_reasons;  // "power limit", "temperature", ...; empty: none, or not told
};

/// Another process that computes on the same GPU.
struct OtherProcess {
  unsigned pid = 0;
  std::optional<std::uint64_t> memory_bytes;
};

struct NvmlFunctions;  // the table (nvml.cpp)

/// One GPU as NVML sees it. It is found by UUID or PCI address, never by index: NVML knows nothing of
/// CUDA_VISIBLE_DEVICES.
class NvmlDevice {
 public:
  /// uuid     as nvidia-smi prints it, without "GPU-" or "MIG-": a MIG slice is looked for too
  /// pci_bus  "0000:3B:00.0", used where the UUID is not known
  /// throws   DeviceError: no NVML, no permission, or it knows no such GPU
  NvmlDevice(const std::string& uuid, const std::string& pci_bus);
  ~NvmlDevice();
  NvmlDevice(const NvmlDevice&) = delete;
  NvmlDevice& operator=(const NvmlDevice&) = delete;

  [[nodiscard]] std::string library() const;
  [[nodiscard]] std::string driver_version() const;  // "580.159.04"; empty where not told
  /// True where the CUDA device is a slice; clocks and power are then those of the whole chip.
  [[nodiscard]] bool is_mig_slice() const { return is_mig_slice_; }
  [[nodiscard]] Telemetry telemetry() const;
  [[nodiscard]] std::optional<double> max_sm_clock_mhz() const;
  [[nodiscard]] std::optional<double> max_memory_clock_mhz() const;
  [[nodiscard]] std::optional<bool> mig_enabled() const;
  [[nodiscard]] std::optional<bool> persistence_mode() const;
  /// Processes other than this one that have a compute context on the GPU (of the slice, where it is one).
  ///   return  absent where NVML does not tell
  [[nodiscard]] std::optional<std::vector<OtherProcess>> other_processes() const;

 private:
  std::unique_ptr<NvmlFunctions> nvml_;
  void* device_ = nullptr;  // the chip
  void* slice_ = nullptr;   // the MIG slice, or the chip
  bool is_mig_slice_ = false;
};

}  // namespace warpclock::cuda
