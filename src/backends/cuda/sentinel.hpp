// Effective clock by one warp on a stream of its own, which reads its SM's clock while the measured stream works.
#pragma once

#include <cuda.h>

#include <cstdint>
#include <memory>
#include <optional>

#include "backends/cuda/hold_gate.hpp"
#include "backends/cuda/memory.hpp"
#include "backends/cuda/module.hpp"
#include "core/units.hpp"

namespace warpclock::cuda {

/// In stream order: the sentinel starts after the measured stream's earlier work, then lets that stream go on. It ends
/// at stop(), or by itself, so that a kernel that needs every SM is not kept waiting for ever; and where it cannot be
/// scheduled a watchdog lets the measured stream go. Cost: 31 us of the device for an empty span (H200).
///
/// It sees one SM, and takes room there: 32 threads and the 1 KiB of shared memory that every block has. A kernel that
/// needs all of an SM's shared memory (227 KiB a block on an H200) or all of its threads does without that SM
/// meanwhile. Every member needs the context to be current.
class Sentinel {
 public:
  /// measured           the stream beside which it runs
  /// memory_operations  false: no cuStreamWaitValue32 here, so that start() waits on the host instead
  Sentinel(std::shared_ptr<const Context> context, const Module& kernels, CUstream measured, bool memory_operations);
  ~Sentinel();
  Sentinel(const Sentinel&) = delete;
  Sentinel& operator=(const Sentinel&) = delete;

  /// Enqueues the start.  pre: not started, or read or abandoned since
  ///   longest  after which it ends by itself
  void start(Nanoseconds longest);
  /// Enqueues the end.
  void stop();
  /// Waits for both streams.  return: MHz; empty where the sentinel ended before stop() or began after the work
  [[nodiscard]] std::optional<ClockReading> read();
  /// Ends a sentinel whose work is not to be measured after all. Waits for the sentinel's stream alone.
  void abandon() noexcept;

 private:
  struct Words;  // what host and kernel share

  void launch(std::uint32_t ticket, Nanoseconds longest);
  void write_stop(CUstream stream);
  [[nodiscard]] Words& words() const;
  [[nodiscard]] CUdeviceptr device(std::size_t offset) const { return memory_.device() + offset; }
  void destroy() noexcept;

  std::shared_ptr<const Context> context_;
  CUfunction sentinel_;
  CUfunction word_;
  CUstream measured_;
  bool memory_operations_;
  CUstream side_ = nullptr;
  CUevent before_ = nullptr;  // where the measured stream stood at start()
  MappedMemory memory_;       // Words
  HoldGate gate_;             // what the measured stream waits for at start()
  std::uint32_t ticket_ = 0;  // of the gate; the stop word counts along
};

}  // namespace warpclock::cuda
