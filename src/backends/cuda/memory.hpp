// Device memory and page-locked host memory, owned.
#pragma once

#include <cuda.h>

#include <memory>

#include "backends/cuda/context.hpp"
#include "device/device.hpp"

namespace warpclock::cuda {

/// Device memory; released by the destructor, which waits for the device if the driver wants it to.
class DeviceMemory final : public Buffer {
 public:
  /// throws DeviceError naming needed and free bytes
  DeviceMemory(std::shared_ptr<const Context> context, Bytes bytes);
  ~DeviceMemory() override;

  /// The same, but null instead of an exception where there is not enough memory.
  [[nodiscard]] static std::unique_ptr<DeviceMemory> try_allocate(const std::shared_ptr<const Context>& context,
                                                                  Bytes bytes);

  [[nodiscard]] Bytes size() const override { return size_; }
  [[nodiscard]] void* address() const override;
  [[nodiscard]] CUdeviceptr pointer() const { return pointer_; }

 private:
  DeviceMemory(std::shared_ptr<const Context> context, CUdeviceptr pointer, Bytes bytes);

  std::shared_ptr<const Context> context_;
  CUdeviceptr pointer_ = 0;
  Bytes size_ = 0;
};

/// Page-locked host memory that kernels and the stream's memory operations see under a device address. Zeroed.
class MappedMemory {
 public:
  MappedMemory(std::shared_ptr<const Context> context, Bytes bytes);
  ~MappedMemory();
  MappedMemory(const MappedMemory&) = delete;
  MappedMemory& operator=(const MappedMemory&) = delete;

  [[nodiscard]] void* host() const { return host_; }
  [[nodiscard]] CUdeviceptr device() const { return device_; }

 private:
  std::shared_ptr<const Context> context_;
  void* host_ = nullptr;
  CUdeviceptr device_ = 0;
};

/// Free and total memory of the device.
[[nodiscard]] MemoryState memory_state(const Context& context);

}  // namespace warpclock::cuda
