// What keeps a stream from going on: a word in host memory that the device waits for, and a watchdog that writes
// it when nobody else does. No SM is busy meanwhile and no power drawn.
#pragma once

#include <cuda.h>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>

#include "backends/cuda/memory.hpp"
#include "core/units.hpp"

namespace warpclock::cuda {

class HoldGate {
 public:
  explicit HoldGate(std::shared_ptr<const Context> context);
  /// Opens the gate if it is closed.
  ~HoldGate();
  HoldGate(const HoldGate&) = delete;
  HoldGate& operator=(const HoldGate&) = delete;

  /// Nothing enqueued in `stream` from now on starts before open(), or before `watchdog` has passed.  pre: not closed
  void close(CUstream stream, Nanoseconds watchdog);
  /// The two halves of close(), for a gate that a kernel opens by writing the ticket into word().
  ///   return  the ticket
  std::uint32_t arm(Nanoseconds watchdog);
  void wait_in(CUstream stream);
  [[nodiscard]] CUdeviceptr word() const { return word_.device(); }
  /// True if somebody has written the ticket: host, watchdog or kernel.
  [[nodiscard]] bool reached() const;
  /// Opens the gate.  return: false if the watchdog had already done so, or it was not closed
  bool open();
  /// True from close() to open(), whether or not the watchdog stepped in.
  [[nodiscard]] bool closed() const { return closed_; }

 private:
  using Clock = std::chrono::steady_clock;

  void watch();
  void write_ticket();  // pre: mutex_ held

  std::shared_ptr<const Context> context_;
  MappedMemory word_;
  std::uint32_t ticket_ = 0;  // the device waits until the word has reached it; wraps round as the wait does
  bool closed_ = false;       // touched by the owner's thread only

  std::mutex mutex_;  // guards what follows; the watchdog makes no CUDA call, since another thread may be stuck in one
  std::condition_variable wake_;
  bool armed_ = false;  // the device waits for ticket_
  bool stopping_ = false;
  Clock::time_point deadline_;
  Clock::time_point sleeps_until_ = Clock::time_point::min();  // of the watchdog; min: awake, max: without a deadline
  std::thread watchdog_;
};

}  // namespace warpclock::cuda
