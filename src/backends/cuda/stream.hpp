// The stream in which everything is measured on a GPU.
#pragma once

#include <cuda.h>

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backends/cuda/context.hpp"
#include "backends/cuda/event_pool.hpp"
#include "backends/cuda/hold_gate.hpp"
#include "backends/cuda/memory.hpp"
#include "backends/cuda/meters.hpp"
#include "backends/cuda/module.hpp"
#include "backends/cuda/probe_pool.hpp"
#include "backends/cuda/trace.hpp"
#include "device/device.hpp"

namespace warpclock::cuda {

/// Size of a grid in blocks, or of a block in threads.
struct Dim3 {
  unsigned x = 1, y = 1, z = 1;
};

/// A non-blocking stream of our own in the primary context. Every member makes the context current for its own
/// duration, so it may be called from any thread (one at a time) whatever context is current there.
class CudaStream final : public Stream {
 public:
  /// tracing  the process-wide CUPTI session; null where tracing is not to be had
  CudaStream(std::shared_ptr<const Context> context, std::shared_ptr<Module> kernels, std::shared_ptr<Tracer> tracer);
  ~CudaStream() override;

  /// The raw stream, for kernels and libraries that enqueue into it themselves.
  [[nodiscard]] CUstream handle() const { return stream_; }
  [[nodiscard]] const std::shared_ptr<const Context>& context() const { return context_; }

  /// Enqueues a kernel with its arguments, which must have exactly the types of the kernel's parameters.
  ///   shared_bytes  of dynamic shared memory
  ///   throws        KernelError for a launch that the device cannot do
  template <class... Args>
  void launch(CUfunction function, Dim3 grid, Dim3 block, unsigned shared_bytes, const Args&... args) {
    std::array<void*, sizeof...(Args) + 1> addresses{const_cast<void*>(static_cast<const void*>(&args))..., nullptr};
    launch_raw(function, grid, block, shared_bytes, addresses.data());
  }
  /// The same with the addresses of the arguments as cuLaunchKernel takes them.
  void launch_raw(CUfunction function, Dim3 grid, Dim3 block, unsigned shared_bytes, void** arguments);

  /// Why hold() is not to be used here; empty where it works. Tried out by the constructor.
  [[nodiscard]] const std::string& hold_problem() const { return hold_problem_; }
  /// Smallest step of marks in ns, measured by the constructor (greatest common divisor of event differences).
  [[nodiscard]] Nanoseconds mark_step() const { return mark_step_; }
  /// Says by how much the eviction buffer is smaller than was asked for, memory being short; empty where it is not.
  [[nodiscard]] const std::string& evict_problem() const { return evict_problem_; }

  /// Like stop_trace(), but returns the whole log as it came, our own kernels included.
  [[nodiscard]] std::vector<Activity> stop_trace_raw();

  void hold(Nanoseconds watchdog) override;
  bool release() override;
  MarkTicket mark() override;
  ProbeTicket probe_clock() override;
  void evict(Evict kind, Bytes bytes) override;
  void fill(Buffer& to, std::uint8_t value) override;
  void copy(Buffer& to, const Buffer& from) override;
  void upload(Buffer& to, std::span<const std::byte> bytes) override;
  void download(std::span<std::byte> bytes, const Buffer& from) override;
  void launch_empty() override;
  void launch_spin(Nanoseconds duration) override;
  void launch_cycles(std::uint64_t cycles) override;
  void launch_cover_matmul() override;
  void synchronize() override;
  [[nodiscard]] Nanoseconds elapsed(MarkTicket a, MarkTicket b) override;
  [[nodiscard]] double clock_mhz(ProbeTicket probe) override;
  void recycle() override;
  void start_meter(ClockMeter meter, Nanoseconds longest) override;
  void stop_meter() override;
  [[nodiscard]] std::optional<ClockReading> read_meter() override;
  [[nodiscard]] std::string meter_problem(ClockMeter meter) override;
  void start_trace() override;
  void open_window(std::uint32_t window) override;
  void close_window() override;
  [[nodiscard]] std::vector<Record> stop_trace() override;

 private:
  struct Kernels {
    CUfunction empty, spin, cycles, probe, read, window_open, window_close, pattern, matmul;
  };

  /// Enqueues one of our own kernels: a failure is the device's, not that of the kernel under test.
  template <class... Args>
  void launch_own(CUfunction function, Dim3 grid, unsigned block, const Args&... args);
  void find_kernels();
  void run_each_kernel_once();
  void try_hold();
  void measure_mark_step();
  void prepare_cover();
  void grow_evict_buffer(Bytes bytes);
  void reset_persisting_lines();

  std::shared_ptr<const Context> context_;
  std::shared_ptr<Module> module_;
  std::shared_ptr<Tracer> tracer_;
  CUstream stream_ = nullptr;
  Kernels kernels_{};
  std::unique_ptr<HoldGate> gate_;
  EventPool events_;
  ProbePool probes_;
  std::string hold_problem_;
  bool memory_operations_ = true;  // false: cuStreamWaitValue32 does not work here
  std::unique_ptr<Meters> meters_;
  bool tracing_ = false;
  Nanoseconds mark_step_{0};
  std::unique_ptr<DeviceMemory> evict_buffer_;
  Bytes evict_wish_ = 0;  // largest size asked for so far
  std::string evict_problem_;
  std::unique_ptr<DeviceMemory> cover_operands_;  // three square matrices, one after the other
  unsigned cover_size_ = 0;
  std::unique_ptr<DeviceMemory> scratch_;  // word into which the reading kernels pretend to write
  std::size_t lost_records_ = 0;           // of the last trace
  std::vector<std::uint32_t> windows_;     // those opened since start_trace(), in order
};

}  // namespace warpclock::cuda
