// Products and sums of sizes that stop at the largest number instead of wrapping around.
#pragma once

#include <cstdint>
#include <limits>

namespace warpclock {

inline constexpr std::uint64_t saturated = std::numeric_limits<std::uint64_t>::max();

[[nodiscard]] constexpr std::uint64_t saturating_mul(std::uint64_t a, std::uint64_t b) {
  return b != 0 && a > saturated / b ? saturated : a * b;
}

[[nodiscard]] constexpr std::uint64_t saturating_add(std::uint64_t a, std::uint64_t b) {
  return a > saturated - b ? saturated : a + b;
}

}  // namespace warpclock
