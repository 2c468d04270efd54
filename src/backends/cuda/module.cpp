#include "backends/cuda/module.hpp"

#include <fmt/format.h>

#include <utility>

#include "core/errors.hpp"

extern "C" const unsigned char warpclock_fatbin[];  // kernels/*.cu, put into the program by cmake/cuda.cmake

namespace warpclock::cuda {

Module::Module(std::shared_ptr<const Context> context, const void* image, const std::string& origin)
    : context_(std::move(context)), origin_(origin) {
  const ContextGuard guard(*context_);
  context_->check(context_->driver().module_load(&module_, image), "cuModuleLoadData");
}

Module::~Module() {
  const ContextGuard guard(*context_, std::nothrow);
  (void)context_->driver().module_unload(module_);
}

CUfunction Module::function(const std::string& name) const {
  const ContextGuard guard(*context_);
  CUfunction function = nullptr;
  const CUresult result = context_->driver().module_function(&function, module_, name.c_str());
  if (result == CUDA_ERROR_NOT_FOUND) {
    throw DeviceError(fmt::format("{}: no kernel named {} in {}; kernels need extern \"C\" or their mangled name",
                                  context_->id(), name, origin_));
  }
  context_->check(result, "cuModuleGetFunction");
  return function;
}

std::shared_ptr<Module> embedded_kernels(std::shared_ptr<const Context> context) {
  return std::make_shared<Module>(std::move(context), warpclock_fatbin, "the program's own kernels");
}

}  // namespace warpclock::cuda
