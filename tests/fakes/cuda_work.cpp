// Stand-in for libcuda.so.1: streams, events and kernels.
#include <algorithm>
#include <cstring>

#include "fakes/cuda_calls.hpp"

namespace fake {

namespace {

void write_word(CUstream_st& stream, volatile std::uint32_t* word, std::uint32_t value) {
  *word = value;
  stream.context->writes[const_cast<std::uint32_t*>(word)] = {stream.time, stream.context->busy};
}

constexpr std::uint64_t event_time = 640;  // ns that an event keeps the stream
constexpr long usual_duration = 5'024;     // ns, of a kernel of which the script says nothing
constexpr long short_duration = 992;       // ns, of kernels that do nothing

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

CUresult stream_write_value32(CUstream stream, CUdeviceptr address, cuuint32_t value, unsigned) {
  if (const CUresult result = enter("cuStreamWriteValue32", stream->context); result != CUDA_SUCCESS) return result;
  stream->enqueue({.run = [=] { write_word(*stream, reinterpret_cast<volatile std::uint32_t*>(address), value); }});
  return CUDA_SUCCESS;
}

CUresult stream_wait_event(CUstream stream, CUevent event, unsigned) {
  if (const CUresult result = enter("cuStreamWaitEvent", stream->context); result != CUDA_SUCCESS) return result;
  stream->enqueue({.poll = [=] {
    if (event->stamp) stream->time = std::max(stream->time, *event->stamp);
    return event->stamp.has_value();
  }});
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

/// The one kernel that runs beside those of other streams.
CUresult launch_sentinel(CUstream stream, void** arguments) {
  const auto argument = [&]<class T>(int i, T) { return *static_cast<const T*>(arguments[i]); };
  auto sentinel = std::make_shared<Sentinel>();
  sentinel->running = argument(0, static_cast<volatile std::uint32_t*>(nullptr));
  sentinel->stop = argument(1, static_cast<const volatile std::uint32_t*>(nullptr));
  sentinel->ticket = argument(2, std::uint32_t{});
  sentinel->least = argument(3, std::uint64_t{});
  sentinel->longest = argument(4, std::uint64_t{});
  sentinel->out = argument(5, static_cast<std::uint64_t*>(nullptr));
  stream->enqueue({.poll = [=] { return sentinel->advance(*stream); }});
  if (machine().number("blocking", 0) != 0) stream->wait();
  return CUDA_SUCCESS;
}

/// A kernel that needs every SM starts when the sentinel is gone.
void wait_for_every_sm(CUstream_st& stream, const char* name) {
  const auto sentinel = stream.context->sentinel;
  if (machine().text("exclusive") != name || !sentinel) return;
  sentinel->time_out(*stream.context);
  stream.time = std::max(stream.time, sentinel->end->time);
}

/// What the kernels of harness.cu do, as work to be done at the kernel's turn; returns how long each takes.
std::function<std::uint64_t()> body_of(const std::string& name, CUstream stream, void** arguments) {
  const auto mhz = static_cast<std::uint64_t>(machine().sm_clock());
  const auto busy_mhz = static_cast<std::uint64_t>(machine().busy_clock());
  const auto argument = [&](int i) { return *static_cast<const std::uint64_t*>(arguments[i]); };
  if (name == "warpclock_spin") return [ns = argument(0)] { return ns; };
  if (name == "warpclock_cycles") return [ns = argument(0) * 1000 / busy_mhz] { return ns; };
  if (name == "warpclock_probe") {
    return [mhz, ns = in_steps(argument(0)), slot = reinterpret_cast<std::uint64_t*>(argument(1))] {
      slot[0] = ns * mhz / 1000;
      slot[1] = ns;
      return ns;
    };
  }
  if (name == "warpclock_word") {
    return [stream, word = reinterpret_cast<volatile std::uint32_t*>(argument(0)),
            value = *static_cast<const std::uint32_t*>(arguments[1])] {
      write_word(*stream, word, value);
      return std::uint64_t{short_duration};
    };
  }
  const bool short_one = name == "warpclock_empty" || name.starts_with("warpclock_window");
  const auto ns =
      static_cast<std::uint64_t>(machine().number("duration." + name, short_one ? short_duration : usual_duration));
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
  if (function->name == "warpclock_sentinel") return launch_sentinel(stream, arguments);
  const std::uint32_t correlation = ++stream->context->correlation;
  const char* name = machine().keep(function->name);
  machine().profile(std::string("kernel ") + name);
  stream->enqueue({.run = [=, body = body_of(function->name, stream, arguments)] {
    CUcontext context = stream->context;
    wait_for_every_sm(*stream, name);
    const std::uint64_t start = stream->occupy(body(), launch_gap);
    context->broken = static_cast<CUresult>(machine().error_of(std::string("kernel.") + name));
    machine().record({Activity::Kind::kernel, name, start, stream->time, static_cast<std::uint32_t>(context->ordinal),
                      stream->number, correlation, threads});
  }});
  if (machine().number("blocking", 0) != 0) stream->wait();
  return CUDA_SUCCESS;
}

}  // namespace

const Entries& work_entries() {
  static const Entries entries{
      {"cuStreamCreate", address<PFN_cuStreamCreate_v2000>(stream_create)},
      {"cuStreamDestroy", address<PFN_cuStreamDestroy_v4000>(stream_destroy)},
      {"cuStreamSynchronize", address<PFN_cuStreamSynchronize_v2000>(stream_synchronize)},
      {"cuStreamQuery", address<PFN_cuStreamQuery_v2000>(stream_query)},
      {"cuStreamWaitValue32", address<PFN_cuStreamWaitValue32_v11070>(stream_wait_value32)},
      {"cuStreamWriteValue32", address<PFN_cuStreamWriteValue32_v11070>(stream_write_value32)},
      {"cuStreamWaitEvent", address<PFN_cuStreamWaitEvent_v3020>(stream_wait_event)},
      {"cuEventCreate", address<PFN_cuEventCreate_v2000>(event_create)},
      {"cuEventDestroy", address<PFN_cuEventDestroy_v4000>(event_destroy)},
      {"cuEventRecord", address<PFN_cuEventRecord_v2000>(event_record)},
      {"cuEventElapsedTime", address<PFN_cuEventElapsedTime_v2000>(event_elapsed)},
      {"cuModuleLoadData", address<PFN_cuModuleLoadData_v2000>(module_load)},
      {"cuModuleUnload", address<PFN_cuModuleUnload_v2000>(module_unload)},
      {"cuModuleGetFunction", address<PFN_cuModuleGetFunction_v2000>(module_function)},
      {"cuFuncSetAttribute", address<PFN_cuFuncSetAttribute_v9000>(function_set_attribute)},
      {"cuLaunchKernel", address<PFN_cuLaunchKernel_v4000>(launch_kernel)},
  };
  return entries;
}

}  // namespace fake
