// A setting that is read as another value than was meant changes every number of a run without a trace.
#include "plan/settings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <clocale>
#include <locale>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "core/errors.hpp"

namespace warpclock {
namespace {

using testing::HasSubstr;

std::string refusal(const std::string& name, const std::string& text) {
  Protocol protocol;
  try {
    set(protocol, name, text);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "accepted as " + setting(name).print(protocol);
}

Protocol with(const std::string& name, const std::string& text) {
  Protocol protocol;
  set(protocol, name, text);
  return protocol;
}

TEST(Settings, EveryRowIsCompleteAndItsDefaultAndExampleAreReadBackUnchanged) {
  std::set<std::string> names;
  for (const auto& row : settings()) {
    SCOPED_TRACE(row.name);
    EXPECT_TRUE(names.insert(row.name).second) << "two rows of one name";
    EXPECT_FALSE(row.placeholder.empty());
    EXPECT_FALSE(row.range.empty());
    EXPECT_FALSE(row.help.empty());
    EXPECT_FALSE(row.source.empty());
    EXPECT_EQ(row.help.find('\n'), std::string::npos);
    EXPECT_EQ(row.default_text, row.print(Protocol{}));
    for (const auto& text : {row.default_text, row.example}) {
      Protocol protocol;
      row.parse(text, protocol);
      EXPECT_EQ(row.print(protocol), text);
    }
  }
}

// Catches a row that writes a field other than its own: each row is given a value that is not its default, and every
// other row must still print its default.
TEST(Settings, EveryRowWritesItsOwnFieldOnly) {
  const std::vector<std::pair<std::string, std::string>> other{{"cache", "warm"},
                                                               {"flush-size", "64MiB"},
                                                               {"cover", "none"},
                                                               {"batch", "7"},
                                                               {"copies", "5"},
                                                               {"data", "zeros"},
                                                               {"precision", "2%"},
                                                               {"confidence", "99%"},
                                                               {"min-samples", "30"},
                                                               {"samples", "9"},
                                                               {"max-time", "2s"},
                                                               {"settle-time", "0s"},
                                                               {"watchdog", "1ms"},
                                                               {"marginal", "20"},
                                                               {"regime", "both"},
                                                               {"soak-time", "5s"},
                                                               {"effective-clock", "sentinel"},
                                                               {"telemetry", "off"},
                                                               {"trace", "off"},
                                                               {"verify", "off"},
                                                               {"order", "random"},
                                                               {"seed", "18446744073709551615"}};
  EXPECT_EQ(other.size(), settings().size()) << "a new setting needs a line here";
  for (const auto& [name, text] : other) {
    const auto protocol = with(name, text);
    for (const auto& row : settings()) {
      EXPECT_EQ(row.print(protocol), row.name == name ? text : row.default_text) << name << " changed " << row.name;
    }
  }
}

TEST(Settings, DefaultsAreThoseOfTheSpecification) {
  const std::vector<std::pair<std::string, std::string>> wanted{
      {"cache", "cold"},           {"flush_size", "2x"}, {"cover", "hold"},     {"batch", "1"},
      {"copies", "auto"},          {"data", "normal"},   {"precision", "0.5%"}, {"confidence", "95%"},
      {"min_samples", "20"},       {"samples", "auto"},  {"max_time", "1s"},    {"settle_time", "2s"},
      {"watchdog", "250ms"},       {"marginal", "off"},  {"regime", "burst"},   {"soak_time", "10s"},
      {"effective_clock", "auto"}, {"telemetry", "on"},  {"trace", "on"},       {"verify", "on"},
      {"order", "given"},          {"seed", "1"}};
  EXPECT_EQ(printed(Protocol{}), wanted);
}

TEST(Settings, ValuesCarryTheirUnits) {
  EXPECT_DOUBLE_EQ(with("precision", "0.5%").precision, 0.005);
  EXPECT_DOUBLE_EQ(with("precision", "2e0%").precision, 0.02);
  EXPECT_DOUBLE_EQ(with("max-time", "1500us").max_time.count(), 1.5e6);
  EXPECT_DOUBLE_EQ(with("max-time", "1min").max_time.count(), 60e9);
  EXPECT_DOUBLE_EQ(with("max-time", "2000000ns").max_time.count(), 2e6);
  EXPECT_EQ(with("flush-size", "64MiB").flush_size.of(1), 67'108'864U);
  EXPECT_EQ(with("flush-size", "100MB").flush_size.of(1), 100'000'000U);
  EXPECT_EQ(with("flush-size", "1.5GiB").flush_size.of(1), 1'610'612'736U);
  EXPECT_EQ(with("flush-size", "65536").flush_size.of(1), 65'536U);
  EXPECT_EQ(with("flush-size", "2.5x").flush_size.of(1000), 2500U);
  EXPECT_EQ(with("samples", "12").samples, 12U);
  EXPECT_EQ(with("samples", "auto").samples, std::nullopt);
}

// A size in bytes must not stay behind when a factor is asked for afterwards, and the reverse.
TEST(Settings, TheLaterFlushSizeReplacesTheEarlierOneWhole) {
  Protocol protocol;
  set(protocol, "flush-size", "64MiB");
  set(protocol, "flush-size", "3x");
  EXPECT_EQ(protocol.flush_size.of(100), 300U);
}

TEST(Settings, AMessageSaysWhatWhereAndWhatToDo) {
  EXPECT_EQ(refusal("precision", "0%"), "--precision: '0%' is outside 0.01% to 50%; try --precision 0.5%");
  EXPECT_EQ(refusal("precision", "0.5"), "--precision: '0.5' is not a percentage (0.01% to 50%); try --precision 0.5%");
  EXPECT_EQ(refusal("cache", "clod"), "--cache: 'clod' is not one of cold, dirty, warm, rotate; try --cache cold");
  EXPECT_EQ(refusal("max-time", "5h"),
            "--max-time: '5h' is not a time with its unit (1ms to 60min); try --max-time 1s");
  EXPECT_EQ(refusal("samples", "0"), "--samples: '0' is outside 1 to 1000000, or auto; try --samples 100");
}

class Nonsense : public testing::TestWithParam<std::tuple<std::string, std::string>> {};

TEST_P(Nonsense, IsRefusedAndNamesTheFlag) {
  const auto& [name, text] = GetParam();
  const auto message = refusal(name, text);
  EXPECT_THAT(message, HasSubstr("--" + name + ": '" + text + "'")) << message;
  EXPECT_THAT(message, HasSubstr("; try --" + name + " ")) << message;
}

std::vector<std::tuple<std::string, std::string>> nonsense() {
  std::vector<std::tuple<std::string, std::string>> out;
  for (const auto& row : settings()) {
    for (const auto* text : {"",     " ",     "-1",    "nan",  "inf",    "-inf", "1e999",
                             "0x10", "1,5",   "1.5.2", "1 ",   " 1",     "+1",   "99999999999999999999999",
                             "%",    "s",     "x",     "1%%",  "1%x",    "-1%",  "nan%",
                             "inf%", "-1s",   "nans",  "infs", "1e999s", "1 s",  "1sec",
                             "1S",   "-1MiB", "0MiB",  "1mib", "nanMiB", "0x",   "-1x",
                             "infx", "0%",    "0,5%",  "60%%", "1e30s",  "\xff"}) {
      out.emplace_back(row.name, text);
    }
  }
  return out;
}

INSTANTIATE_TEST_SUITE_P(EveryRow, Nonsense, testing::ValuesIn(nonsense()));

TEST(Settings, ZeroIsRefusedWhereItMakesNoSense) {
  for (const auto* name : {"batch", "copies", "min-samples", "samples", "marginal"}) {
    EXPECT_THAT(refusal(name, "0"), HasSubstr("is outside")) << name;
  }
  EXPECT_THAT(refusal("max-time", "0s"), HasSubstr("is outside"));
  EXPECT_THAT(refusal("watchdog", "0s"), HasSubstr("is outside"));
  EXPECT_EQ(with("settle-time", "0s").settle_time.count(), 0);  // do not wait
  EXPECT_EQ(with("seed", "0").seed, 0U);
}

TEST(Settings, ARefusedValueLeavesTheProtocolAsItWas) {
  Protocol protocol;
  set(protocol, "precision", "1%");
  EXPECT_THROW(set(protocol, "precision", "90%"), UsageError);
  EXPECT_DOUBLE_EQ(protocol.precision, 0.01);
}

TEST(Settings, AnUnknownOneIsNamedWithTheNearest) {
  EXPECT_EQ(setting("max_time").flag(), "--max-time");
  EXPECT_EQ(setting("--max-time").key(), "max_time");
  try {
    static_cast<void>(setting("precison"));
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(), "there is no setting 'precison'; did you mean 'precision'?");
  }
}

TEST(Check, RefusesWhatWouldCarryAWrongLabelAndLetsTheRestThrough) {
  Protocol protocol;
  EXPECT_NO_THROW(check(protocol));
  protocol.copies = 5;
  EXPECT_NO_THROW(check(protocol));
  protocol.cache = CacheState::warm;
  EXPECT_THROW(check(protocol), UsageError);
  protocol.copies = 1;
  EXPECT_NO_THROW(check(protocol));
  protocol.cache = CacheState::rotate;
  EXPECT_THROW(check(protocol), UsageError);
  protocol.copies = 0;
  EXPECT_NO_THROW(check(protocol));
  protocol.samples = 5;  // below min_samples
  EXPECT_NO_THROW(check(protocol));
}

// Under a locale with a decimal comma strtod reads "0.5%" as 0 and printf writes "0,5".
TEST(Settings, IgnoreTheLocale) {
  struct Comma : std::numpunct<char> {
    char do_decimal_point() const override { return ','; }
    char do_thousands_sep() const override { return '.'; }
    std::string do_grouping() const override { return "\3"; }
  };
  std::setlocale(LC_ALL, "de_DE.UTF-8");  // where it is installed; the facet below is always there
  const auto before = std::locale::global(std::locale(std::locale::classic(), new Comma));
  const auto precision = with("precision", "0.5%").precision;
  const auto text = setting("precision").print(Protocol{});
  const auto samples = setting("samples").print(with("samples", "123456"));
  std::locale::global(before);
  std::setlocale(LC_ALL, "C");
  EXPECT_DOUBLE_EQ(precision, 0.005);
  EXPECT_EQ(text, "0.5%");
  EXPECT_EQ(samples, "123456");
}

TEST(Settings, WordsOfTheEnumerations) {
  EXPECT_EQ(to_string(CacheState::rotate), "rotate");
  EXPECT_EQ(to_string(Cover::matmul), "matmul");
  EXPECT_EQ(to_string(Order::random), "random");
}

}  // namespace
}  // namespace warpclock
