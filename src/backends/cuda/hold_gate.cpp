#include "backends/cuda/hold_gate.hpp"

#include <atomic>
#include <utility>

namespace warpclock::cuda {

HoldGate::HoldGate(std::shared_ptr<const Context> context)
    : context_(std::move(context)), word_(context_, sizeof(std::uint32_t)), watchdog_([this] { watch(); }) {}

HoldGate::~HoldGate() {
  {
    const std::lock_guard lock(mutex_);
    if (armed_) write_ticket();
    stopping_ = true;
  }
  wake_.notify_one();
  watchdog_.join();
}

void HoldGate::close(CUstream stream, Nanoseconds watchdog) {
  arm(watchdog);
  wait_in(stream);
}

std::uint32_t HoldGate::arm(Nanoseconds watchdog) {
  bool wake = false;
  std::uint32_t ticket = 0;
  {
    const std::lock_guard lock(mutex_);
    ticket = ++ticket_;
    armed_ = true;
    deadline_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(watchdog);
    wake = deadline_ < sleeps_until_;
  }
  // Before the wait is enqueued, since that call too blocks where the launch queue is full. A watchdog that still
  // sleeps towards an older, earlier deadline is left alone: waking it would cost the sample.
  if (wake) wake_.notify_one();
  closed_ = true;
  return ticket;
}

void HoldGate::wait_in(CUstream stream) {
  const CUresult result =
      context_->driver().stream_wait_value32(stream, word_.device(), ticket_, CU_STREAM_WAIT_VALUE_GEQ);
  if (result != CUDA_SUCCESS) open();
  context_->check(result, "cuStreamWaitValue32");
}

bool HoldGate::reached() const {
  const auto word = std::atomic_ref(*static_cast<std::uint32_t*>(word_.host())).load(std::memory_order_acquire);
  return static_cast<std::int32_t>(word - ticket_) >= 0;
}

bool HoldGate::open() {
  closed_ = false;
  const std::lock_guard lock(mutex_);
  if (!armed_) return false;
  write_ticket();
  return true;
}

void HoldGate::write_ticket() {
  std::atomic_ref(*static_cast<std::uint32_t*>(word_.host())).store(ticket_, std::memory_order_seq_cst);
  armed_ = false;
}

void HoldGate::watch() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    if (armed_ && Clock::now() >= deadline_) write_ticket();
    sleeps_until_ = armed_ ? deadline_ : Clock::time_point::max();
    if (armed_) {
      wake_.wait_until(lock, sleeps_until_);
    } else {
      wake_.wait(lock);
    }
    sleeps_until_ = Clock::time_point::min();
  }
}

}  // namespace warpclock::cuda
