#include "backends/cuda/memory.hpp"

#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <utility>

#include "core/errors.hpp"

namespace warpclock::cuda {

namespace {

/// CUDA refuses to allocate nothing; an empty buffer still needs an address of its own.
Bytes at_least_one(Bytes bytes) { return bytes == 0 ? 1 : bytes; }

}  // namespace

DeviceMemory::DeviceMemory(std::shared_ptr<const Context> context, Bytes bytes)
    : context_(std::move(context)), size_(bytes) {
  const ContextGuard guard(*context_);
  const CUresult result = context_->driver().memory_allocate(&pointer_, at_least_one(bytes));
  if (result == CUDA_ERROR_OUT_OF_MEMORY) {
    const MemoryState now = memory_state(*context_);
    throw DeviceError(fmt::format(
        "{}: cuMemAlloc: {} bytes needed, {} of {} bytes free; choose a smaller problem or end what else uses the GPU",
        context_->id(), bytes, now.free, now.total));
  }
  context_->check(result, "cuMemAlloc");
}

DeviceMemory::DeviceMemory(std::shared_ptr<const Context> context, CUdeviceptr pointer, Bytes bytes)
    : context_(std::move(context)), pointer_(pointer), size_(bytes) {}

DeviceMemory::~DeviceMemory() {
  const ContextGuard guard(*context_, std::nothrow);
  (void)context_->driver().memory_free(pointer_);  // fails only with the whole context, which takes the memory along
}

std::unique_ptr<DeviceMemory> DeviceMemory::try_allocate(const std::shared_ptr<const Context>& context, Bytes bytes) {
  const ContextGuard guard(*context);
  CUdeviceptr pointer = 0;
  const CUresult result = context->driver().memory_allocate(&pointer, at_least_one(bytes));
  if (result == CUDA_ERROR_OUT_OF_MEMORY) return nullptr;
  context->check(result, "cuMemAlloc");
  return std::unique_ptr<DeviceMemory>(new DeviceMemory(context, pointer, bytes));
}

void* DeviceMemory::address() const { return std::bit_cast<void*>(static_cast<std::uintptr_t>(pointer_)); }

MappedMemory::MappedMemory(std::shared_ptr<const Context> context, Bytes bytes) : context_(std::move(context)) {
  const ContextGuard guard(*context_);
  const unsigned flags = CU_MEMHOSTALLOC_DEVICEMAP | CU_MEMHOSTALLOC_PORTABLE;
  context_->check(context_->driver().host_allocate(&host_, bytes, flags), "cuMemHostAlloc");
  std::memset(host_, 0, bytes);
  const CUresult result = context_->driver().host_device_pointer(&device_, host_, 0);
  if (result != CUDA_SUCCESS) (void)context_->driver().host_free(host_);
  context_->check(result, "cuMemHostGetDevicePointer");
}

MappedMemory::~MappedMemory() {
  const ContextGuard guard(*context_, std::nothrow);
  (void)context_->driver().host_free(host_);
}

MemoryState memory_state(const Context& context) {
  const ContextGuard guard(context);
  std::size_t free = 0;
  std::size_t total = 0;
  context.check(context.driver().memory_info(&free, &total), "cuMemGetInfo");
  return {total, free};
}

}  // namespace warpclock::cuda
