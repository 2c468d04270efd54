#include "plan/setting_rows.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/errors.hpp"
#include "plan/quantities.hpp"
#include "plan/suggest.hpp"

namespace warpclock {
namespace {

Setting row_of(rows::About about, std::string unit, std::string range) {
  Setting row;
  row.name = std::move(about.name);
  row.placeholder = std::move(about.placeholder);
  row.help = std::move(about.help);
  row.source = std::move(about.source);
  row.unit = std::move(unit);
  row.range = std::move(range);
  return row;
}

/// A message needs these few fields after the row itself has moved into the table.
struct Refusal {
  std::string flag, range, example;

  explicit Refusal(const Setting& row) : flag(row.flag()), range(row.range), example(row.example) {}

  [[noreturn]] void outside(std::string_view text) const {
    throw UsageError(fmt::format("{0}: '{1}' is outside {2}; try {0} {3}", flag, text, range, example));
  }
  [[noreturn]] void is_not(std::string_view text, std::string_view kind) const {
    throw UsageError(fmt::format("{0}: '{1}' is not {2} ({3}); try {0} {4}", flag, text, kind, range, example));
  }
};

}  // namespace

std::string Setting::key() const {
  std::string out = name;
  std::replace(out.begin(), out.end(), '-', '_');
  return out;
}

void complete(Setting& setting) {
  setting.default_text = setting.print(Protocol{});
  if (setting.example.empty()) setting.example = setting.default_text;
}

Setting rows::percent(About about, double Protocol::*field, double low, double high) {
  auto row = row_of(std::move(about), "%", print_fraction(low) + " to " + print_fraction(high));
  row.print = [field](const Protocol& protocol) { return print_fraction(protocol.*field); };
  complete(row);
  row.parse = [field, low, high, refusal = Refusal(row)](std::string_view text, Protocol& protocol) {
    const auto value = read_fraction(text);
    if (!value) refusal.is_not(text, "a percentage");
    if (*value < low || *value > high) refusal.outside(text);
    protocol.*field = *value;
  };
  return row;
}

Setting rows::time(About about, Nanoseconds Protocol::*field, Nanoseconds low, Nanoseconds high) {
  auto row = row_of(std::move(about), "s", print_duration(low) + " to " + print_duration(high));
  row.print = [field](const Protocol& protocol) { return print_duration(protocol.*field); };
  complete(row);
  row.parse = [field, low, high, refusal = Refusal(row)](std::string_view text, Protocol& protocol) {
    const auto value = read_duration(text);
    if (!value) refusal.is_not(text, "a time with its unit");
    if (*value < low || *value > high) refusal.outside(text);
    protocol.*field = *value;
  };
  return row;
}

Setting rows::count(About about, const CountField& field, std::uint64_t low, std::uint64_t high,
                    const std::string& word, const std::string& example) {
  auto row = row_of(std::move(about), "", fmt::format("{} to {}{}", low, high, word.empty() ? "" : ", or " + word));
  row.print = [field, word](const Protocol& protocol) {
    const auto value = field.read(protocol);
    return value ? fmt::format("{}", *value) : word;
  };
  row.example = example;
  complete(row);
  row.parse = [field, low, high, word, refusal = Refusal(row)](std::string_view text, Protocol& protocol) {
    if (!word.empty() && text == word) return field.write(protocol, std::nullopt);
    const auto value = read_count(text);
    if (!value) refusal.is_not(text, "a whole number");
    if (*value < low || *value > high) refusal.outside(text);
    field.write(protocol, value);
  };
  return row;
}

Setting rows::flush_size(About about, FlushSize Protocol::*field) {
  // Below a tenth of the cache nothing is flushed; above these limits it is a slip of the keyboard.
  constexpr double least_factor = 0.1, most_factor = 64;
  constexpr Bytes least = 1024, most = Bytes{1} << 40U;
  auto row = row_of(std::move(about), "x last-level cache, or bytes", "0.1x to 64x, or 1KiB to 1024GiB");
  row.print = [field](const Protocol& protocol) {
    const auto& size = protocol.*field;
    return size.bytes != 0 ? print_size(size.bytes) : fmt::format("{:.12g}x", size.factor);
  };
  complete(row);
  row.parse = [field, refusal = Refusal(row)](std::string_view text, Protocol& protocol) {
    if (!text.empty() && text.back() == 'x') {
      const auto factor = read_number(text.substr(0, text.size() - 1));
      if (!factor) refusal.is_not(text, "a multiple of the cache or a size");
      if (*factor < least_factor || *factor > most_factor) refusal.outside(text);
      protocol.*field = FlushSize{*factor, 0};
      return;
    }
    const auto bytes = read_size(text);
    if (!bytes) refusal.is_not(text, "a multiple of the cache or a size");
    if (*bytes < least || *bytes > most) refusal.outside(text);
    protocol.*field = FlushSize{FlushSize{}.factor, *bytes};
  };
  return row;
}

Setting rows::toggle(About about, bool Protocol::*field) {
  auto row = choice<bool>(std::move(about), field, {{true, "on"}, {false, "off"}});
  row.range = "on or off";
  return row;
}

void rows::refuse_word(const Setting& setting, std::string_view text, const std::vector<std::string>& words) {
  const auto near = nearest(text, words);
  throw UsageError(fmt::format("{0}: '{1}' is not one of {2}; try {0} {3}", setting.flag(), text, setting.range,
                               near.value_or(setting.example)));
}

}  // namespace warpclock
