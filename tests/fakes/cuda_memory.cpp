// Stand-in for libcuda.so.1: memory, which is the host's.
#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "fakes/cuda_calls.hpp"

namespace fake {

namespace {

constexpr std::uint64_t bytes_per_ns = 4096;  // of copies and fills

std::map<CUdeviceptr, std::size_t>& allocations() {
  static std::map<CUdeviceptr, std::size_t> all;
  return all;
}

bool inside_an_allocation(CUdeviceptr address, std::size_t bytes) {
  const auto after = allocations().upper_bound(address);
  if (after == allocations().begin()) return false;
  const auto& [start, size] = *std::prev(after);
  return address + bytes <= start + size;
}

CUresult memory_info(std::size_t* free, std::size_t* total) {
  if (const CUresult result = enter("cuMemGetInfo", nullptr); result != CUDA_SUCCESS) return result;
  *total = total_memory();
  *free = *total - current()->used_memory;
  return CUDA_SUCCESS;
}

/// Address space only: pages that nobody touches cost nothing.
CUresult memory_allocate(CUdeviceptr* pointer, std::size_t bytes) {
  if (const CUresult result = enter("cuMemAlloc", nullptr); result != CUDA_SUCCESS) return result;
  if (bytes == 0) return CUDA_ERROR_INVALID_VALUE;
  if (bytes > total_memory() - current()->used_memory) return CUDA_ERROR_OUT_OF_MEMORY;
  void* pages = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (pages == MAP_FAILED) return CUDA_ERROR_OUT_OF_MEMORY;
  *pointer = reinterpret_cast<CUdeviceptr>(pages);
  allocations()[*pointer] = bytes;
  current()->used_memory += bytes;
  return CUDA_SUCCESS;
}

CUresult memory_free(CUdeviceptr pointer) {
  if (const CUresult result = enter("cuMemFree", nullptr); result != CUDA_SUCCESS) return result;
  const auto found = allocations().find(pointer);
  if (found == allocations().end()) return CUDA_ERROR_INVALID_VALUE;
  for (CUstream stream : current()->streams) stream->wait();
  munmap(reinterpret_cast<void*>(pointer), found->second);
  current()->used_memory -= found->second;
  allocations().erase(found);
  return CUDA_SUCCESS;
}

CUresult host_allocate(void** pointer, std::size_t bytes, unsigned) {
  if (const CUresult result = enter("cuMemHostAlloc", nullptr); result != CUDA_SUCCESS) return result;
  *pointer = std::malloc(bytes);
  return CUDA_SUCCESS;
}

CUresult host_free(void* pointer) {
  std::free(pointer);
  return enter("cuMemFreeHost", nullptr);
}

CUresult host_device_pointer(CUdeviceptr* device, void* host, unsigned) {
  *device = reinterpret_cast<CUdeviceptr>(host);
  return enter("cuMemHostGetDevicePointer", nullptr);
}

/// Enqueues work of the copy engines.
template <class Work>
CUresult transfer(const char* function, Activity::Kind kind, CUdeviceptr to, std::size_t bytes, CUstream stream,
                  const Work& work) {
  if (const CUresult result = enter(function, stream->context); result != CUDA_SUCCESS) return result;
  if (!inside_an_allocation(to, bytes)) return CUDA_ERROR_INVALID_VALUE;
  const std::uint32_t correlation = ++stream->context->correlation;
  stream->enqueue({.run = [=] {
    work();
    const std::uint64_t start = stream->occupy(1000 + bytes / bytes_per_ns, launch_gap);
    machine().record({kind, nullptr, start, stream->time, static_cast<std::uint32_t>(stream->context->ordinal),
                      stream->number, correlation, 0});
  }});
  return CUDA_SUCCESS;
}

CUresult memset_d8(CUdeviceptr to, unsigned char value, std::size_t n, CUstream stream) {
  return transfer("cuMemsetD8Async", Activity::Kind::fill, to, n, stream,
                  [=] { std::memset(reinterpret_cast<void*>(to), value, n); });
}

CUresult memset_d32(CUdeviceptr to, unsigned value, std::size_t n, CUstream stream) {
  return transfer("cuMemsetD32Async", Activity::Kind::fill, to, n * sizeof value, stream,
                  [=] { std::fill_n(reinterpret_cast<unsigned*>(to), n, value); });
}

CUresult copy_device_to_device(CUdeviceptr to, CUdeviceptr from, std::size_t n, CUstream stream) {
  if (!inside_an_allocation(from, n)) return CUDA_ERROR_INVALID_VALUE;
  return transfer("cuMemcpyDtoDAsync", Activity::Kind::copy, to, n, stream,
                  [=] { std::memcpy(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), n); });
}

/// From pageable memory: staged before the call returns.
CUresult copy_host_to_device(CUdeviceptr to, const void* from, std::size_t n, CUstream stream) {
  const auto* bytes = static_cast<const unsigned char*>(from);
  return transfer("cuMemcpyHtoDAsync", Activity::Kind::copy, to, n, stream,
                  [to, n, staged = std::vector<unsigned char>(bytes, bytes + n)] {
                    std::memcpy(reinterpret_cast<void*>(to), staged.data(), n);
                  });
}

/// To pageable memory: waits, so it never returns behind a hold that nobody lifts.
CUresult copy_device_to_host(void* to, CUdeviceptr from, std::size_t n, CUstream stream) {
  const CUresult result = transfer("cuMemcpyDtoHAsync", Activity::Kind::copy, from, n, stream,
                                   [=] { std::memcpy(to, reinterpret_cast<const void*>(from), n); });
  if (result != CUDA_SUCCESS) return result;
  stream->wait();
  return stream->context->broken;
}

}  // namespace

const Entries& memory_entries() {
  static const Entries entries{
      {"cuMemGetInfo", address<PFN_cuMemGetInfo_v3020>(memory_info)},
      {"cuMemAlloc", address<PFN_cuMemAlloc_v3020>(memory_allocate)},
      {"cuMemFree", address<PFN_cuMemFree_v3020>(memory_free)},
      {"cuMemHostAlloc", address<PFN_cuMemHostAlloc_v2020>(host_allocate)},
      {"cuMemFreeHost", address<PFN_cuMemFreeHost_v2000>(host_free)},
      {"cuMemHostGetDevicePointer", address<PFN_cuMemHostGetDevicePointer_v3020>(host_device_pointer)},
      {"cuMemsetD8Async", address<PFN_cuMemsetD8Async_v3020>(memset_d8)},
      {"cuMemsetD32Async", address<PFN_cuMemsetD32Async_v3020>(memset_d32)},
      {"cuMemcpyDtoDAsync", address<PFN_cuMemcpyDtoDAsync_v3020>(copy_device_to_device)},
      {"cuMemcpyHtoDAsync", address<PFN_cuMemcpyHtoDAsync_v3020>(copy_host_to_device)},
      {"cuMemcpyDtoHAsync", address<PFN_cuMemcpyDtoHAsync_v3020>(copy_device_to_host)},
  };
  return entries;
}

}  // namespace fake
