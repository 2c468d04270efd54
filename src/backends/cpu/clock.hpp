// The steady clock in the units of the device interface.
#pragma once

#include <chrono>

#include "core/units.hpp"

namespace warpclock::cpu {

using Clock = std::chrono::steady_clock;

[[nodiscard]] inline Nanoseconds since_epoch(Clock::time_point at) { return at.time_since_epoch(); }

[[nodiscard]] inline Clock::duration ticks(Nanoseconds duration) {
  return std::chrono::duration_cast<Clock::duration>(duration);
}

/// Smallest step in which the steady clock is seen to move: the smallest difference between two distinct distances of
/// consecutive readings. The readings themselves cost more than a step, so their distance alone would say too much.
[[nodiscard]] Nanoseconds clock_step();

/// Keeps the calling thread busy for `duration` on the steady clock.
inline void busy_wait(Nanoseconds duration) {
  const auto end = Clock::now() + ticks(duration);
  while (Clock::now() < end) {
  }
}

/// Tells the core that this is a spin loop, so that a sibling hyperthread gets its share.
inline void spin_pause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace warpclock::cpu
