// What may be asked of the chip's clocks.
#pragma once

#include <cstdint>
#include <string>

namespace warpclock {

enum class ClockDomain : std::uint8_t { sm, memory };

struct ClockWish {
  enum class Kind : std::uint8_t {
    base,  // the clock that the power limit guarantees, to which ncu locks by default
    max,
    mhz,
  };
  Kind kind = Kind::max;
  double mhz = 0;  // of Kind::mhz
  bool operator==(const ClockWish&) const = default;
};

/// "base", "max", "1500 MHz".
[[nodiscard]] std::string to_string(const ClockWish& wish);
/// "SM clock", "memory clock".
[[nodiscard]] std::string to_string(ClockDomain domain);

}  // namespace warpclock
