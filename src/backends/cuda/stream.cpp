#include "backends/cuda/stream.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "backends/cuda/profilers.hpp"
#include "backends/cuda/timer_step.hpp"
#include "core/errors.hpp"

namespace warpclock::cuda {

namespace {

constexpr std::size_t events_reserved = 512;
constexpr std::uint64_t probe_ns = 30'000;             // two timer readings cost up to 0.1 us: 0.3 % of this
constexpr Nanoseconds hold_trial = milliseconds(300);  // far above what enqueueing one kernel can take
constexpr int hold_trials = 3;                         // a host that is busy may be late once
constexpr Nanoseconds documented_event_step{500};      // CUDA driver API, cuEventElapsedTime: "around 0.5 microseconds"
constexpr unsigned evict_pattern = 0x5a5a5a5a;
constexpr unsigned never_read = 1;  // differs from every bitwise or of words of that pattern
constexpr Bytes smallest_evict = Bytes{1} << 20;
constexpr unsigned read_block = 512;
constexpr unsigned matmul_tile = 128;
constexpr unsigned cover_full_size = 4096;
constexpr Nanoseconds cover_limit = milliseconds(100);

CUdeviceptr pointer(const Buffer& buffer) {
  return static_cast<CUdeviceptr>(std::bit_cast<std::uintptr_t>(buffer.address()));
}

/// True for the errors by which a launch says that its own shape or image is wrong.
bool launch_is_to_blame(CUresult result) {
  return result == CUDA_ERROR_INVALID_VALUE || result == CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES ||
         result == CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE || result == CUDA_ERROR_INVALID_HANDLE ||
         result == CUDA_ERROR_NO_BINARY_FOR_GPU;
}

}  // namespace

CudaStream::CudaStream(std::shared_ptr<const Context> context, std::shared_ptr<Module> kernels,
                       std::shared_ptr<Tracer> tracer)
    : context_(std::move(context)),
      module_(std::move(kernels)),
      tracer_(std::move(tracer)),
      events_(context_, events_reserved),
      probes_(context_) {
  const ContextGuard guard(*context_);
  find_kernels();
  scratch_ = std::make_unique<DeviceMemory>(context_, sizeof(unsigned));
  gate_ = std::make_unique<HoldGate>(context_);
  context_->check(context_->driver().stream_create(&stream_, CU_STREAM_NON_BLOCKING), "cuStreamCreate");
  try {
    run_each_kernel_once();
    try_hold();
    meters_ = std::make_unique<Meters>(context_, module_, stream_, memory_operations_,
                                       memory_operations_ ? hold_problem_ : "");
    measure_mark_step();
  } catch (...) {  // there will be no destructor
    (void)context_->driver().stream_destroy(stream_);
    throw;
  }
}

CudaStream::~CudaStream() {
  const ContextGuard guard(*context_, std::nothrow);
  gate_->open();
  meters_.reset();
  (void)context_->driver().stream_synchronize(stream_);
  (void)context_->driver().stream_destroy(stream_);
}

void CudaStream::find_kernels() {
  kernels_ = {module_->function("warpclock_empty"),   module_->function("warpclock_spin"),
              module_->function("warpclock_cycles"),  module_->function("warpclock_probe"),
              module_->function("warpclock_read"),    module_->function(window_open_kernel),
              module_->function(window_close_kernel), module_->function("warpclock_pattern"),
              module_->function("warpclock_matmul")};
}

/// Kernels are loaded when they are launched first, which synchronises: better here than behind a hold.
void CudaStream::run_each_kernel_once() {
  launch_empty();
  launch_spin(Nanoseconds{1});
  launch_cycles(1);
  probe_clock();
  launch_own(kernels_.window_open, {1}, 1);
  launch_own(kernels_.window_close, {1}, 1);
  launch_own(kernels_.read, {1}, read_block, scratch_->pointer(), std::uint64_t{0}, never_read, scratch_->pointer());
  launch_own(kernels_.pattern, {1}, 256, scratch_->pointer(), std::uint64_t{0});
  launch_own(kernels_.matmul, {1}, 256, scratch_->pointer(), scratch_->pointer(), scratch_->pointer(), 0);
  synchronize();
  recycle();
}

void CudaStream::try_hold() {
  hold_problem_ = serialising_tool();
  for (int trial = 0; trial < hold_trials && hold_problem_.empty(); ++trial) {
    try {
      gate_->close(stream_, hold_trial);
      launch_empty();
      const bool waits = context_->driver().stream_query(stream_) == CUDA_ERROR_NOT_READY;
      const bool lasted = gate_->open();
      synchronize();
      if (lasted && waits) return;
      if (lasted) hold_problem_ = "the device does not wait for cuStreamWaitValue32";
      if (lasted) memory_operations_ = false;
    } catch (const DeviceError& error) {
      hold_problem_ = error.what();
      memory_operations_ = false;
    }
  }
  if (hold_problem_.empty()) hold_problem_ = "launches behind a hold do not return: something makes them synchronous";
}

void CudaStream::measure_mark_step() {
  constexpr unsigned n = 64;
  std::vector<MarkTicket> marks;
  for (unsigned i = 0; i < n; ++i) {
    launch_spin(Nanoseconds{7.0 * i});
    marks.push_back(mark());
  }
  synchronize();
  std::vector<Nanoseconds> intervals;
  for (unsigned i = 1; i < n; ++i) intervals.push_back(elapsed(marks[i - 1], marks[i]));
  // Spans come as float milliseconds, which leaves a step of 32 ns at 31.95.
  mark_step_ = Nanoseconds{std::round(smallest_step(std::move(intervals)).count())};
  if (mark_step_ == Nanoseconds{0}) mark_step_ = documented_event_step;
  recycle();
}

template <class... Args>
void CudaStream::launch_own(CUfunction function, Dim3 grid, unsigned block, const Args&... args) {
  std::array<void*, sizeof...(Args) + 1> addresses{const_cast<void*>(static_cast<const void*>(&args))..., nullptr};
  const ContextGuard guard(*context_);
  context_->check(context_->driver().launch_kernel(function, grid.x, grid.y, grid.z, block, 1, 1, 0, stream_,
                                                   addresses.data(), nullptr),
                  "cuLaunchKernel");
}

void CudaStream::launch_raw(CUfunction function, Dim3 grid, Dim3 block, unsigned shared_bytes, void** arguments) {
  const ContextGuard guard(*context_);
  const CUresult result = context_->driver().launch_kernel(function, grid.x, grid.y, grid.z, block.x, block.y, block.z,
                                                           shared_bytes, stream_, arguments, nullptr);
  try {
    context_->check(result, "cuLaunchKernel");
  } catch (const DeviceError& error) {
    if (!launch_is_to_blame(result)) throw;
    throw KernelError(fmt::format("{}; grid {}x{}x{}, block {}x{}x{}, {} bytes of shared memory", error.what(), grid.x,
                                  grid.y, grid.z, block.x, block.y, block.z, shared_bytes));
  }
}

void CudaStream::hold(Nanoseconds watchdog) {
  if (!hold_problem_.empty()) {
    throw DeviceError(fmt::format("{}: cannot hold the stream: {}; use another cover", context_->id(), hold_problem_));
  }
  const ContextGuard guard(*context_);
  meters_->leave();
  gate_->close(stream_, watchdog);
}

bool CudaStream::release() { return gate_->open(); }

MarkTicket CudaStream::mark() {
  if (meters_ && !meters_->measuring()) {
    const ContextGuard guard(*context_);
    meters_->leave();
  }
  return MarkTicket{events_.record(stream_)};
}

ProbeTicket CudaStream::probe_clock() {
  const std::uint32_t slot = probes_.take();
  launch_own(kernels_.probe, {1}, 32, probe_ns, probes_.device(slot));
  return ProbeTicket{slot};
}

void CudaStream::evict(Evict kind, Bytes bytes) {
  const ContextGuard guard(*context_);
  reset_persisting_lines();
  if (bytes > evict_wish_) grow_evict_buffer(bytes);
  bytes = std::min(bytes, evict_buffer_->size());
  if (kind == Evict::dirty) {
    context_->check(context_->driver().memset_d32(evict_buffer_->pointer(), evict_pattern, bytes / 4, stream_),
                    "cuMemsetD32Async");
    return;
  }
  const auto multiprocessors = static_cast<unsigned>(context_->attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT));
  const auto threads = static_cast<unsigned>(context_->attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR));
  launch_own(kernels_.read, {multiprocessors * std::max(threads / read_block, 1u)}, read_block,
             evict_buffer_->pointer(), std::uint64_t{bytes / sizeof(std::uint32_t[4])}, never_read,
             scratch_->pointer());
}

/// A set-aside part of L2 survives every flush. The call that resets it is not stream-ordered, so the stream must be
/// idle; it is made only where something set a part aside.
void CudaStream::reset_persisting_lines() {
  std::size_t set_aside = 0;
  if (context_->driver().context_limit(&set_aside, CU_LIMIT_PERSISTING_L2_CACHE_SIZE) != CUDA_SUCCESS) return;
  if (set_aside == 0 || gate_->closed()) return;
  synchronize();
  context_->check(context_->driver().reset_persisting_l2(), "cuCtxResetPersistingL2Cache");
}

void CudaStream::grow_evict_buffer(Bytes bytes) {
  evict_wish_ = bytes;
  evict_problem_.clear();
  const Bytes wanted = std::max((bytes + 15) / 16 * 16, smallest_evict);
  evict_buffer_.reset();
  for (Bytes size = wanted; !evict_buffer_; size = size / 32 * 16) {
    if (size < smallest_evict) {
      const MemoryState now = memory_state(*context_);
      throw DeviceError(
          fmt::format("{}: no memory to flush the cache with: {} bytes wanted, {} bytes free; choose a "
                      "smaller problem or cache state warm",
                      context_->id(), wanted, now.free));
    }
    evict_buffer_ = DeviceMemory::try_allocate(context_, size);
  }
  if (evict_buffer_->size() < wanted) {
    evict_problem_ = fmt::format("memory is short: flushes {} bytes instead of {}", evict_buffer_->size(), wanted);
  }
  context_->check(
      context_->driver().memset_d32(evict_buffer_->pointer(), evict_pattern, evict_buffer_->size() / 4, stream_),
      "cuMemsetD32Async");
}

void CudaStream::fill(Buffer& to, std::uint8_t value) {
  if (to.size() == 0) return;
  const ContextGuard guard(*context_);
  context_->check(context_->driver().memset_d8(pointer(to), value, to.size(), stream_), "cuMemsetD8Async");
}

void CudaStream::copy(Buffer& to, const Buffer& from) {
  if (to.size() != from.size()) {
    throw UsageError(fmt::format("{}: cannot copy {} bytes into {}", context_->id(), from.size(), to.size()));
  }
  if (to.size() == 0) return;
  const ContextGuard guard(*context_);
  context_->check(context_->driver().copy_device_to_device(pointer(to), pointer(from), to.size(), stream_),
                  "cuMemcpyDtoDAsync");
}

void CudaStream::upload(Buffer& to, std::span<const std::byte> bytes) {
  if (bytes.size() > to.size()) {
    throw UsageError(fmt::format("{}: cannot put {} bytes into {}", context_->id(), bytes.size(), to.size()));
  }
  const ContextGuard guard(*context_);
  if (!bytes.empty()) {
    context_->check(context_->driver().copy_host_to_device(pointer(to), bytes.data(), bytes.size(), stream_),
                    "cuMemcpyHtoDAsync");
  }
  synchronize();
}

void CudaStream::download(std::span<std::byte> bytes, const Buffer& from) {
  if (bytes.size() > from.size()) {
    throw UsageError(fmt::format("{}: cannot get {} bytes out of {}", context_->id(), bytes.size(), from.size()));
  }
  const ContextGuard guard(*context_);
  if (!bytes.empty()) {
    context_->check(context_->driver().copy_device_to_host(bytes.data(), pointer(from), bytes.size(), stream_),
                    "cuMemcpyDtoHAsync");
  }
  synchronize();
}

void CudaStream::launch_empty() { launch_own(kernels_.empty, {1}, 1); }

void CudaStream::launch_spin(Nanoseconds duration) {
  launch_own(kernels_.spin, {1}, 1, static_cast<std::uint64_t>(std::max(duration.count(), 0.0)));
}

void CudaStream::launch_cycles(std::uint64_t cycles) { launch_own(kernels_.cycles, {1}, 1, cycles); }

void CudaStream::prepare_cover() {
  // Half of one multiply-add a cycle on each of an SM's 128 (64 on some chips) lanes is what the kernel reaches at
  // least.
  const double rate = 64.0 * context_->attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT) *
                      context_->attribute(CU_DEVICE_ATTRIBUTE_CLOCK_RATE) * 1e3;  // flop/s; the attribute is in kHz
  cover_size_ = cover_full_size;
  const auto seconds_needed = [&] { return 2.0 * cover_size_ * cover_size_ * cover_size_ / rate; };
  while (rate > 0 && seconds(seconds_needed()) > cover_limit && cover_size_ > matmul_tile) cover_size_ /= 2;
  const std::uint64_t elements = std::uint64_t{cover_size_} * cover_size_;
  cover_operands_ = std::make_unique<DeviceMemory>(context_, 3 * elements * sizeof(float));
  launch_own(kernels_.pattern, {1024}, 256, cover_operands_->pointer(), 2 * elements);
}

void CudaStream::launch_cover_matmul() {
  if (!cover_operands_) prepare_cover();
  const CUdeviceptr a = cover_operands_->pointer();
  const CUdeviceptr square = CUdeviceptr{cover_size_} * cover_size_ * sizeof(float);
  launch_own(kernels_.matmul, {cover_size_ / matmul_tile, cover_size_ / matmul_tile}, 256, a, a + square,
             a + 2 * square, static_cast<int>(cover_size_));
}

void CudaStream::synchronize() {
  const ContextGuard guard(*context_);
  context_->check(context_->driver().stream_synchronize(stream_), "cuStreamSynchronize");
}

Nanoseconds CudaStream::elapsed(MarkTicket a, MarkTicket b) {
  return events_.elapsed(static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b));
}

double CudaStream::clock_mhz(ProbeTicket probe) { return probes_.clock_mhz(static_cast<std::uint32_t>(probe)); }

void CudaStream::recycle() {
  events_.recycle();
  probes_.recycle();
}

void CudaStream::start_meter(ClockMeter meter, Nanoseconds longest) {
  if (tracing_ && meter == ClockMeter::counters) {
    throw DeviceError(context_->id() + ": the counters cannot be read while a trace runs: stop it first");
  }
  const ContextGuard guard(*context_);
  meters_->start(meter, longest);
}

void CudaStream::stop_meter() {
  const ContextGuard guard(*context_);
  meters_->stop();
}

std::optional<ClockReading> CudaStream::read_meter() {
  const ContextGuard guard(*context_);
  return meters_->read();
}

std::string CudaStream::meter_problem(ClockMeter meter) {
  const ContextGuard guard(*context_);
  return meters_->problem(meter);
}

void CudaStream::start_trace() {
  if (!tracer_)
    throw DeviceError(context_->id() + ": no activity tracing here; see `warpclock devices` for the reason");
  const ContextGuard guard(*context_);
  meters_->leave();
  tracer_->start();
  tracing_ = true;
  windows_.clear();
  launch_empty();  // CUPTI's first record makes its buffers, which synchronises: not behind a hold
  synchronize();
}

void CudaStream::open_window(std::uint32_t window) {
  const auto sequence = static_cast<std::uint32_t>(windows_.size());
  windows_.push_back(window);
  launch_own(kernels_.window_open, {1}, window_marker_threads(sequence));
}

void CudaStream::close_window() {
  launch_own(kernels_.window_close, {1}, window_marker_threads(static_cast<std::uint32_t>(windows_.size() - 1)));
}

std::vector<Activity> CudaStream::stop_trace_raw() {
  const ContextGuard guard(*context_);
  tracing_ = false;
  // The whole context, since a call may have left work in other streams, whose records have no end before it has one.
  const CUresult finished = context_->driver().context_synchronize();
  std::vector<Activity> log = tracer_->stop(*context_, lost_records_);
  context_->check(finished, "cuCtxSynchronize");
  return log;
}

std::vector<Record> CudaStream::stop_trace() {
  const std::vector<Activity> log = stop_trace_raw();
  std::vector<Record> records;
  if (lost_records_ != 0) {  // of which windows nobody knows, so none is to be trusted: a record without stamps in each
    for (const std::uint32_t window : windows_) records.push_back({"records lost by CUPTI", "kernel", window, {}, {}});
  }
  const auto found = sort_into_windows(log, windows_, tracer_->stream_number(*context_, stream_));
  records.insert(records.end(), found.begin(), found.end());
  return records;
}

}  // namespace warpclock::cuda
