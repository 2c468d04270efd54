// Documents come from files and from other processes, which may have died half way or be something else altogether.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "codec/result_json.hpp"
#include "core/errors.hpp"
#include "random_result.hpp"

namespace warpclock::codec {
namespace {

using ::testing::HasSubstr;

std::string message_of(const std::function<void()>& what) {
  try {
    what();
  } catch (const DataError& error) {
    return error.what();
  }
  return "";
}

Json good() {
  std::mt19937_64 random(1);
  Result result;
  do result = random_result(random);
  while (result.findings.empty() || !result.kernel_time_ns || !result.energy || result.samples.empty());
  return parse(encode(result), "a result");
}

TEST(Garbage, TextThatIsNoJsonIsADataErrorOnOneLine) {
  for (const auto* text : {"", "{", "nonsense", "[1,2", "\xFF\xFE", "{\"a\":1}x", "NaN"}) {
    const auto message = message_of([&] { static_cast<void>(decode(text)); });
    EXPECT_THAT(message, HasSubstr("a result is no JSON")) << text;
    EXPECT_EQ(message.find('\n'), std::string::npos);
  }
}

TEST(Garbage, JsonThatIsNoResultIsADataError) {
  for (const auto* text : {"null", "3", "[]", "\"gemm\"", "{}"})
    EXPECT_THROW(static_cast<void>(decode(text)), DataError);
}

TEST(Garbage, TheMessageNamesTheFieldAndWhatItHolds) {
  auto json = good();
  json["kernel_time"]["spread_ns"]["p5"] = "fast";
  EXPECT_EQ(message_of([&] { static_cast<void>(result_from_json(json)); }),
            "result.kernel_time.spread_ns.p5 is \"fast\", should be a number");
  json = good();
  json["findings"][0].erase("id");
  EXPECT_EQ(message_of([&] { static_cast<void>(result_from_json(json)); }), "result.findings[0].id is missing");
  json = good();
  json["status"] = "fine";
  EXPECT_THAT(message_of([&] { static_cast<void>(result_from_json(json)); }), HasSubstr("result.status is \"fine\""));
}

// Every value in the document replaced by one of another type: none may be taken silently for something it is not.
void replace_everywhere(const Json& whole, const Json::json_pointer& at, const Json& value) {
  auto changed = whole;
  changed[at] = value;
  try {
    static_cast<void>(result_from_json(changed));
    ADD_FAILURE() << at << " took " << value;
  } catch (const DataError& error) {
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
  }
}

TEST(Garbage, AValueOfAnotherTypeIsRefusedWhereverItStands) {
  const auto json = good();
  std::size_t tried = 0;
  const auto flat = json.flatten();
  for (const auto& [path, value] : flat.items()) {
    const Json::json_pointer at(path);
    if (path.starts_with("/point/")) {
      replace_everywhere(json, at, 0.5);
    } else {
      replace_everywhere(json, at, Json::array({Json::object()}));
      if (!value.is_boolean()) replace_everywhere(json, at, true);
    }
    ++tried;
  }
  EXPECT_GT(tried, 80U);
}

TEST(Garbage, NumbersThatDoNotFitAreRefusedAndNotCutOff) {
  for (const auto& [field, value] : std::vector<std::pair<std::string, Json>>{{"/batch", -1},
                                                                              {"/batch", 4294967296},
                                                                              {"/batch", 1.5},
                                                                              {"/rejected_stamps", -1},
                                                                              {"/seed", 1e300},
                                                                              {"/point/n", 18446744073709551615U}}) {
    auto json = good();
    json[Json::json_pointer(field)] = value;
    EXPECT_THROW(static_cast<void>(result_from_json(json)), DataError) << field << value;
  }
}

TEST(Garbage, ColumnsOfDifferentLengthAreRefused) {
  for (const auto* column :
       {"pass", "kernel_ns", "busy_ns", "call_ns", "host_ns", "at_ns", "clock_mhz", "copy", "marks"}) {
    auto json = good();
    json["samples"][column].push_back(json["samples"][column][0]);
    EXPECT_THROW(static_cast<void>(result_from_json(json)), DataError) << column;
  }
}

// A message that was cut anywhere, or in which bits have flipped, is refused or still a whole result; never a crash.
TEST(Garbage, DamagedTextIsADataErrorOrAResult) {
  const auto text = good().dump();
  std::mt19937_64 random(7);
  std::size_t refused = 0;
  for (int i = 0; i < 900; ++i) {
    auto damaged = text;
    if (i % 3 == 0) {
      damaged.resize(random() % damaged.size());
    } else {
      damaged[random() % damaged.size()] ^= static_cast<char>(1 << random() % 8);
    }
    try {
      static_cast<void>(decode(damaged));
    } catch (const DataError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 450U);
}

}  // namespace
}  // namespace warpclock::codec
