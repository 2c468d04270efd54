// The CUDA driver, loaded at run time, so that one binary runs with and without a GPU.
#pragma once

#include <cuda.h>
#include <cudaTypedefs.h>

#include <memory>
#include <string>

namespace warpclock::cuda {

/// Oldest driver that works: the first with cuGetProcAddress_v2 and the second version of cuStreamWaitValue32.
constexpr int minimum_driver = 12000;  // CUDA 12.0, Linux driver 525
constexpr const char* minimum_driver_text = "CUDA 12.0 (Linux driver 525)";

/// Every entry point that is used. The number behind a type is the CUDA version whose signature it has
/// (cudaTypedefs.h); the table that fills it is in driver.cpp.
struct Driver {
  int version = 0;   // highest CUDA version that it supports: 13000
  std::string path;  // the file it came from

  PFN_cuInit_v2000 init = nullptr;
  PFN_cuGetErrorName_v6000 error_name = nullptr;
  PFN_cuGetErrorString_v6000 error_string = nullptr;

  PFN_cuDeviceGetCount_v2000 device_count = nullptr;
  PFN_cuDeviceGet_v2000 device = nullptr;
  PFN_cuDeviceGetName_v2000 device_name = nullptr;
  PFN_cuDeviceGetUuid_v11040 device_uuid = nullptr;
  PFN_cuDeviceGetPCIBusId_v4010 device_pci_bus_id = nullptr;
  PFN_cuDeviceTotalMem_v3020 device_total_memory = nullptr;
  PFN_cuDeviceGetAttribute_v2000 device_attribute = nullptr;

  PFN_cuDevicePrimaryCtxRetain_v7000 primary_context_retain = nullptr;
  PFN_cuDevicePrimaryCtxRelease_v11000 primary_context_release = nullptr;
  PFN_cuCtxPushCurrent_v4000 context_push = nullptr;
  PFN_cuCtxPopCurrent_v4000 context_pop = nullptr;
  PFN_cuCtxSynchronize_v2000 context_synchronize = nullptr;
  PFN_cuCtxGetLimit_v3010 context_limit = nullptr;
  PFN_cuCtxResetPersistingL2Cache_v11000 reset_persisting_l2 = nullptr;

  PFN_cuStreamCreate_v2000 stream_create = nullptr;
  PFN_cuStreamDestroy_v4000 stream_destroy = nullptr;
  PFN_cuStreamSynchronize_v2000 stream_synchronize = nullptr;
  PFN_cuStreamQuery_v2000 stream_query = nullptr;
  PFN_cuStreamWaitValue32_v11070 stream_wait_value32 = nullptr;
  PFN_cuStreamWriteValue32_v11070 stream_write_value32 = nullptr;
  PFN_cuStreamWaitEvent_v3020 stream_wait_event = nullptr;

  PFN_cuEventCreate_v2000 event_create = nullptr;
  PFN_cuEventDestroy_v4000 event_destroy = nullptr;
  PFN_cuEventRecord_v2000 event_record = nullptr;
  PFN_cuEventElapsedTime_v2000 event_elapsed = nullptr;

  PFN_cuMemGetInfo_v3020 memory_info = nullptr;
  PFN_cuMemAlloc_v3020 memory_allocate = nullptr;
  PFN_cuMemFree_v3020 memory_free = nullptr;
  PFN_cuMemHostAlloc_v2020 host_allocate = nullptr;
  PFN_cuMemFreeHost_v2000 host_free = nullptr;
  PFN_cuMemHostGetDevicePointer_v3020 host_device_pointer = nullptr;
  PFN_cuMemsetD8Async_v3020 memset_d8 = nullptr;
  PFN_cuMemsetD32Async_v3020 memset_d32 = nullptr;
  PFN_cuMemcpyDtoDAsync_v3020 copy_device_to_device = nullptr;
  PFN_cuMemcpyHtoDAsync_v3020 copy_host_to_device = nullptr;
  PFN_cuMemcpyDtoHAsync_v3020 copy_device_to_host = nullptr;

  PFN_cuModuleLoadData_v2000 module_load = nullptr;
  PFN_cuModuleUnload_v2000 module_unload = nullptr;
  PFN_cuModuleGetFunction_v2000 module_function = nullptr;
  PFN_cuFuncSetAttribute_v9000 function_set_attribute = nullptr;
  PFN_cuLaunchKernel_v4000 launch_kernel = nullptr;

  /// cuFuncGetParamInfo: offset and size of a kernel's parameter. Null before CUDA 12.4, which our oldest headers are.
  CUresult(CUDAAPI* function_parameter_info)(CUfunction, std::size_t, std::size_t*, std::size_t*) = nullptr;
  /// cuProfilerStart, cuProfilerStop: null in a driver without them, whose programs can still be profiled whole.
  CUresult(CUDAAPI* profiler_start)() = nullptr;
  CUresult(CUDAAPI* profiler_stop)() = nullptr;
};

/// Loads and initialises the driver (libcuda.so.1, or what WARPCLOCK_LIBCUDA names).
///   throws  DeviceError: no driver, too old, or it refuses to start (no GPU, no permission)
[[nodiscard]] std::shared_ptr<const Driver> load_driver();

/// Throws unless `result` is CUDA_SUCCESS: KernelError where a kernel is to blame (illegal address, failed
/// assertion, timeout, ... : errors that stick to the context), DeviceError otherwise. The message names the call,
/// the error, what it means and what to do.
///   call   "cuMemAlloc";  where  "cuda:0"
void check(const Driver& driver, CUresult result, const char* call, const std::string& where);

/// True for an error that a running kernel caused. After it the context is lost: every later call returns it again,
/// so a fresh process is needed.
[[nodiscard]] bool kernel_is_to_blame(CUresult result);

}  // namespace warpclock::cuda
