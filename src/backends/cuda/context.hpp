// The primary context of one GPU, so that <<<>>>, torch and Triton in the same process share it with us, and the
// driver calls that need no stream.
#pragma once

#include <cuda.h>

#include <memory>
#include <new>
#include <string>

#include "backends/cuda/driver.hpp"

namespace warpclock::cuda {

/// Owns one reference to the primary context of a device. Shared by the device, its stream and its buffers.
class Context {
 public:
  /// ordinal  as CUDA_VISIBLE_DEVICES orders the GPUs
  /// throws   UsageError for an ordinal that is not there, DeviceError where the driver refuses
  explicit Context(int ordinal);
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  [[nodiscard]] const Driver& driver() const { return *driver_; }
  [[nodiscard]] CUdevice device() const { return device_; }
  [[nodiscard]] CUcontext handle() const { return context_; }
  [[nodiscard]] int ordinal() const { return ordinal_; }
  [[nodiscard]] std::string id() const { return "cuda:" + std::to_string(ordinal_); }
  /// Value of a device attribute; 0 where the driver does not know it.
  [[nodiscard]] int attribute(CUdevice_attribute attribute) const;
  /// throws KernelError or DeviceError unless `result` is CUDA_SUCCESS.  call  name of the driver call: "cuMemAlloc"
  void check(CUresult result, const char* call) const { cuda::check(*driver_, result, call, id()); }

 private:
  std::shared_ptr<const Driver> driver_;
  int ordinal_;
  CUdevice device_ = 0;
  CUcontext context_ = nullptr;
};

/// Makes a context current for as long as it lives, whatever the caller had before.
class [[nodiscard]] ContextGuard {
 public:
  /// throws as Context::check does
  [[nodiscard]] explicit ContextGuard(const Context& context);
  /// For destructors: a context that is lost is left alone.
  [[nodiscard]] ContextGuard(const Context& context, std::nothrow_t) noexcept;
  ~ContextGuard();
  ContextGuard(const ContextGuard&) = delete;
  ContextGuard& operator=(const ContextGuard&) = delete;

 private:
  const Context& context_;
  bool pushed_;
};

}  // namespace warpclock::cuda
