// What the management library knows of a GPU: power, clocks, who else uses it. Only locks of clocks are ever set.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/telemetry.hpp"
#include "device/clock_wish.hpp"

namespace warpclock::cuda {

/// Another process that computes on the same GPU.
struct OtherProcess {
  unsigned pid = 0;
  std::optional<std::uint64_t> memory_bytes;
};

struct NvmlFunctions;
class TelemetryReader;

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
  /// Fields that are not told, or cannot be, are absent with the reason (core/telemetry.hpp).
  [[nodiscard]] Telemetry telemetry();
  [[nodiscard]] std::optional<bool> mig_enabled() const;
  [[nodiscard]] std::optional<bool> persistence_mode() const;
  /// Processes other than this one that have a compute context on the GPU (of the slice, where it is one).
  ///   return  absent where NVML does not tell
  [[nodiscard]] std::optional<std::vector<OtherProcess>> other_processes() const;

  /// throws UsageError for a clock that the chip does not have
  void check_clock(ClockDomain domain, const ClockWish& wish) const;
  /// As Device::lock_clock. A MIG slice shares its clocks with others and is refused.
  double lock_clock(ClockDomain domain, const ClockWish& wish);
  /// Undoes what lock_clock() did through this object.  throws DeviceError
  void unlock_clocks();
  /// Takes the lock of this domain away although another process has set it.  throws DeviceError
  void reset_clock(ClockDomain domain);

 private:
  /// Fills device_ and slice_.  return: NVML's result
  int find(const std::string& uuid, const std::string& pci_bus);

  std::unique_ptr<NvmlFunctions> nvml_;
  std::unique_ptr<TelemetryReader> reader_;
  void* device_ = nullptr;  // the chip
  void* slice_ = nullptr;   // the MIG slice, or the chip
  bool is_mig_slice_ = false;
  std::optional<double> locked_sm_mhz_;
  std::optional<double> locked_memory_mhz_;
};

}  // namespace warpclock::cuda
