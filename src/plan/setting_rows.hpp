// A row of the settings table, and the makers of rows by kind of value (percentage, time, count, one of several words).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plan/protocol.hpp"

namespace warpclock {

struct Setting {
  std::string name;          // "max-time"
  std::string placeholder;   // in a usage line: "TIME"
  std::string unit;          // "%", "s", "bytes"; empty for words
  std::string range;         // what is accepted: "1ms to 1h", "on or off"
  std::string default_text;  // as one would type it
  std::string example;       // a value that works, for messages
  std::string help;          // one line
  std::string source;        // why this default
  /// Reads a value as typed.  throws UsageError: flag, text, what is accepted, an example
  std::function<void(std::string_view text, Protocol& protocol)> parse;
  /// The value as one would type it; `parse` reads it back.
  std::function<std::string(const Protocol& protocol)> print;

  /// "--max-time"
  [[nodiscard]] std::string flag() const { return "--" + name; }
  /// JSON key and Python keyword: "max_time"
  [[nodiscard]] std::string key() const;
};

namespace rows {

/// What every row has, whatever its kind.
struct About {
  std::string name, placeholder, help, source;
};

/// A percentage, held as a fraction; `low` and `high` are fractions, both included.
[[nodiscard]] Setting percent(About about, double Protocol::*field, double low, double high);

/// A time; both limits included.
[[nodiscard]] Setting time(About about, Nanoseconds Protocol::*field, Nanoseconds low, Nanoseconds high);

/// How a count is kept in the Protocol; nothing stands for the word ("auto", "off") in its place.
struct CountField {
  std::function<void(Protocol&, std::optional<std::uint64_t>)> write;
  std::function<std::optional<std::uint64_t>(const Protocol&)> read;
};

/// A whole number within limits, both included, or `word` where that is not empty.
[[nodiscard]] Setting count(About about, const CountField& field, std::uint64_t low, std::uint64_t high,
                            const std::string& word, const std::string& example);

/// A multiple of the cache ("2x") or a size ("64MiB").
[[nodiscard]] Setting flush_size(About about, FlushSize Protocol::*field);

/// "on" or "off".
[[nodiscard]] Setting toggle(About about, bool Protocol::*field);

/// "--cache: 'luke' is not one of cold, dirty, warm, rotate; try --cache cold"
[[noreturn]] void refuse_word(const Setting& setting, std::string_view text, const std::vector<std::string>& words);

/// One of several words. The first is named in messages as an example.
template <class Value>
[[nodiscard]] Setting choice(About about, Value Protocol::*field, std::vector<std::pair<Value, std::string>> names);

}  // namespace rows

/// Fills what follows from the others: the default's text, and an example where the maker gave none.
void complete(Setting& setting);

template <class Value>
Setting rows::choice(About about, Value Protocol::*field, std::vector<std::pair<Value, std::string>> names) {
  std::vector<std::string> words;
  Setting row;
  for (const auto& [value, word] : names) {
    words.push_back(word);
    row.range += (row.range.empty() ? "" : ", ") + word;
  }
  row.name = std::move(about.name);
  row.placeholder = std::move(about.placeholder);
  row.help = std::move(about.help);
  row.source = std::move(about.source);
  row.print = [field, names](const Protocol& protocol) -> std::string {
    for (const auto& [value, word] : names) {
      if (protocol.*field == value) return word;
    }
    return "?";
  };
  complete(row);
  Setting for_messages = row;
  row.parse = [field, names, words, for_messages](std::string_view text, Protocol& protocol) {
    for (const auto& [value, word] : names) {
      if (word == text) {
        protocol.*field = value;
        return;
      }
    }
    refuse_word(for_messages, text, words);
  };
  return row;
}

}  // namespace warpclock
