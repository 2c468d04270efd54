// Compiled kernels on a device: those embedded in the program, or any other image (cubin, PTX, fatbin).
#pragma once

#include <cuda.h>

#include <memory>
#include <string>
#include <vector>

#include "backends/cuda/context.hpp"

namespace warpclock::cuda {

class Module {
 public:
  /// image  cubin, PTX (ending in a zero byte) or fatbin
  /// throws DeviceError where the driver cannot load it
  Module(std::shared_ptr<const Context> context, const void* image, const std::string& origin);
  ~Module();
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  /// throws DeviceError naming the module if it has no such kernel
  [[nodiscard]] CUfunction function(const std::string& name) const;
  [[nodiscard]] CUmodule handle() const { return module_; }

 private:
  std::shared_ptr<const Context> context_;
  std::string origin_;
  CUmodule module_ = nullptr;
};

/// The kernels of kernels/*.cu, which the build embedded as one fatbin.
[[nodiscard]] std::shared_ptr<Module> embedded_kernels(std::shared_ptr<const Context> context);

}  // namespace warpclock::cuda
