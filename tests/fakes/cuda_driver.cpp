// Stand-in for libcuda.so.1: the entry points that warpclock uses, in virtual time. It is stricter than the real one:
// an object of another context than the current one is refused. Here: the driver itself, devices and contexts.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <sstream>
#include <thread>
#include <vector>

#include "fakes/cuda_calls.hpp"

namespace fake {

namespace {

/// The calling thread's stack of contexts. No thread_local: LeakSanitizer loses its way in those of opened libraries.
std::vector<CUcontext>& stack_of_contexts() {
  static std::mutex mutex;
  static std::map<std::thread::id, std::vector<CUcontext>> stacks;
  const std::lock_guard lock(mutex);
  return stacks[std::this_thread::get_id()];
}

}  // namespace

CUcontext current() {
  const auto& stack = stack_of_contexts();
  return stack.empty() ? nullptr : stack.back();
}

/// What every call of a context does first.  owner  of the object that it is about; null: of none
CUresult enter(const char* function, CUcontext owner) {
  if (const CUresult result = scripted(function); result != CUDA_SUCCESS) return result;
  if (current() == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
  if (owner != nullptr && owner != current()) return CUDA_ERROR_INVALID_HANDLE;
  return current()->broken;
}

namespace {

/// GPUs that CUDA_VISIBLE_DEVICES lets through; the first word that names none ends the list, as in the real driver.
const std::vector<const Gpu*>& visible_gpus() {
  static const std::vector<const Gpu*> visible = [] {
    std::vector<const Gpu*> found;
    const char* variable = std::getenv("CUDA_VISIBLE_DEVICES");
    if (variable == nullptr) {
      for (const auto& gpu : machine().gpus()) found.push_back(&gpu);
      return found;
    }
    std::istringstream words(variable);
    for (std::string word; std::getline(words, word, ',');) {
      const auto& all = machine().gpus();
      const auto named = std::find_if(all.begin(), all.end(), [&](const Gpu& gpu) {
        return word == std::to_string(gpu.index) || (word.size() > 4 && gpu.uuid_text().starts_with(word));
      });
      if (named == all.end()) break;
      found.push_back(&*named);
    }
    return found;
  }();
  return visible;
}

std::map<int, CUctx_st>& contexts() {
  static std::map<int, CUctx_st> all;
  return all;
}

// ---- driver and device ----

CUresult init(unsigned) {
  if (const CUresult result = scripted("cuInit"); result != CUDA_SUCCESS) return result;
  return visible_gpus().empty() ? CUDA_ERROR_NO_DEVICE : CUDA_SUCCESS;
}

const std::map<int, const char*>& error_names() {
  static const std::map<int, const char*> names{{1, "CUDA_ERROR_INVALID_VALUE"},   {2, "CUDA_ERROR_OUT_OF_MEMORY"},
                                                {100, "CUDA_ERROR_NO_DEVICE"},     {700, "CUDA_ERROR_ILLEGAL_ADDRESS"},
                                                {719, "CUDA_ERROR_LAUNCH_FAILED"}, {999, "CUDA_ERROR_UNKNOWN"}};
  return names;
}

CUresult error_name(CUresult error, const char** name) {
  const auto found = error_names().find(error);
  *name = found == error_names().end() ? nullptr : found->second;
  return *name == nullptr ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

CUresult error_string(CUresult, const char** text) {
  *text = "text of the error";
  return CUDA_SUCCESS;
}

CUresult device_count(int* count) {
  *count = static_cast<int>(visible_gpus().size());
  return scripted("cuDeviceGetCount");
}

CUresult device(CUdevice* device, int ordinal) {
  *device = ordinal;
  return scripted("cuDeviceGet");
}

CUresult device_name(char* name, int size, CUdevice device) {
  std::snprintf(name, static_cast<std::size_t>(size), "%s",
                visible_gpus().at(static_cast<std::size_t>(device))->name.c_str());
  return scripted("cuDeviceGetName");
}

CUresult device_uuid(CUuuid* uuid, CUdevice device) {
  std::memcpy(uuid->bytes, visible_gpus().at(static_cast<std::size_t>(device))->uuid.data(), sizeof uuid->bytes);
  return scripted("cuDeviceGetUuid");
}

CUresult device_pci_bus_id(char* text, int size, CUdevice device) {
  std::snprintf(text, static_cast<std::size_t>(size), "%s",
                visible_gpus().at(static_cast<std::size_t>(device))->pci.c_str());
  return scripted("cuDeviceGetPCIBusId");
}

}  // namespace

std::size_t total_memory() { return static_cast<std::size_t>(machine().number("memory_mib", 8192)) << 20; }

namespace {

CUresult device_total_memory(std::size_t* bytes, CUdevice) {
  *bytes = total_memory();
  return scripted("cuDeviceTotalMem");
}

CUresult device_attribute(int* value, CUdevice_attribute attribute, CUdevice) {
  const auto from = [&](const char* key, long otherwise) { return static_cast<int>(machine().number(key, otherwise)); };
  switch (static_cast<int>(attribute)) {
    case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
      *value = from("sms", 132);
      break;
    case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR:
      *value = 2048;
      break;
    case CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE:
      *value = from("l2_mib", 4) << 20;
      break;
    case CU_DEVICE_ATTRIBUTE_CLOCK_RATE:
      *value = from("clock_mhz", 1980) * 1000;
      break;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
      *value = from("capability", 90) / 10;
      break;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
      *value = from("capability", 90) % 10;
      break;
    case CU_DEVICE_ATTRIBUTE_ECC_ENABLED:
      *value = 1;
      break;
    case 133:
      *value = from("mps", 0);
      break;  // CU_DEVICE_ATTRIBUTE_MPS_ENABLED, CUDA 12.3
    default:
      *value = 0;
      return CUDA_ERROR_INVALID_VALUE;
  }
  return CUDA_SUCCESS;
}

CUresult profiler_start() {
  machine().profiling = true;
  machine().profile("start");
  return enter("cuProfilerStart", nullptr);
}

CUresult profiler_stop() {
  machine().profile("stop");
  machine().profiling = false;
  return enter("cuProfilerStop", nullptr);
}

// ---- contexts ----

CUresult primary_context_retain(CUcontext* context, CUdevice device) {
  if (const CUresult result = scripted("cuDevicePrimaryCtxRetain"); result != CUDA_SUCCESS) return result;
  CUctx_st& primary = contexts()[device];
  primary.ordinal = device;
  primary.gpu = visible_gpus().at(static_cast<std::size_t>(device));
  ++primary.references;
  *context = &primary;
  return CUDA_SUCCESS;
}

CUresult primary_context_release(CUdevice device) {
  --contexts().at(device).references;
  return CUDA_SUCCESS;
}

CUresult context_push(CUcontext context) {
  if (const CUresult result = scripted("cuCtxPushCurrent"); result != CUDA_SUCCESS) return result;
  stack_of_contexts().push_back(context);
  return CUDA_SUCCESS;
}

CUresult context_pop(CUcontext* context) {
  *context = current();
  if (*context == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
  stack_of_contexts().pop_back();
  return CUDA_SUCCESS;
}

CUresult context_synchronize() {
  if (const CUresult result = enter("cuCtxSynchronize", nullptr); result != CUDA_SUCCESS) return result;
  for (CUstream stream : current()->streams) stream->wait();
  return current()->broken;
}

CUresult context_limit(std::size_t* value, CUlimit limit) {
  *value =
      limit == CU_LIMIT_PERSISTING_L2_CACHE_SIZE ? static_cast<std::size_t>(machine().number("persisting_l2", 0)) : 0;
  return enter("cuCtxGetLimit", nullptr);
}

CUresult reset_persisting_l2() {
  if (const CUresult result = enter("cuCtxResetPersistingL2Cache", nullptr); result != CUDA_SUCCESS) return result;
  const auto& streams = current()->streams;
  const bool idle = std::all_of(streams.begin(), streams.end(), [](CUstream s) { return s->advance(); });
  return idle ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}

}  // namespace

const Entries& device_entries() {
  static const Entries entries{
      {"cuInit", address<PFN_cuInit_v2000>(init)},
      {"cuGetErrorName", address<PFN_cuGetErrorName_v6000>(error_name)},
      {"cuGetErrorString", address<PFN_cuGetErrorString_v6000>(error_string)},
      {"cuDeviceGetCount", address<PFN_cuDeviceGetCount_v2000>(device_count)},
      {"cuDeviceGet", address<PFN_cuDeviceGet_v2000>(device)},
      {"cuDeviceGetName", address<PFN_cuDeviceGetName_v2000>(device_name)},
      {"cuDeviceGetUuid", address<PFN_cuDeviceGetUuid_v11040>(device_uuid)},
      {"cuDeviceGetPCIBusId", address<PFN_cuDeviceGetPCIBusId_v4010>(device_pci_bus_id)},
      {"cuDeviceTotalMem", address<PFN_cuDeviceTotalMem_v3020>(device_total_memory)},
      {"cuDeviceGetAttribute", address<PFN_cuDeviceGetAttribute_v2000>(device_attribute)},
      {"cuProfilerStart", address<CUresult (*)()>(profiler_start)},
      {"cuProfilerStop", address<CUresult (*)()>(profiler_stop)},
      {"cuDevicePrimaryCtxRetain", address<PFN_cuDevicePrimaryCtxRetain_v7000>(primary_context_retain)},
      {"cuDevicePrimaryCtxRelease", address<PFN_cuDevicePrimaryCtxRelease_v11000>(primary_context_release)},
      {"cuCtxPushCurrent", address<PFN_cuCtxPushCurrent_v4000>(context_push)},
      {"cuCtxPopCurrent", address<PFN_cuCtxPopCurrent_v4000>(context_pop)},
      {"cuCtxSynchronize", address<PFN_cuCtxSynchronize_v2000>(context_synchronize)},
      {"cuCtxGetLimit", address<PFN_cuCtxGetLimit_v3010>(context_limit)},
      {"cuCtxResetPersistingL2Cache", address<PFN_cuCtxResetPersistingL2Cache_v11000>(reset_persisting_l2)},
  };
  return entries;
}

}  // namespace fake

extern "C" {

CUresult CUDAAPI cuDriverGetVersion(int* version) {
  *version = static_cast<int>(fake::machine().number("driver", 13000));
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuGetProcAddress_v2(const char* name, void** function, int, cuuint64_t,
                                     CUdriverProcAddressQueryResult*) {
  if (fake::machine().text("lacks") == name) return CUDA_ERROR_NOT_FOUND;
  for (const auto* entries : {&fake::device_entries(), &fake::work_entries(), &fake::memory_entries()}) {
    const auto found = entries->find(name);
    if (found == entries->end()) continue;
    *function = found->second;
    return CUDA_SUCCESS;
  }
  return CUDA_ERROR_NOT_FOUND;
}
}
