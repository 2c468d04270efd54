// A result that changes on its way through a file, a database or a pipe is a wrong number with no one to notice.
#include <gmock/gmock.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "../report/fixture.hpp"
#include "codec/result_json.hpp"
#include "random_result.hpp"
#include "same.hpp"

namespace warpclock::codec {
namespace {

TEST(RoundTrip, EveryMemberOfARandomResultComesBack) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 400; ++i) {
    const auto result = random_result(random);
    const auto back = decode(encode(result));
    ASSERT_TRUE(same(result, back)) << encode(result) << "\ncame back as\n" << encode(back);
  }
}

TEST(RoundTrip, EveryMemberOfARandomEnvironmentComesBack) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 100; ++i) {
    const auto environment = random_environment(random);
    const auto back = environment_from_json(parse(to_json(environment).dump(), "an environment"));
    ASSERT_TRUE(same(environment, back)) << to_json(environment);
  }
}

// The comparison of the tests above must see a difference in any member.
TEST(RoundTrip, TheComparisonSeesAChangedMember) {
  std::mt19937_64 random(3);
  const auto result = random_result(random);
  auto other = result;
  other.conditions.steady = !other.conditions.steady;
  EXPECT_FALSE(same(result, other));
  other = result;
  other.work.bytes_written += 1 + std::abs(other.work.bytes_written);
  EXPECT_FALSE(same(result, other));
  other = result;
  other.samples.emplace_back();
  EXPECT_FALSE(same(result, other));
}

// Samples are written without a tree: each number as nlohmann would, in any size.
TEST(RoundTrip, NumbersOfSamplesReadAsNlohmannWritesThem) {
  std::mt19937_64 random(4);
  std::uniform_real_distribution<double> exponent(-320, 308);
  for (int i = 0; i < 4000; ++i) {
    Sample sample;
    const double size = std::pow(10, exponent(random));
    sample.at = Nanoseconds{i % 2 == 0 ? size : -size};
    sample.host = Nanoseconds{std::trunc(size)};
    const auto read = parse(samples_text({sample}), "samples");
    ASSERT_EQ(read["at_ns"][0].get<double>(), sample.at.count());
    ASSERT_EQ(read["host_ns"][0].get<double>(), sample.host.count());
    ASSERT_TRUE(read["host_ns"][0].is_number_float());
  }
  for (const double value : {0.0, -0.0, 1e15, 123456789012345.0, 1e-4, 0.00012345, 1e22, 5e-324}) {
    Sample sample;
    sample.at = Nanoseconds{value};
    EXPECT_THAT(samples_text({sample}), testing::HasSubstr("\"at_ns\": [" + Json(value).dump() + "]"));
  }
}

// What is not finite or not UTF-8 cannot come back as it was; what is printed of it must not change any more.
TEST(RoundTrip, HostileResultsPrintTheSameAgain) {
  for (const auto& result : report::hostile().results) {
    const auto once = encode(result);
    EXPECT_EQ(encode(decode(once)), once);
  }
}

TEST(RoundTrip, NotFiniteComesBackAsNaNAndOptionalAsNothing) {
  Result result;
  result.wall_time = Nanoseconds{std::numeric_limits<double>::infinity()};
  result.call_offset_ns = std::numeric_limits<double>::quiet_NaN();
  const auto back = decode(encode(result));
  EXPECT_TRUE(std::isnan(back.wall_time.count()));
  EXPECT_FALSE(back.call_offset_ns.has_value());
}

// Reading passes over what it does not know: figures derived for readers, and fields of a later version.
TEST(RoundTrip, UnknownFieldsArePassedOver) {
  auto json = to_json(Result{.benchmark = "a"});
  json["throughput"] = {{"gb_per_s", 1}};
  json["clock"]["start_mhz"] = 1980;
  EXPECT_EQ(result_from_json(json).benchmark, "a");
}

// A document of layout 1.0 has no telemetry, no energy, no locked clocks.
TEST(RoundTrip, ADocumentOfTheFirstLayoutIsRead) {
  auto json = to_json(Result{.benchmark = "old"});
  for (const auto* name :
       {"effective_clock", "cycles_per_call", "telemetry", "energy", "energy_missing", "over_burst", "soak"}) {
    json.erase(name);
  }
  json["clock"].erase("locked_mhz");
  json["clock"].erase("locked_memory_mhz");
  EXPECT_TRUE(same(result_from_json(json), Result{.benchmark = "old"}));
}

}  // namespace
}  // namespace warpclock::codec
