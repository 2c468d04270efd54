#include "backends/cuda/device.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

#include "backends/cuda/describe.hpp"
#include "backends/cuda/nvtx.hpp"
#include "backends/cuda/timer_step.hpp"
#include "core/errors.hpp"

namespace warpclock::cuda {

namespace {

// Events and records are stamped by the same timer. CUPTI rounds its stamps to whole nanoseconds of another clock, so
// that records show differences of 1 ns now and then; what they can tell apart is still a step of the timer (measured:
// 32 ns on an H200, driver 580.159.04).
constexpr Nanoseconds usual_record_step{32};

/// Traces a few short kernels: shows whether tracing works here, and the step of the stamps.
///   return  the step;  throws DeviceError where tracing does not work
Nanoseconds try_tracing(CudaStream& stream) {
  stream.start_trace();
  for (std::uint32_t i = 0; i < 16; ++i) {
    stream.open_window(i);
    stream.launch_spin(Nanoseconds{7.0 * i});
    stream.close_window();
  }
  std::vector<Nanoseconds> durations;
  for (const Activity& a : stream.stop_trace_raw()) {
    if (a.start != 0 && a.end > a.start) durations.emplace_back(static_cast<double>(a.end - a.start));
  }
  if (durations.empty()) throw DeviceError("CUPTI: gave no records of kernels that ran; use another CUPTI");
  const Nanoseconds step = smallest_step(std::move(durations));
  return std::max(step, stream.mark_step() > Nanoseconds{0} ? stream.mark_step() : usual_record_step);
}

}  // namespace

CudaDevice::CudaDevice(int ordinal) : context_(std::make_shared<Context>(ordinal)) {
  module_ = embedded_kernels(context_);
  std::string tracing_problem;
  try {
    tracer_ = Tracer::shared(context_->driver());
  } catch (const DeviceError& error) {
    tracing_problem = error.what();
  }
  stream_ = std::make_unique<CudaStream>(context_, module_, tracer_);
  Parts parts{*context_, *stream_, nullptr, {}, {}, std::move(tracing_problem), {}};
  if (tracer_) {
    try {
      parts.record_step = try_tracing(*stream_);
      parts.tracing_library = tracer_->library();
    } catch (const DeviceError& error) {
      parts.tracing_problem = error.what();
    }
  }
  try {
    nvml_ = std::make_unique<NvmlDevice>(uuid_text(*context_), pci_bus_text(*context_));
    parts.nvml = nvml_.get();
  } catch (const DeviceError& error) {
    parts.nvml_problem = nvml_problem_ = error.what();
  }
  info_ = describe(parts);
}

CudaDevice::~CudaDevice() = default;

const DeviceInfo& CudaDevice::info() const {
  const auto evict = std::find_if(info_.abilities.begin(), info_.abilities.end(),
                                  [](const Ability& ability) { return ability.name == "evict"; });
  if (evict != info_.abilities.end() && !stream_->evict_problem().empty()) {
    evict->works = false;
    evict->detail = stream_->evict_problem();
  }
  return info_;
}

MemoryState CudaDevice::memory() const { return memory_state(*context_); }

std::unique_ptr<Buffer> CudaDevice::allocate(Bytes bytes) { return std::make_unique<DeviceMemory>(context_, bytes); }

Nanoseconds CudaDevice::host_now() const { return std::chrono::steady_clock::now().time_since_epoch(); }

void CudaDevice::host_wait(Nanoseconds duration) {
  // A sleep may last 0.1 ms longer than asked for, so the end is waited for awake.
  constexpr Nanoseconds awake = microseconds(200);
  const Nanoseconds end = host_now() + duration;
  if (duration > awake) std::this_thread::sleep_for(duration - awake);
  while (host_now() < end) {
  }
}

Telemetry CudaDevice::telemetry() { return nvml_ ? nvml_->telemetry() : no_telemetry(nvml_problem_); }

void CudaDevice::check_clock(ClockDomain domain, const ClockWish& wish) {
  if (nvml_) nvml_->check_clock(domain, wish);
}

double CudaDevice::lock_clock(ClockDomain domain, const ClockWish& wish) {
  if (!nvml_) throw DeviceError(info().id + ": its clocks cannot be locked: " + nvml_problem_);
  return nvml_->lock_clock(domain, wish);
}

void CudaDevice::unlock_clocks() {
  if (nvml_) nvml_->unlock_clocks();
}

void CudaDevice::start_profiling(const std::string& name) {
  const ContextGuard guard(*context_);
  if (const auto start = context_->driver().profiler_start) context_->check(start(), "cuProfilerStart");
  nvtx_push(name);
}

void CudaDevice::stop_profiling() {
  nvtx_pop();
  const ContextGuard guard(*context_);
  if (const auto stop = context_->driver().profiler_stop) context_->check(stop(), "cuProfilerStop");
}

std::string CudaDevice::profiler_marks() const {
  const bool start_stop = context_->driver().profiler_start != nullptr && context_->driver().profiler_stop != nullptr;
  std::string marks = start_stop ? "cuProfilerStart/Stop" : "";
  if (has_nvtx()) marks += marks.empty() ? "NVTX range" : ", NVTX range";
  return marks;
}

std::shared_ptr<const CublasLt> CudaDevice::cublaslt() {
  if (!cublaslt_) cublaslt_ = std::make_shared<CublasLt>(context_);
  return cublaslt_;
}

CudaDevice& as_cuda(Device& device) {
  auto* cuda = dynamic_cast<CudaDevice*>(&device);
  if (cuda == nullptr) throw UsageError(device.info().id + ": not a CUDA device");
  return *cuda;
}

CudaStream& as_cuda(Stream& stream) {
  auto* cuda = dynamic_cast<CudaStream*>(&stream);
  if (cuda == nullptr) throw UsageError("not the stream of a CUDA device");
  return *cuda;
}

}  // namespace warpclock::cuda
