// Element types of operands, and their conversion to and from double on the host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "core/units.hpp"

namespace warpclock {

enum class DType : std::uint8_t {
  fp64,
  fp32,
  fp16,  // IEEE binary16
  bf16,  // upper half of an fp32
  fp8,   // e4m3fn: no infinity, largest value 448, NaN is 0x7f and 0xff
  int64,
  int32,
  int8,
};

/// "fp32", "bf16", ...
[[nodiscard]] const char* name_of(DType type);
/// Bytes of one element.
[[nodiscard]] Bytes size_of(DType type);
[[nodiscard]] bool is_floating(DType type);

/// Elements of `type` as doubles; exact but for int64 beyond 2^53.
///   from  from.size() == values.size() * size_of(type), at any alignment
void decode(DType type, std::span<const std::byte> from, std::span<double> values);

/// Doubles rounded to `type`, to nearest and ties to even. What is too large becomes infinity (fp8, which has none: the
/// largest value), integers clamp to their range and take NaN as 0.
///   to  to.size() == values.size() * size_of(type), at any alignment
void encode(DType type, std::span<const double> values, std::span<std::byte> to);

/// `value` as it comes back from memory after it was stored as `type`.
[[nodiscard]] double rounded_to(DType type, double value);

}  // namespace warpclock
