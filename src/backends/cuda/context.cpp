#include "backends/cuda/context.hpp"

#include <fmt/format.h>

#include "core/errors.hpp"

namespace warpclock::cuda {

Context::Context(int ordinal) : driver_(load_driver()), ordinal_(ordinal) {
  int count = 0;
  check(driver_->device_count(&count), "cuDeviceGetCount");
  if (ordinal < 0 || ordinal >= count) {
    throw UsageError(
        fmt::format("{}: there are {} GPUs here, numbered from 0 in the order of CUDA_VISIBLE_DEVICES", id(), count));
  }
  check(driver_->device(&device_, ordinal), "cuDeviceGet");
  check(driver_->primary_context_retain(&context_, device_), "cuDevicePrimaryCtxRetain");
}

Context::~Context() { (void)driver_->primary_context_release(device_); }

int Context::attribute(CUdevice_attribute attribute) const {
  int value = 0;
  return driver_->device_attribute(&value, attribute, device_) == CUDA_SUCCESS ? value : 0;
}

ContextGuard::ContextGuard(const Context& context) : context_(context), pushed_(true) {
  context_.check(context_.driver().context_push(context_.handle()), "cuCtxPushCurrent");
}

ContextGuard::ContextGuard(const Context& context, std::nothrow_t) noexcept
    : context_(context), pushed_(context.driver().context_push(context.handle()) == CUDA_SUCCESS) {}

ContextGuard::~ContextGuard() {
  CUcontext ours = nullptr;
  if (pushed_) (void)context_.driver().context_pop(&ours);
}

}  // namespace warpclock::cuda
