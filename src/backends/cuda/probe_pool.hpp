// Where the clock probes leave what they read.
#pragma once

#include <cuda.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "backends/cuda/memory.hpp"

namespace warpclock::cuda {

class ProbePool {
 public:
  /// One reading: SM cycles and nanoseconds of the global timer between the same two instants.
  struct Slot {
    std::uint64_t cycles;
    std::uint64_t nanoseconds;
  };

  explicit ProbePool(std::shared_ptr<const Context> context);

  /// The next free slot.  return: its number since the last recycle()
  std::uint32_t take();
  /// Address of a slot for the kernel.
  [[nodiscard]] CUdeviceptr device(std::uint32_t slot) const;
  /// SM clock in MHz that slot `slot` holds; 0 where the probe has not run.  throws UsageError for one not given out
  [[nodiscard]] double clock_mhz(std::uint32_t slot) const;
  void recycle() { used_ = 0; }

 private:
  [[nodiscard]] Slot* host(std::uint32_t slot) const;

  std::shared_ptr<const Context> context_;
  std::vector<std::unique_ptr<MappedMemory>> chunks_;
  std::size_t used_ = 0;
};

}  // namespace warpclock::cuda
