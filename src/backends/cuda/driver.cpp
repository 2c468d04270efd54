#include "backends/cuda/driver.hpp"

#include <fmt/format.h>

#include <mutex>

#include "backends/cuda/libraries.hpp"
#include "core/errors.hpp"

namespace warpclock::cuda {

namespace {

/// The one table: which function goes where, and the CUDA version whose signature is wanted.
template <class Bind>
void each_function(Driver& d, const Bind& bind) {
  bind(d.init, "cuInit", 2000);
  bind(d.error_name, "cuGetErrorName", 6000);
  bind(d.error_string, "cuGetErrorString", 6000);
  bind(d.device_count, "cuDeviceGetCount", 2000);
  bind(d.device, "cuDeviceGet", 2000);
  bind(d.device_name, "cuDeviceGetName", 2000);
  bind(d.device_uuid, "cuDeviceGetUuid", 11040);  // the version that tells MIG slices apart
  bind(d.device_pci_bus_id, "cuDeviceGetPCIBusId", 4010);
  bind(d.device_total_memory, "cuDeviceTotalMem", 3020);
  bind(d.device_attribute, "cuDeviceGetAttribute", 2000);
  bind(d.primary_context_retain, "cuDevicePrimaryCtxRetain", 7000);
  bind(d.primary_context_release, "cuDevicePrimaryCtxRelease", 11000);
  bind(d.context_push, "cuCtxPushCurrent", 4000);
  bind(d.context_pop, "cuCtxPopCurrent", 4000);
  bind(d.context_synchronize, "cuCtxSynchronize", 2000);
  bind(d.context_limit, "cuCtxGetLimit", 3010);
  bind(d.reset_persisting_l2, "cuCtxResetPersistingL2Cache", 11000);
  bind(d.stream_create, "cuStreamCreate", 2000);
  bind(d.stream_destroy, "cuStreamDestroy", 4000);
  bind(d.stream_synchronize, "cuStreamSynchronize", 2000);
  bind(d.stream_query, "cuStreamQuery", 2000);
  bind(d.stream_wait_value32, "cuStreamWaitValue32", 11070);
  bind(d.stream_write_value32, "cuStreamWriteValue32", 11070);
  bind(d.stream_wait_event, "cuStreamWaitEvent", 3020);
  bind(d.event_create, "cuEventCreate", 2000);
  bind(d.event_destroy, "cuEventDestroy", 4000);
  bind(d.event_record, "cuEventRecord", 2000);
  bind(d.event_elapsed, "cuEventElapsedTime", 2000);
  bind(d.memory_info, "cuMemGetInfo", 3020);
  bind(d.memory_allocate, "cuMemAlloc", 3020);
  bind(d.memory_free, "cuMemFree", 3020);
  bind(d.host_allocate, "cuMemHostAlloc", 2020);
  bind(d.host_free, "cuMemFreeHost", 2000);
  bind(d.host_device_pointer, "cuMemHostGetDevicePointer", 3020);
  bind(d.memset_d8, "cuMemsetD8Async", 3020);
  bind(d.memset_d32, "cuMemsetD32Async", 3020);
  bind(d.copy_device_to_device, "cuMemcpyDtoDAsync", 3020);
  bind(d.copy_host_to_device, "cuMemcpyHtoDAsync", 3020);
  bind(d.copy_device_to_host, "cuMemcpyDtoHAsync", 3020);
  bind(d.module_load, "cuModuleLoadData", 2000);
  bind(d.module_unload, "cuModuleUnload", 2000);
  bind(d.module_function, "cuModuleGetFunction", 2000);
  bind(d.function_set_attribute, "cuFuncSetAttribute", 9000);
  bind(d.launch_kernel, "cuLaunchKernel", 4000);
}

std::string version_text(int version) { return fmt::format("{}.{}", version / 1000, version % 1000 / 10); }

void bind_functions(Driver& driver, const Library& library) {
  PFN_cuDriverGetVersion_v2020 driver_version = nullptr;
  library.bind(driver_version, "cuDriverGetVersion");
  if (driver_version(&driver.version) != CUDA_SUCCESS) driver.version = 0;
  if (driver.version < minimum_driver) {
    throw DeviceError(fmt::format("CUDA driver: {} supports CUDA {}, {} or newer is needed; update the driver",
                                  driver.path, version_text(driver.version), minimum_driver_text));
  }
  PFN_cuGetProcAddress_v12000 proc_address = nullptr;
  library.bind(proc_address, "cuGetProcAddress_v2");
  each_function(driver, [&](auto& pointer, const char* name, int version) {
    void* address = nullptr;
    CUdriverProcAddressQueryResult why{};
    const CUresult result = proc_address(name, &address, version, CU_GET_PROC_ADDRESS_DEFAULT, &why);
    if (result != CUDA_SUCCESS || address == nullptr) {
      throw DeviceError(fmt::format("CUDA driver: {} (CUDA {}) has no {} as of CUDA {}; update the driver", driver.path,
                                    version_text(driver.version), name, version_text(version)));
    }
    pointer = reinterpret_cast<std::remove_reference_t<decltype(pointer)>>(address);
  });
  const auto bind_if_there = [&](auto& pointer, const char* name, int version) {
    void* address = nullptr;
    CUdriverProcAddressQueryResult why{};
    if (proc_address(name, &address, version, CU_GET_PROC_ADDRESS_DEFAULT, &why) != CUDA_SUCCESS) return;
    pointer = reinterpret_cast<std::remove_reference_t<decltype(pointer)>>(address);
  };
  bind_if_there(driver.function_parameter_info, "cuFuncGetParamInfo", 12040);
  bind_if_there(driver.profiler_start, "cuProfilerStart", 4000);
  bind_if_there(driver.profiler_stop, "cuProfilerStop", 4000);
}

/// What an error means and what to do about it, where CUDA's own text does not say.
std::string advice(CUresult result) {
  switch (result) {
    case CUDA_ERROR_NO_DEVICE:
      return "no GPU is visible: check nvidia-smi, CUDA_VISIBLE_DEVICES and the container's GPU options";
    case CUDA_ERROR_OUT_OF_MEMORY:
      return "the device has too little free memory: choose a smaller problem or end what else uses it";
    case CUDA_ERROR_SYSTEM_DRIVER_MISMATCH:
    case CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE:
      return "libcuda.so.1 does not belong to the loaded kernel module: update the driver or leave out the compat "
             "libraries";
    case CUDA_ERROR_SYSTEM_NOT_READY:
      return "the system is not ready: on NVSwitch machines the fabric manager must run";
    case CUDA_ERROR_DEVICE_UNAVAILABLE:
      return "another process holds the device exclusively, or it is being reset: wait, or set its compute mode to "
             "default";
    case CUDA_ERROR_ECC_UNCORRECTABLE:
      return "the device's memory is faulty: see nvidia-smi -q -d ECC";
    case CUDA_ERROR_NO_BINARY_FOR_GPU:
    case CUDA_ERROR_UNSUPPORTED_PTX_VERSION:
      return "no kernel image fits this GPU and driver: build with WARPCLOCK_CUDA_ARCHS for it, or update the driver";
    case CUDA_ERROR_MPS_CONNECTION_FAILED:
    case CUDA_ERROR_MPS_SERVER_NOT_READY:
    case CUDA_ERROR_MPS_MAX_CLIENTS_REACHED:
    case CUDA_ERROR_MPS_MAX_CONNECTIONS_REACHED:
      return "MPS refused: check nvidia-cuda-mps-control, or unset CUDA_MPS_PIPE_DIRECTORY";
    case CUDA_ERROR_ILLEGAL_ADDRESS:
    case CUDA_ERROR_MISALIGNED_ADDRESS:
    case CUDA_ERROR_INVALID_ADDRESS_SPACE:
      return "a kernel read or wrote where it may not: run it under compute-sanitizer";
    case CUDA_ERROR_ASSERT:
      return "a kernel's own assertion failed: its text stands on stdout";
    case CUDA_ERROR_LAUNCH_TIMEOUT:
      return "a kernel ran longer than the display driver allows: choose a smaller problem";
    case CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES:
      return "the block needs more registers or shared memory than the device has: use fewer threads or less shared "
             "memory";
    case CUDA_ERROR_UNKNOWN:
      return "often a lost device: see dmesg for Xid lines and run nvidia-smi";
    default:
      return kernel_is_to_blame(result) ? "a kernel failed while it ran: run it under compute-sanitizer" : "";
  }
}

}  // namespace

std::shared_ptr<const Driver> load_driver() {
  // Opened once a process: the driver keeps process-wide state anyhow. A failure is not remembered.
  static std::mutex mutex;
  static std::shared_ptr<const Driver> loaded;
  const std::lock_guard lock(mutex);
  if (loaded) return loaded;
  auto driver = std::make_shared<Driver>();
  LibrarySpec spec{"CUDA driver", "WARPCLOCK_LIBCUDA", {"libcuda.so.1"}, {}, {}};
  const Library library(spec);
  driver->path = library.path();
  bind_functions(*driver, library);
  check(*driver, driver->init(0), "cuInit", driver->path);
  loaded = std::move(driver);
  return loaded;
}

bool kernel_is_to_blame(CUresult result) {
  switch (result) {
    case CUDA_ERROR_ILLEGAL_ADDRESS:
    case CUDA_ERROR_LAUNCH_TIMEOUT:
    case CUDA_ERROR_ASSERT:
    case CUDA_ERROR_HARDWARE_STACK_ERROR:
    case CUDA_ERROR_ILLEGAL_INSTRUCTION:
    case CUDA_ERROR_MISALIGNED_ADDRESS:
    case CUDA_ERROR_INVALID_ADDRESS_SPACE:
    case CUDA_ERROR_INVALID_PC:
    case CUDA_ERROR_LAUNCH_FAILED:
      return true;
    default:
      return result == static_cast<CUresult>(721);  // CUDA_ERROR_TENSOR_MEMORY_LEAK, newer than our oldest headers
  }
}

void check(const Driver& driver, CUresult result, const char* call, const std::string& where) {
  if (result == CUDA_SUCCESS) return;
  const char* name = nullptr;
  const char* text = nullptr;
  if (driver.error_name(result, &name) != CUDA_SUCCESS || name == nullptr) name = "unknown error";
  if (driver.error_string(result, &text) != CUDA_SUCCESS || text == nullptr) text = "no description";
  std::string line = fmt::format("{}: {}: {} ({}): {}", where, call, name, static_cast<int>(result), text);
  if (const std::string what = advice(result); !what.empty()) line += "; " + what;
  if (kernel_is_to_blame(result)) throw KernelError(line);
  throw DeviceError(line);
}

}  // namespace warpclock::cuda
