// One timed call and everything known about the state in which it ran. Samples are marked, never deleted.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/units.hpp"

namespace warpclock {

/// Why a sample may not stand for the state that was asked for. A set of bits in Marks.
enum class Mark : std::uint16_t {
  unheld = 1,        // the hold was lifted before the host had enqueued the whole sample
  host_late = 2,     // the cover ended, or there was none, before the host had enqueued the whole sample
  throttled = 4,     // the clock probe beside it read below the device's recovered clock
  unsettled = 8,     // the device had not recovered when it started, and the bounded wait ran out
  contaminated = 16, // something else used the device
  bad_stamp = 32,    // zero, reversed or missing time stamps: carries no time and enters no estimate
};

struct Marks {
  std::uint16_t bits = 0;

  void set(Mark mark) { bits = static_cast<std::uint16_t>(bits | static_cast<std::uint16_t>(mark)); }
  [[nodiscard]] bool has(Mark mark) const { return (bits & static_cast<std::uint16_t>(mark)) != 0; }
  [[nodiscard]] bool any() const { return bits != 0; }
  bool operator==(const Marks&) const = default;
};

/// Every mark with its stable name, as it stands in JSON.
[[nodiscard]] const std::vector<std::pair<Mark, std::string>>& mark_names();

/// Tracing is on in one pass and off in the other, since it disturbs what the other one measures.
enum class Pass : std::uint8_t { traced, untraced };

/// "traced", "untraced": as in JSON.
[[nodiscard]] std::string to_string(Pass pass);

/// One timed call (or, with a batch of n, n calls and every time divided by n).
struct Sample {
  Pass pass = Pass::untraced;
  std::optional<Nanoseconds> kernel;  // traced: end minus start over the call's only record; sum over all records otherwise
  std::optional<Nanoseconds> busy;    // traced: union of the intervals of the call's records
  std::optional<Nanoseconds> call;    // untraced: between the two marks around the call, raw
  Nanoseconds host{0};                // wall time the host needed to enqueue the call
  Nanoseconds at{0};                  // host time since the first sample of the point
  std::optional<double> clock_mhz;    // effective clock by the probe of this sample's block
  std::uint32_t copy = 0;             // which copy of the operands it ran on
  Marks marks;
};

}  // namespace warpclock
