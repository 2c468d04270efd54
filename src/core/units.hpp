// Units carried in types, so that a microsecond is never printed as a nanosecond.
#pragma once

#include <chrono>
#include <cstdint>

namespace warpclock {

/// Time in nanoseconds; fractional, since a mean over n launches is.
using Nanoseconds = std::chrono::duration<double, std::nano>;

/// A size in bytes.
using Bytes = std::uint64_t;

constexpr Nanoseconds microseconds(double n) { return Nanoseconds{n * 1e3}; }
constexpr Nanoseconds milliseconds(double n) { return Nanoseconds{n * 1e6}; }
constexpr Nanoseconds seconds(double n) { return Nanoseconds{n * 1e9}; }

}  // namespace warpclock
