#include "backends/cuda/sentinel.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <thread>
#include <utility>

namespace warpclock::cuda {

namespace {

constexpr std::uint64_t least_ns = 20'000;  // the step of the timer (32 ns on an H200) is 0.2 % of it
constexpr Nanoseconds patience =
    seconds(2.0);                       // in which the measured stream's earlier work is done, and a sentinel runs
constexpr int all_shared_memory = 100;  // per cent

}  // namespace

struct Sentinel::Words {
  std::uint64_t cycles;
  std::uint64_t nanoseconds;
  std::uint64_t end;  // 1: by stop, 2: by itself, 0: has not run
  std::uint32_t stop;
};

Sentinel::Sentinel(std::shared_ptr<const Context> context, const Module& kernels, CUstream measured,
                   bool memory_operations)
    : context_(std::move(context)),
      sentinel_(kernels.function("warpclock_sentinel")),
      word_(kernels.function("warpclock_word")),
      measured_(measured),
      memory_operations_(memory_operations),
      memory_(context_, sizeof(Words)),
      gate_(context_) {
  const Driver& driver = context_->driver();
  // An SM changes its division between L1 and shared memory only when it is idle: with the usual one a block of 200 KiB
  // would not start beside the sentinel (measured on an H200: 205 us instead of 107).
  context_->check(
      driver.function_set_attribute(sentinel_, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, all_shared_memory),
      "cuFuncSetAttribute");
  try {
    context_->check(driver.stream_create(&side_, CU_STREAM_NON_BLOCKING), "cuStreamCreate");
    context_->check(driver.event_create(&before_, CU_EVENT_DISABLE_TIMING), "cuEventCreate");
    // What is launched first is loaded, which would wait for a sentinel that runs.
    launch(ticket_, seconds(0));  // ticket 0 is there already, so it does nothing
    if (!memory_operations_) write_stop(side_);
    context_->check(driver.stream_synchronize(side_), "cuStreamSynchronize");
  } catch (...) {  // there will be no destructor
    destroy();
    throw;
  }
}

Sentinel::~Sentinel() {
  abandon();
  destroy();
}

void Sentinel::destroy() noexcept {
  if (before_ != nullptr) (void)context_->driver().event_destroy(before_);
  if (side_ != nullptr) (void)context_->driver().stream_destroy(side_);
}

Sentinel::Words& Sentinel::words() const { return *static_cast<Words*>(memory_.host()); }

void Sentinel::launch(std::uint32_t ticket, Nanoseconds longest) {
  CUdeviceptr running = gate_.word();
  CUdeviceptr stop = device(offsetof(Words, stop));
  CUdeviceptr out = device(0);
  std::uint64_t least = least_ns;
  auto limit = std::max(static_cast<std::uint64_t>(std::max(longest.count(), 0.0)), least);
  void* arguments[] = {&running, &stop, &ticket, &least, &limit, &out, nullptr};
  context_->check(context_->driver().launch_kernel(sentinel_, 1, 1, 1, 1, 1, 1, 0, side_, arguments, nullptr),
                  "cuLaunchKernel");
}

void Sentinel::start(Nanoseconds longest) {
  const Driver& driver = context_->driver();
  words().cycles = words().nanoseconds = words().end = 0;
  context_->check(driver.event_record(before_, measured_), "cuEventRecord");
  context_->check(driver.stream_wait_event(side_, before_, 0), "cuStreamWaitEvent");
  ticket_ = gate_.arm(patience + longest);
  try {
    launch(ticket_, longest);
  } catch (...) {
    gate_.open();
    throw;
  }
  // After the launch, so that it stands before the wait where both streams share a hardware queue
  // (CUDA_DEVICE_MAX_CONNECTIONS=1).
  if (memory_operations_) {
    gate_.wait_in(measured_);
    return;
  }
  while (!gate_.reached()) std::this_thread::yield();  // the watchdog ends it
}

void Sentinel::stop() { write_stop(measured_); }

void Sentinel::write_stop(CUstream stream) {
  const Driver& driver = context_->driver();
  CUdeviceptr word = device(offsetof(Words, stop));
  if (memory_operations_) {
    context_->check(driver.stream_write_value32(stream, word, ticket_, CU_STREAM_WRITE_VALUE_DEFAULT),
                    "cuStreamWriteValue32");
    return;
  }
  void* arguments[] = {&word, &ticket_, nullptr};
  context_->check(driver.launch_kernel(word_, 1, 1, 1, 1, 1, 1, 0, stream, arguments, nullptr), "cuLaunchKernel");
}

std::optional<ClockReading> Sentinel::read() {
  const Driver& driver = context_->driver();
  context_->check(driver.stream_synchronize(measured_), "cuStreamSynchronize");
  gate_.open();  // sends the watchdog to sleep
  context_->check(driver.stream_synchronize(side_), "cuStreamSynchronize");
  const Words& read = words();
  if (read.end != 1 || read.nanoseconds == 0) return std::nullopt;
  const auto span = static_cast<double>(read.nanoseconds);
  return ClockReading{static_cast<double>(read.cycles) * 1e3 / span, Nanoseconds{span}};
}

void Sentinel::abandon() noexcept {
  std::atomic_ref(words().stop).store(ticket_, std::memory_order_seq_cst);
  gate_.open();
  (void)context_->driver().stream_synchronize(side_);
}

}  // namespace warpclock::cuda
