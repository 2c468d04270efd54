// Stand-in for libcuda.so.1: the entry points that warpclock uses, in virtual time. It is stricter than the real one:
// an object of another context than the current one is refused.
#include <cuda.h>
#include <cudaTypedefs.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <sstream>
#include <type_traits>

#include "fakes/cuda_stream.hpp"
#include "fakes/machine.hpp"

namespace {

using fake::Activity;

constexpr std::uint64_t launch_gap = 992;     // ns between the turn of a kernel and its start
constexpr std::uint64_t event_time = 640;     // ns that an event keeps the stream
constexpr std::uint64_t bytes_per_ns = 4096;  // of copies and fills
constexpr std::uint64_t usual_duration = 5'024;

fake::Machine& machine() { return fake::Machine::instance(); }
CUresult scripted(const char* function) { return static_cast<CUresult>(machine().error_of(function)); }

thread_local std::vector<CUcontext> current_contexts;
CUcontext current() { return current_contexts.empty() ? nullptr : current_contexts.back(); }

/// What every call of a context does first.  owner  of the object that it is about; null: of none
CUresult enter(const char* function, CUcontext owner) {
  if (const CUresult result = scripted(function); result != CUDA_SUCCESS) return result;
  if (current() == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
  if (owner != nullptr && owner != current()) return CUDA_ERROR_INVALID_HANDLE;
  return current()->broken;
}

/// GPUs that CUDA_VISIBLE_DEVICES lets through; the first word that names none ends the list, as in the real driver.
const std::vector<const fake::Gpu*>& visible_gpus() {
  static const std::vector<const fake::Gpu*> visible = [] {
    std::vector<const fake::Gpu*> found;
    const char* variable = std::getenv("CUDA_VISIBLE_DEVICES");
    if (variable == nullptr) {
      for (const auto& gpu : machine().gpus()) found.push_back(&gpu);
      return found;
    }
    std::istringstream words(variable);
    for (std::string word; std::getline(words, word, ',');) {
      const auto& all = machine().gpus();
      const auto named = std::find_if(all.begin(), all.end(), [&](const fake::Gpu& gpu) {
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

std::size_t total_memory() { return static_cast<std::size_t>(machine().number("memory_mib", 8192)) << 20; }

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
  current_contexts.push_back(context);
  return CUDA_SUCCESS;
}

CUresult context_pop(CUcontext* context) {
  *context = current();
  if (*context == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
  current_contexts.pop_back();
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

// ---- streams and events ----

CUresult stream_create(CUstream* stream, unsigned) {
  if (const CUresult result = enter("cuStreamCreate", nullptr); result != CUDA_SUCCESS) return result;
  static std::uint32_t number = 12;
  *stream = new CUstream_st;
  (*stream)->context = current();
  (*stream)->number = ++number;
  (*stream)->time = current()->host_time;
  current()->streams.push_back(*stream);
  return CUDA_SUCCESS;
}

CUresult stream_destroy(CUstream stream) {
  std::erase(stream->context->streams, stream);
  const CUresult result = enter("cuStreamDestroy", stream->context);
  delete stream;
  return result;
}

CUresult stream_synchronize(CUstream stream) {
  if (const CUresult result = enter("cuStreamSynchronize", stream->context); result != CUDA_SUCCESS) return result;
  stream->wait();
  return stream->context->broken;
}

CUresult stream_query(CUstream stream) {
  if (const CUresult result = enter("cuStreamQuery", stream->context); result != CUDA_SUCCESS) return result;
  return stream->advance() ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}

CUresult stream_wait_value32(CUstream stream, CUdeviceptr address, cuuint32_t value, unsigned) {
  if (const CUresult result = enter("cuStreamWaitValue32", stream->context); result != CUDA_SUCCESS) return result;
  if (machine().number("ignore_waits", 0) != 0) return CUDA_SUCCESS;
  stream->enqueue(
      {.ready = 0, .word = reinterpret_cast<const volatile std::uint32_t*>(address), .value = value, .run = {}});
  return CUDA_SUCCESS;
}

CUresult event_create(CUevent* event, unsigned) {
  if (const CUresult result = enter("cuEventCreate", nullptr); result != CUDA_SUCCESS) return result;
  *event = new CUevent_st{current(), {}};
  return CUDA_SUCCESS;
}

CUresult event_destroy(CUevent event) {
  const CUresult result = enter("cuEventDestroy", event->context);
  delete event;
  return result;
}

CUresult event_record(CUevent event, CUstream stream) {
  if (const CUresult result = enter("cuEventRecord", event->context); result != CUDA_SUCCESS) return result;
  if (event->context != stream->context) return CUDA_ERROR_INVALID_HANDLE;
  event->stamp.reset();
  stream->enqueue({.run = [event, stream] { event->stamp = stream->occupy(event_time, 0); }});
  return CUDA_SUCCESS;
}

CUresult event_elapsed(float* milliseconds, CUevent a, CUevent b) {
  if (const CUresult result = enter("cuEventElapsedTime", a->context); result != CUDA_SUCCESS) return result;
  if (!a->stamp || !b->stamp) return CUDA_ERROR_NOT_READY;
  *milliseconds = static_cast<float>(static_cast<double>(static_cast<std::int64_t>(*b->stamp - *a->stamp)) * 1e-6);
  return CUDA_SUCCESS;
}

// ---- memory ----

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

// ---- modules and kernels ----

CUresult module_load(CUmodule* module, const void*) {
  if (const CUresult result = enter("cuModuleLoadData", nullptr); result != CUDA_SUCCESS) return result;
  *module = new CUmod_st{current(), {}};
  return CUDA_SUCCESS;
}

CUresult module_unload(CUmodule module) {
  const CUresult result = enter("cuModuleUnload", module->context);
  delete module;
  return result;
}

CUresult module_function(CUfunction* function, CUmodule module, const char* name) {
  if (const CUresult result = enter("cuModuleGetFunction", module->context); result != CUDA_SUCCESS) return result;
  if (std::strncmp(name, "no_such", 7) == 0) return CUDA_ERROR_NOT_FOUND;
  auto& kept = module->functions[name];
  if (!kept) kept = std::make_unique<CUfunc_st>(CUfunc_st{module->context, name, false});
  *function = kept.get();
  return CUDA_SUCCESS;
}

CUresult function_set_attribute(CUfunction function, CUfunction_attribute, int) {
  return enter("cuFuncSetAttribute", function->context);
}

/// What the kernels of harness.cu do, as work to be done at the kernel's turn; returns how long each takes.
std::function<std::uint64_t()> body_of(const std::string& name, void** arguments) {
  const auto mhz = static_cast<std::uint64_t>(machine().number("clock_mhz", 1980));
  const auto argument = [&](int i) { return *static_cast<const std::uint64_t*>(arguments[i]); };
  if (name == "warpclock_spin") return [ns = argument(0)] { return ns; };
  if (name == "warpclock_cycles") return [ns = argument(0) * 1000 / mhz] { return ns; };
  if (name == "warpclock_probe") {
    return [mhz, ns = fake::in_steps(argument(0)), slot = reinterpret_cast<std::uint64_t*>(argument(1))] {
      slot[0] = ns * mhz / 1000;
      slot[1] = ns;
      return ns;
    };
  }
  const bool short_one = name == "warpclock_empty" || name.starts_with("warpclock_window");
  const auto ns = static_cast<std::uint64_t>(
      machine().number("duration." + name, short_one ? 992 : static_cast<long>(usual_duration)));
  return [ns] { return ns; };
}

CUresult launch_kernel(CUfunction function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                       unsigned bz, unsigned, CUstream stream, void** arguments, void**) {
  if (const CUresult result = enter("cuLaunchKernel", function->context); result != CUDA_SUCCESS) return result;
  if (stream->context != function->context) return CUDA_ERROR_INVALID_HANDLE;
  const unsigned threads = bx * by * bz;
  if (threads == 0 || threads > 1024 || gx * gy * gz == 0) return CUDA_ERROR_INVALID_VALUE;
  if (!function->loaded) {
    for (CUstream each : stream->context->streams) each->wait();
    function->loaded = true;
  }
  const std::uint32_t correlation = ++stream->context->correlation;
  const char* name = machine().keep(function->name);
  stream->enqueue({.run = [=, body = body_of(function->name, arguments)] {
    CUcontext context = stream->context;
    const std::uint64_t start = stream->occupy(body(), launch_gap);
    context->broken = static_cast<CUresult>(machine().error_of(std::string("kernel.") + name));
    machine().record({Activity::Kind::kernel, name, start, stream->time, static_cast<std::uint32_t>(context->ordinal),
                      stream->number, correlation, threads});
  }});
  if (machine().number("blocking", 0) != 0) stream->wait();
  return CUDA_SUCCESS;
}

// ---- the table ----

template <class Function>
void* address(std::type_identity_t<Function> function) {
  return reinterpret_cast<void*>(function);  // with the signature that Function, of cudaTypedefs.h, demands
}

const std::map<std::string, void*>& table() {
  static const std::map<std::string, void*> functions{
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
      {"cuDevicePrimaryCtxRetain", address<PFN_cuDevicePrimaryCtxRetain_v7000>(primary_context_retain)},
      {"cuDevicePrimaryCtxRelease", address<PFN_cuDevicePrimaryCtxRelease_v11000>(primary_context_release)},
      {"cuCtxPushCurrent", address<PFN_cuCtxPushCurrent_v4000>(context_push)},
      {"cuCtxPopCurrent", address<PFN_cuCtxPopCurrent_v4000>(context_pop)},
      {"cuCtxSynchronize", address<PFN_cuCtxSynchronize_v2000>(context_synchronize)},
      {"cuCtxGetLimit", address<PFN_cuCtxGetLimit_v3010>(context_limit)},
      {"cuCtxResetPersistingL2Cache", address<PFN_cuCtxResetPersistingL2Cache_v11000>(reset_persisting_l2)},
      {"cuStreamCreate", address<PFN_cuStreamCreate_v2000>(stream_create)},
      {"cuStreamDestroy", address<PFN_cuStreamDestroy_v4000>(stream_destroy)},
      {"cuStreamSynchronize", address<PFN_cuStreamSynchronize_v2000>(stream_synchronize)},
      {"cuStreamQuery", address<PFN_cuStreamQuery_v2000>(stream_query)},
      {"cuStreamWaitValue32", address<PFN_cuStreamWaitValue32_v11070>(stream_wait_value32)},
      {"cuEventCreate", address<PFN_cuEventCreate_v2000>(event_create)},
      {"cuEventDestroy", address<PFN_cuEventDestroy_v4000>(event_destroy)},
      {"cuEventRecord", address<PFN_cuEventRecord_v2000>(event_record)},
      {"cuEventElapsedTime", address<PFN_cuEventElapsedTime_v2000>(event_elapsed)},
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
      {"cuModuleLoadData", address<PFN_cuModuleLoadData_v2000>(module_load)},
      {"cuModuleUnload", address<PFN_cuModuleUnload_v2000>(module_unload)},
      {"cuModuleGetFunction", address<PFN_cuModuleGetFunction_v2000>(module_function)},
      {"cuFuncSetAttribute", address<PFN_cuFuncSetAttribute_v9000>(function_set_attribute)},
      {"cuLaunchKernel", address<PFN_cuLaunchKernel_v4000>(launch_kernel)},
  };
  return functions;
}

}  // namespace

extern "C" {

CUresult CUDAAPI cuDriverGetVersion(int* version) {
  *version = static_cast<int>(machine().number("driver", 13000));
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuGetProcAddress_v2(const char* name, void** function, int, cuuint64_t,
                                     CUdriverProcAddressQueryResult*) {
  const auto found = table().find(name);
  if (found == table().end() || machine().text("lacks") == name) return CUDA_ERROR_NOT_FOUND;
  *function = found->second;
  return CUDA_SUCCESS;
}
}
