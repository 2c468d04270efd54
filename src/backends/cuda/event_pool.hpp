// Timing events, made once and used again.
#pragma once

#include <cuda.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "backends/cuda/context.hpp"
#include "core/units.hpp"

namespace warpclock::cuda {

class EventPool {
 public:
  /// Creates `reserve` events at once, since a sample should not have to.
  EventPool(std::shared_ptr<const Context> context, std::size_t reserve);
  ~EventPool();
  EventPool(const EventPool&) = delete;
  EventPool& operator=(const EventPool&) = delete;

  /// Records the next event in `stream`.  return: its number since the last recycle()
  std::uint32_t record(CUstream stream);
  /// Time from event `a` to event `b`, as the device stamped them.  throws UsageError for a number not given out
  [[nodiscard]] Nanoseconds elapsed(std::uint32_t a, std::uint32_t b) const;
  void recycle() { used_ = 0; }

 private:
  void create();

  std::shared_ptr<const Context> context_;
  std::vector<CUevent> events_;
  std::size_t used_ = 0;
};

}  // namespace warpclock::cuda
