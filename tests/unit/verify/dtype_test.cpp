// Element types on the host, against values worked out by hand from the formats and against the compiler's own.
#include "verify/dtype.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

namespace warpclock {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

std::uint32_t bits_of(DType type, double value) {
  std::array<std::byte, 8> bytes{};
  encode(type, std::span(&value, 1), std::span(bytes).first(size_of(type)));
  std::uint32_t bits = 0;
  std::memcpy(&bits, bytes.data(), size_of(type));
  return bits;
}

double value_of(DType type, std::uint32_t bits) {
  std::array<std::byte, 4> bytes{};
  std::memcpy(bytes.data(), &bits, bytes.size());
  double value = 0;
  decode(type, std::span(bytes).first(size_of(type)), std::span(&value, 1));
  return value;
}

TEST(DTypes, KnownBitPatternsOfFp16) {
  EXPECT_EQ(bits_of(DType::fp16, 1), 0x3c00U);
  EXPECT_EQ(bits_of(DType::fp16, -2), 0xc000U);
  EXPECT_EQ(bits_of(DType::fp16, 65504), 0x7bffU);    // largest
  EXPECT_EQ(bits_of(DType::fp16, 65519), 0x7bffU);    // rounds down
  EXPECT_EQ(bits_of(DType::fp16, 65520), 0x7c00U);    // half way: to even, which is infinity
  EXPECT_EQ(bits_of(DType::fp16, 0x1p-24), 0x0001U);  // smallest
  EXPECT_EQ(bits_of(DType::fp16, 0x1p-25), 0x0000U);  // half of it: to even
  EXPECT_EQ(bits_of(DType::fp16, 0x1.8p-25), 0x0001U);
  EXPECT_EQ(bits_of(DType::fp16, 0x1.ffcp-15), 0x0400U);  // rounds up from the subnormals into the normals
  EXPECT_EQ(bits_of(DType::fp16, 1 + 0x1p-11), 0x3c00U);  // ties to even, down
  EXPECT_EQ(bits_of(DType::fp16, 1 + 0x3p-11), 0x3c02U);  // ties to even, up
  EXPECT_EQ(bits_of(DType::fp16, -infinity), 0xfc00U);
}

TEST(DTypes, KnownBitPatternsOfBf16AndFp8) {
  EXPECT_EQ(bits_of(DType::bf16, 1), 0x3f80U);
  EXPECT_EQ(bits_of(DType::bf16, 3.140625), 0x4049U);
  EXPECT_EQ(bits_of(DType::bf16, 1e39), 0x7f80U);
  EXPECT_EQ(bits_of(DType::fp8, 1), 0x38U);
  EXPECT_EQ(bits_of(DType::fp8, 448), 0x7eU);  // largest
  EXPECT_EQ(bits_of(DType::fp8, 1e6), 0x7eU);  // there is no infinity to go to
  EXPECT_EQ(bits_of(DType::fp8, -1e6), 0xfeU);
  EXPECT_EQ(bits_of(DType::fp8, 0x1p-9), 0x01U);  // smallest
  EXPECT_EQ(value_of(DType::fp8, 0x7e), 448);
  EXPECT_TRUE(std::isnan(value_of(DType::fp8, 0x7f)));
}

// Any pattern that does not come back names a wrong bias, mask or rounding.
TEST(DTypes, EveryPatternOfTheSmallTypesComesBack) {
  for (const auto type : {DType::fp16, DType::bf16, DType::fp8}) {
    const auto patterns = 1U << (8 * size_of(type));
    for (std::uint32_t bits = 0; bits < patterns; ++bits) {
      const double value = value_of(type, bits);
      if (std::isnan(value)) {
        EXPECT_TRUE(std::isnan(rounded_to(type, value)));
      } else {
        ASSERT_EQ(bits_of(type, value), bits) << name_of(type) << " " << value;
      }
    }
  }
}

// The compiler's own float gives the truth for bf16: it is the upper half of an fp32, and decoding is exact.
TEST(DTypes, Bf16IsTheUpperHalfOfAnFp32) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto wide = bits << 16U;
    float expected = 0;
    std::memcpy(&expected, &wide, sizeof(expected));
    if (std::isnan(expected)) continue;
    ASSERT_EQ(value_of(DType::bf16, bits), static_cast<double>(expected));
  }
}

// Between two neighbours every value goes to the nearer one; encoding cannot be off by a unit anywhere.
TEST(DTypes, RoundingGoesToTheNearerNeighbour) {
  for (const auto type : {DType::fp16, DType::bf16, DType::fp8}) {
    const std::uint32_t end = type == DType::fp16 ? 0x7bff : type == DType::bf16 ? 0x7f7f : 0x7e;
    for (std::uint32_t bits = 0; bits < end; ++bits) {
      const double low = value_of(type, bits);
      const double high = value_of(type, bits + 1);
      ASSERT_EQ(bits_of(type, low + 0.49 * (high - low)), bits) << name_of(type);
      ASSERT_EQ(bits_of(type, low + 0.51 * (high - low)), bits + 1) << name_of(type);
      ASSERT_EQ(bits_of(type, low + 0.5 * (high - low)) & 1U, 0U) << name_of(type) << ": a tie goes to the even one";
    }
  }
}

TEST(DTypes, IntegersClampAndTakeNanAsZero) {
  EXPECT_EQ(rounded_to(DType::int8, 200), 127);
  EXPECT_EQ(rounded_to(DType::int8, -200), -128);
  EXPECT_EQ(rounded_to(DType::int8, -3.6), -4);
  EXPECT_EQ(rounded_to(DType::int32, 1e12), 2147483647);
  EXPECT_EQ(rounded_to(DType::int64, -1e30), -0x1p63);
  EXPECT_EQ(rounded_to(DType::int64, 1e30), 0x1p63);
  EXPECT_EQ(rounded_to(DType::int32, std::nan("")), 0);
}

// What stands in a poisoned output: a kernel that writes nothing leaves exactly this.
TEST(DTypes, AllOnesIsNanInEveryFloatingType) {
  const std::vector<std::byte> ones(8, std::byte{0xff});
  for (const auto type : {DType::fp64, DType::fp32, DType::fp16, DType::bf16, DType::fp8}) {
    double value = 0;
    decode(type, std::span(ones).first(size_of(type)), std::span(&value, 1));
    EXPECT_TRUE(std::isnan(value)) << name_of(type);
  }
}

}  // namespace
}  // namespace warpclock
