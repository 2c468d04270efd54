// Element types of operands, and their conversion to and from double on the host.
#include "verify/dtype.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace warpclock {
namespace {

// A small floating-point format: sign, exponent and mantissa bits, as an IEEE format has them.
struct Format {
  int exponent_bits;
  int mantissa_bits;
  bool infinity;  // false: the largest exponent holds numbers too, and all mantissa bits set in it are NaN (e4m3fn)

  [[nodiscard]] constexpr int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  [[nodiscard]] constexpr std::uint32_t sign_bit() const { return 1U << (exponent_bits + mantissa_bits); }
  [[nodiscard]] constexpr std::uint32_t exponent_mask() const { return (1U << exponent_bits) - 1; }
  [[nodiscard]] constexpr std::uint32_t mantissa_mask() const { return (1U << mantissa_bits) - 1; }
};

constexpr Format fp16_format{5, 10, true};
constexpr Format bf16_format{8, 7, true};
constexpr Format fp8_format{4, 3, false};

double decode_small(const Format& format, std::uint32_t bits) {
  const auto exponent = (bits >> format.mantissa_bits) & format.exponent_mask();
  const auto mantissa = bits & format.mantissa_mask();
  double magnitude = 0;
  if (exponent == format.exponent_mask() && (format.infinity || mantissa == format.mantissa_mask())) {
    magnitude = format.infinity && mantissa == 0 ? std::numeric_limits<double>::infinity()
                                                 : std::numeric_limits<double>::quiet_NaN();
  } else {
    const bool normal = exponent != 0;
    const auto significand = normal ? mantissa + format.mantissa_mask() + 1 : mantissa;
    const auto power = static_cast<int>(normal ? exponent : 1) - format.bias() - format.mantissa_bits;
    magnitude = std::ldexp(static_cast<double>(significand), power);
  }
  return (bits & format.sign_bit()) != 0 ? -magnitude : magnitude;
}

std::uint32_t encode_small(const Format& format, double value) {
  const std::uint32_t sign = std::signbit(value) ? format.sign_bit() : 0;
  const auto all_ones = format.sign_bit() - 1;
  const auto infinity = format.exponent_mask() << format.mantissa_bits;
  if (std::isnan(value)) return sign | all_ones;
  const auto largest = format.infinity ? infinity - 1 : all_ones - 1;
  const auto overflow = format.infinity ? infinity : largest;
  const double magnitude = std::fabs(value);
  if (magnitude == 0) return sign;
  if (std::isinf(magnitude)) return sign | overflow;
  // Count in units of the last place; a count that carries into the next exponent is right as it stands.
  const int exponent = std::max(std::ilogb(magnitude), 1 - format.bias());
  const double count = std::nearbyint(std::ldexp(magnitude, format.mantissa_bits - exponent));
  const auto steps = static_cast<std::uint64_t>(count);
  const auto bits = steps + (static_cast<std::uint64_t>(exponent + format.bias() - 1) << format.mantissa_bits);
  return sign | static_cast<std::uint32_t>(std::min<std::uint64_t>(bits, overflow));
}

template <typename T>
T load(std::span<const std::byte> from, std::size_t i) {
  T value;
  std::memcpy(&value, from.data() + i * sizeof(T), sizeof(T));
  return value;
}

template <typename T>
void store(std::span<std::byte> to, std::size_t i, T value) {
  std::memcpy(to.data() + i * sizeof(T), &value, sizeof(T));
}

template <typename T>
void decode_native(std::span<const std::byte> from, std::span<double> values) {
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(load<T>(from, i));
}

// Every bit pattern of a 16-bit format, since ldexp an element would be slow over hundreds of megabytes.
template <const Format& format>
const std::array<float, 65536>& table16() {
  static const auto table = [] {
    std::array<float, 65536> values{};
    for (std::uint32_t bits = 0; bits < values.size(); ++bits) {
      values[bits] = static_cast<float>(decode_small(format, bits));
    }
    return values;
  }();
  return table;
}

template <const Format& format>
void decode16(std::span<const std::byte> from, std::span<double> values) {
  const auto& table = table16<format>();
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(table[load<std::uint16_t>(from, i)]);
}

template <typename T>
T to_integer(double value) {
  if (std::isnan(value)) return 0;
  const double rounded = std::nearbyint(value);
  // The largest int64 is no double: compare with the power of two above it.
  if (rounded >= std::ldexp(1.0, std::numeric_limits<T>::digits)) return std::numeric_limits<T>::max();
  if (rounded <= static_cast<double>(std::numeric_limits<T>::min())) return std::numeric_limits<T>::min();
  return static_cast<T>(rounded);
}

template <typename Convert>
void encode_each(std::span<const double> values, std::span<std::byte> to, Convert convert) {
  for (std::size_t i = 0; i < values.size(); ++i) store(to, i, convert(values[i]));
}

}  // namespace

const char* name_of(DType type) {
  switch (type) {
    case DType::fp64:
      return "fp64";
    case DType::fp32:
      return "fp32";
    case DType::fp16:
      return "fp16";
    case DType::bf16:
      return "bf16";
    case DType::fp8:
      return "fp8";
    case DType::int64:
      return "int64";
    case DType::int32:
      return "int32";
    case DType::int8:
      return "int8";
  }
  return "?";
}

Bytes size_of(DType type) {
  switch (type) {
    case DType::fp64:
    case DType::int64:
      return 8;
    case DType::fp32:
    case DType::int32:
      return 4;
    case DType::fp16:
    case DType::bf16:
      return 2;
    case DType::fp8:
    case DType::int8:
      return 1;
  }
  return 1;
}

bool is_floating(DType type) { return type != DType::int64 && type != DType::int32 && type != DType::int8; }

void decode(DType type, std::span<const std::byte> from, std::span<double> values) {
  switch (type) {
    case DType::fp64:
      return decode_native<double>(from, values);
    case DType::fp32:
      return decode_native<float>(from, values);
    case DType::fp16:
      return decode16<fp16_format>(from, values);
    case DType::bf16:
      return decode16<bf16_format>(from, values);
    case DType::fp8:
      for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = decode_small(fp8_format, load<std::uint8_t>(from, i));
      }
      return;
    case DType::int64:
      return decode_native<std::int64_t>(from, values);
    case DType::int32:
      return decode_native<std::int32_t>(from, values);
    case DType::int8:
      return decode_native<std::int8_t>(from, values);
  }
}

void encode(DType type, std::span<const double> values, std::span<std::byte> to) {
  switch (type) {
    case DType::fp64:
      return encode_each(values, to, [](double x) { return x; });
    case DType::fp32:
      return encode_each(values, to, [](double x) { return static_cast<float>(x); });
    case DType::fp16:
      return encode_each(values, to, [](double x) { return static_cast<std::uint16_t>(encode_small(fp16_format, x)); });
    case DType::bf16:
      return encode_each(values, to, [](double x) { return static_cast<std::uint16_t>(encode_small(bf16_format, x)); });
    case DType::fp8:
      return encode_each(values, to, [](double x) { return static_cast<std::uint8_t>(encode_small(fp8_format, x)); });
    case DType::int64:
      return encode_each(values, to, to_integer<std::int64_t>);
    case DType::int32:
      return encode_each(values, to, to_integer<std::int32_t>);
    case DType::int8:
      return encode_each(values, to, to_integer<std::int8_t>);
  }
}

double rounded_to(DType type, double value) {
  std::array<std::byte, 8> bytes{};
  const auto stored = std::span(bytes).first(size_of(type));
  double back = 0;
  encode(type, std::span(&value, 1), stored);
  decode(type, stored, std::span(&back, 1));
  return back;
}

}  // namespace warpclock
