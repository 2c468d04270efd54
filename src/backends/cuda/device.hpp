// One NVIDIA GPU behind the Device interface. Include backend.hpp where cuda.h may be missing.
#pragma once

#include <cuda.h>

#include <memory>
#include <string>

#include "backends/cuda/context.hpp"
#include "backends/cuda/cublaslt.hpp"
#include "backends/cuda/module.hpp"
#include "backends/cuda/nvml.hpp"
#include "backends/cuda/stream.hpp"
#include "device/device.hpp"

namespace warpclock::cuda {

class CudaDevice final : public Device {
 public:
  /// ordinal  as CUDA_VISIBLE_DEVICES orders the GPUs
  /// throws   UsageError for an ordinal that is not there, DeviceError naming what is missing
  explicit CudaDevice(int ordinal);
  ~CudaDevice() override;

  [[nodiscard]] const DeviceInfo& info() const override;
  [[nodiscard]] MemoryState memory() const override;
  [[nodiscard]] std::unique_ptr<Buffer> allocate(Bytes bytes) override;
  [[nodiscard]] Stream& stream() override { return *stream_; }
  [[nodiscard]] Nanoseconds host_now() const override;
  void host_wait(Nanoseconds duration) override;
  [[nodiscard]] Telemetry telemetry() override;
  void check_clock(ClockDomain domain, const ClockWish& wish) override;
  double lock_clock(ClockDomain domain, const ClockWish& wish) override;
  void unlock_clocks() override;

  void start_profiling(const std::string& name) override;
  void stop_profiling() override;
  [[nodiscard]] std::string profiler_marks() const override;

  /// The same stream with what only CUDA has: handle() and launch().
  [[nodiscard]] CudaStream& cuda_stream() { return *stream_; }
  [[nodiscard]] const std::shared_ptr<const Context>& context() const { return context_; }
  /// A kernel of kernels/*.cu by its name: "add_f32".  throws DeviceError if there is none
  [[nodiscard]] CUfunction kernel(const std::string& name) const { return module_->function(name); }
  /// cuBLASLt on this device, loaded when it is asked for first.  throws DeviceError saying what is missing
  [[nodiscard]] std::shared_ptr<const CublasLt> cublaslt();

 private:
  std::shared_ptr<const Context> context_;
  std::shared_ptr<Module> module_;
  std::shared_ptr<Tracer> tracer_;
  std::unique_ptr<CudaStream> stream_;
  std::unique_ptr<NvmlDevice> nvml_;  // null: nvml_problem_ says why
  std::string nvml_problem_;
  std::shared_ptr<const CublasLt> cublaslt_;  // null until it is used
  mutable DeviceInfo info_;                   // "evict" in it follows what the stream found out
};

/// The CUDA device and stream behind the abstract ones, for launchers that need the raw handles.
///   throws  UsageError where `device` is not a CudaDevice
[[nodiscard]] CudaDevice& as_cuda(Device& device);
[[nodiscard]] CudaStream& as_cuda(Stream& stream);

}  // namespace warpclock::cuda
