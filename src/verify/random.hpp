// Seeded numbers as a function of a counter, the same with every standard library.
#pragma once

#include <cstdint>

namespace warpclock {

/// 64 well mixed bits out of any 64.  source splitmix64: Steele, Lea, Flood, OOPSLA 2014
[[nodiscard]] constexpr std::uint64_t mix64(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31U);
}

}  // namespace warpclock
