// Element types of operands: what a buffer holds, so that it can be filled, compared and named.
#pragma once

#include <cstdint>

namespace warpclock {

/// The same types, in the same order, as src/verify/dtype.hpp.
enum class Element : std::uint8_t { fp64, fp32, fp16, bf16, fp8, int64, int32, int8 };

/// IEEE binary16. Arithmetic goes through float.
struct half_t {
  std::uint16_t bits = 0;
  half_t() = default;
  explicit half_t(float value);  // rounds to nearest, ties to even
  explicit operator float() const;
};

/// The upper half of a float.
struct bfloat16_t {
  std::uint16_t bits = 0;
  bfloat16_t() = default;
  explicit bfloat16_t(float value);  // rounds to nearest, ties to even
  explicit operator float() const;
};

/// e4m3fn: no infinity, largest value 448.
struct fp8_e4m3_t {
  std::uint8_t bits = 0;
  fp8_e4m3_t() = default;
  explicit fp8_e4m3_t(float value);  // rounds to nearest, clamps
  explicit operator float() const;
};

/// Which Element a C++ type is. Specialise it for a type of your own with one of these layouts:
///   template <> struct warpclock::ElementOf<my_half> { static constexpr auto value = warpclock::Element::fp16; };
/// <warpclock/cuda.hpp> does so for __half, __nv_bfloat16 and __nv_fp8_e4m3 where their headers were included before.
template <class T>
struct ElementOf;

template <>
struct ElementOf<double> {
  static constexpr Element value = Element::fp64;
};
template <>
struct ElementOf<float> {
  static constexpr Element value = Element::fp32;
};
template <>
struct ElementOf<half_t> {
  static constexpr Element value = Element::fp16;
};
template <>
struct ElementOf<bfloat16_t> {
  static constexpr Element value = Element::bf16;
};
template <>
struct ElementOf<fp8_e4m3_t> {
  static constexpr Element value = Element::fp8;
};
template <>
struct ElementOf<std::int64_t> {
  static constexpr Element value = Element::int64;
};
template <>
struct ElementOf<std::int32_t> {
  static constexpr Element value = Element::int32;
};
template <>
struct ElementOf<std::int8_t> {
  static constexpr Element value = Element::int8;
};

/// True for a T that operands can have.
template <class T>
concept IsElement = requires {
  ElementOf<T>::value;
};

/// "fp32", "bf16", ...: what a type is called on the command line and in results.
[[nodiscard]] const char* name_of(Element element);

/// Name of a type on a type axis. Specialise it for types that are no elements (tags, policies).
template <class T>
struct TypeName {
  static const char* value() { return name_of(ElementOf<T>::value); }
};

}  // namespace warpclock
