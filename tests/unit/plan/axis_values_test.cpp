// An axis that is read wrong measures other sizes than the table says were asked for.
#include "plan/axis_values.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "core/errors.hpp"

namespace warpclock {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::int64_t> integers(const std::string& list) { return axis_integers({"n", list}); }

template <class Call>
std::string refusal(const Call& call) {
  try {
    call();
  } catch (const UsageError& error) {
    return error.what();
  }
  return "accepted";
}

AxisSpec number_axis(std::int64_t min = 1, std::int64_t max = std::numeric_limits<std::int64_t>::max()) {
  AxisSpec spec;
  spec.name = "n";
  spec.min = min;
  spec.max = max;
  return spec;
}

AxisSpec text_axis() {
  AxisSpec spec;
  spec.name = "dtype";
  spec.choices = {"bf16", "fp16", "fp32"};
  return spec;
}

TEST(AxisIntegers, Lists) {
  EXPECT_THAT(integers("1,2,16"), ElementsAre(1, 2, 16));
  EXPECT_THAT(integers("16,1"), ElementsAre(16, 1));  // the order given is kept
  EXPECT_THAT(integers("4Ki,1Mi,2Gi"), ElementsAre(4096, 1048576, 2147483648));
  EXPECT_THAT(integers("2^0,2^62"), ElementsAre(1, std::int64_t{1} << 62));
  EXPECT_THAT(integers("9223372036854775807"), ElementsAre(std::numeric_limits<std::int64_t>::max()));
}

TEST(AxisIntegers, Ranges) {
  EXPECT_THAT(integers("1..4"), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(integers("1..9:2"), ElementsAre(1, 3, 5, 7, 9));
  EXPECT_THAT(integers("1..10:4"), ElementsAre(1, 5, 9));  // the end is a limit, not a member
  EXPECT_THAT(integers("5..5"), ElementsAre(5));
  EXPECT_THAT(integers("2^10..2^13"), ElementsAre(1024, 2048, 4096, 8192));
  EXPECT_THAT(integers("2^10..2^14:2"), ElementsAre(1024, 4096, 16384));
  EXPECT_THAT(integers("1,2,16..32:8"), ElementsAre(1, 2, 16, 24, 32));
  EXPECT_THAT(integers("1Ki..3Ki:1Ki"), ElementsAre(1024, 2048, 3072));
}

// Catches signed overflow at the last step of a range that ends at the largest number.
TEST(AxisIntegers, ARangeMayEndAtTheLargestNumber) {
  EXPECT_THAT(integers("9223372036854775800..9223372036854775807:5"),
              ElementsAre(9223372036854775800, 9223372036854775805));
  EXPECT_THAT(integers("-9223372036854775808..9223372036854775807:9223372036854775807"),
              ElementsAre(std::numeric_limits<std::int64_t>::min(), -1, 9223372036854775806));
}

// Otherwise one point is measured twice and the later result hides the earlier one.
TEST(AxisIntegers, AValueThatOccursTwiceIsKeptOnce) {
  EXPECT_THAT(integers("2,1..3,2"), ElementsAre(2, 1, 3));
  EXPECT_THAT(integers("1024,2^10,1Ki"), ElementsAre(1024));
}

TEST(AxisIntegers, NonsenseIsRefusedWithThePieceAndAnExample) {
  for (const auto* list : {"a",
                           "1.5",
                           "1e3",
                           "+1",
                           " 1",
                           "1 ",
                           "0x10",
                           "nan",
                           "2^",
                           "2^63",
                           "2^-1",
                           "3^4",
                           "1..",
                           "..2",
                           "1...3",
                           "1..3:",
                           "1..3:0",
                           "1..3:-1",
                           "3..1",
                           "1..2^10",
                           "2^4..100",
                           "2^10..2^5",
                           "9223372036854775808",
                           "9007199254740993Ki",
                           "8Gi..9Gi",
                           "1..2000000",
                           "1..9223372036854775807",
                           "Ki",
                           "1K",
                           "1..3:2:2",
                           "\xff"}) {
    const auto message = refusal([&] { static_cast<void>(integers(list)); });
    EXPECT_THAT(message, HasSubstr("--axis n: '" + std::string(list) + "'")) << list;
    EXPECT_THAT(message, HasSubstr("write --axis n=1,2,16, n=1..9:2 or n=2^10..2^20")) << list;
  }
  EXPECT_EQ(refusal([] { static_cast<void>(integers("1,9..1")); }),
            "--axis n: '9..1' runs downwards; write --axis n=1,2,16, n=1..9:2 or n=2^10..2^20");
}

TEST(AxisIntegers, AMillionValuesAreTakenAndOneMoreIsNot) {
  EXPECT_EQ(integers("1..1000000").size(), most_values_on_an_axis);
  EXPECT_THAT(refusal([] { static_cast<void>(integers("1..1000001")); }), HasSubstr("more than 1000000 values"));
}

TEST(SplitAxis, NeedsANameAndValues) {
  const auto axis = split_axis("M=1,2");
  EXPECT_EQ(axis.name, "M");
  EXPECT_EQ(axis.values, "1,2");
  for (const auto* word : {"", "M", "M=", "=1", "=", "M=,", "M=1,,2", "M=1,"}) {
    EXPECT_THAT(refusal([&] { static_cast<void>(split_axis(word)); }), HasSubstr("write --axis M=1,2,16")) << word;
  }
}

TEST(AxisValues, NumbersMustLieInTheRangeOfTheAxis) {
  const auto values = axis_values({"n", "8,16"}, number_axis(8, 64));
  EXPECT_THAT(values, ElementsAre(AxisValue(std::int64_t{8}), AxisValue(std::int64_t{16})));
  EXPECT_EQ(refusal([] {
              static_cast<void>(axis_values({"n", "8,65"}, number_axis(8, 64)));
            }),
            "--axis n: 65 is out of range, it takes numbers from 8 to 64; try --axis n=64");
  EXPECT_EQ(refusal([] {
              static_cast<void>(axis_values({"n", "0"}, number_axis()));
            }),
            "--axis n: 0 is out of range, it takes numbers from 1; try --axis n=1");
  EXPECT_THAT(refusal([] { static_cast<void>(axis_values({"n", "-4"}, number_axis())); }), HasSubstr("-4 is out of"));
  EXPECT_EQ(axis_values({"n", "0"}, number_axis(0)).size(), 1U);  // an axis may allow 0
}

TEST(AxisValues, TextMustBeOneOfTheChoices) {
  EXPECT_THAT(axis_values({"dtype", "fp32,bf16,fp32"}, text_axis()), ElementsAre(AxisValue("fp32"), AxisValue("bf16")));
  EXPECT_EQ(refusal([] {
              static_cast<void>(axis_values({"dtype", "bf61"}, text_axis()));
            }),
            "--axis dtype: 'bf61' is not one of bf16, fp16, fp32; did you mean 'bf16'?");
  EXPECT_THAT(refusal([] {
                static_cast<void>(axis_values({"n", "bf16"}, number_axis()));
              }),
              HasSubstr("'bf16' is not a whole number"));
}

}  // namespace
}  // namespace warpclock
