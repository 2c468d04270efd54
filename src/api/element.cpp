#include <span>
#include <warpclock/element.hpp>

#include "verify/dtype.hpp"

namespace warpclock {
namespace {

template <class Bits>
Bits encoded(DType type, float value) {
  const double wide = static_cast<double>(value);
  Bits bits = 0;
  encode(type, std::span(&wide, 1), std::as_writable_bytes(std::span(&bits, 1)));
  return bits;
}

template <class Bits>
float decoded(DType type, Bits bits) {
  double wide = 0;
  decode(type, std::as_bytes(std::span(&bits, 1)), std::span(&wide, 1));
  return static_cast<float>(wide);
}

}  // namespace

half_t::half_t(float value) : bits(encoded<std::uint16_t>(DType::fp16, value)) {}
half_t::operator float() const { return decoded(DType::fp16, bits); }
bfloat16_t::bfloat16_t(float value) : bits(encoded<std::uint16_t>(DType::bf16, value)) {}
bfloat16_t::operator float() const { return decoded(DType::bf16, bits); }
fp8_e4m3_t::fp8_e4m3_t(float value) : bits(encoded<std::uint8_t>(DType::fp8, value)) {}
fp8_e4m3_t::operator float() const { return decoded(DType::fp8, bits); }

const char* name_of(Element element) { return name_of(static_cast<DType>(element)); }

}  // namespace warpclock
