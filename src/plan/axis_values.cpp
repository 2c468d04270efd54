#include "plan/axis_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <unordered_set>

#include "core/errors.hpp"
#include "plan/suggest.hpp"

namespace warpclock {
namespace {

constexpr auto largest = std::numeric_limits<std::int64_t>::max();
constexpr std::string_view examples = "write --axis {0}=1,2,16, {0}=1..9:2 or {0}=2^10..2^20";

[[noreturn]] void refuse(const std::string& axis, std::string_view piece, std::string_view why) {
  throw UsageError(fmt::format("--axis {}: '{}' {}; ", axis, piece, why) + fmt::format(fmt::runtime(examples), axis));
}

struct Number {
  std::int64_t value = 0;
  std::optional<unsigned> exponent;  // set where it was written as 2^exponent
};

std::optional<std::int64_t> whole(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// "16", "4Ki", "2^10"; nothing where it is none of them or does not fit.
std::optional<Number> read(std::string_view text) {
  if (text.starts_with("2^")) {
    const auto exponent = whole(text.substr(2));
    if (!exponent || *exponent < 0 || *exponent > 62) return std::nullopt;
    return Number{std::int64_t{1} << *exponent, static_cast<unsigned>(*exponent)};
  }
  for (const auto& [suffix, shift] : {std::pair{"Ki", 10U}, std::pair{"Mi", 20U}, std::pair{"Gi", 30U}}) {
    if (!text.ends_with(suffix)) continue;
    const auto value = whole(text.substr(0, text.size() - 2));
    const auto factor = std::int64_t{1} << shift;
    if (!value || *value > largest / factor || *value < -(largest / factor)) return std::nullopt;
    return Number{*value * factor, std::nullopt};
  }
  const auto value = whole(text);
  return value ? std::optional(Number{*value, std::nullopt}) : std::nullopt;
}

Number read_or_refuse(const std::string& axis, std::string_view piece, std::string_view text) {
  const auto number = read(text);
  if (!number) refuse(axis, piece, "is not a whole number below 2^63");
  return *number;
}

/// Collects values, once each unless all are wanted, in the order in which they come.
class Values {
 public:
  Values(const std::string& axis, bool once) : axis_(axis), once_(once) {}

  void add(std::int64_t value, std::string_view piece) {
    if (once_ && !seen_.insert(value).second) return;
    if (list_.size() == most_values_on_an_axis) {
      refuse(axis_, piece, fmt::format("makes more than {} values", most_values_on_an_axis));
    }
    list_.push_back(value);
  }
  [[nodiscard]] std::vector<std::int64_t> take() { return std::move(list_); }

 private:
  const std::string& axis_;
  bool once_;
  std::vector<std::int64_t> list_;
  std::unordered_set<std::int64_t> seen_;
};

void add_range(const std::string& axis, std::string_view piece, std::size_t dots, Values& out) {
  const auto colon = piece.find(':', dots);
  const bool stepped = colon != std::string_view::npos;
  const auto last_text = stepped ? piece.substr(dots + 2, colon - dots - 2) : piece.substr(dots + 2);
  const auto first = read_or_refuse(axis, piece, piece.substr(0, dots));
  const auto last = read_or_refuse(axis, piece, last_text);
  const auto step = stepped ? read_or_refuse(axis, piece, piece.substr(colon + 1)).value : 1;
  if (step < 1) refuse(axis, piece, "has a step below 1");
  if (first.value > last.value) refuse(axis, piece, "runs downwards");
  if (first.exponent.has_value() != last.exponent.has_value()) {
    refuse(axis, piece, "mixes a power of two with a plain number");
  }
  if (first.exponent) {
    for (std::int64_t e = *first.exponent; e <= *last.exponent; e += std::min<std::int64_t>(step, 64)) {
      out.add(std::int64_t{1} << e, piece);
    }
    return;
  }
  for (auto value = first.value;; value += step) {
    out.add(value, piece);
    // Asked before the step is taken, since the sum could overflow; a difference of int64 needs the unsigned type.
    if (static_cast<std::uint64_t>(last.value) - static_cast<std::uint64_t>(value) < static_cast<std::uint64_t>(step)) {
      return;
    }
  }
}

std::vector<std::string_view> pieces(const AxisOverride& axis) {
  std::vector<std::string_view> out;
  std::string_view rest = axis.values;
  for (;;) {
    const auto comma = rest.find(',');
    const auto piece = rest.substr(0, comma);
    if (piece.empty()) refuse(axis.name, axis.values, "has an empty value");
    out.push_back(piece);
    if (comma == std::string_view::npos) return out;
    rest.remove_prefix(comma + 1);
  }
}

std::string range_text(const AxisSpec& spec) {
  if (spec.max == largest) return fmt::format("numbers from {}", spec.min);
  return fmt::format("numbers from {} to {}", spec.min, spec.max);
}

}  // namespace

AxisOverride split_axis(std::string_view word) {
  const auto equals = word.find('=');
  if (equals == std::string_view::npos || equals == 0 || equals + 1 == word.size()) {
    throw UsageError(fmt::format("--axis: '{}' is not a name and values; write --axis M=1,2,16", word));
  }
  AxisOverride out{std::string(word.substr(0, equals)), std::string(word.substr(equals + 1))};
  static_cast<void>(pieces(out));  // an empty piece is an error whatever the axis holds
  return out;
}

std::vector<std::int64_t> axis_integers(const AxisOverride& axis, bool once) {
  Values out(axis.name, once);
  for (const auto piece : pieces(axis)) {
    const auto dots = piece.find("..");
    if (dots != std::string_view::npos) {
      add_range(axis.name, piece, dots, out);
    } else {
      out.add(read_or_refuse(axis.name, piece, piece).value, piece);
    }
  }
  return out.take();
}

std::vector<std::string> axis_words(const AxisOverride& axis, bool once) {
  std::vector<std::string> out;
  for (const auto piece : pieces(axis)) {
    if (!once || std::find(out.begin(), out.end(), piece) == out.end()) out.emplace_back(piece);
  }
  return out;
}

std::vector<AxisValue> axis_values(const AxisOverride& axis, const AxisSpec& spec) {
  std::vector<AxisValue> out;
  const bool once = spec.zip.empty();
  if (spec.is_text()) {
    for (auto& word : axis_words(axis, once)) {
      if (std::find(spec.choices.begin(), spec.choices.end(), word) == spec.choices.end()) {
        throw UsageError(fmt::format("--axis {}: '{}' is not one of {}; {}", axis.name, word,
                                     fmt::join(spec.choices, ", "), did_you_mean(word, spec.choices)));
      }
      out.emplace_back(std::move(word));
    }
    return out;
  }
  for (const auto value : axis_integers(axis, once)) {
    if (value < spec.min || value > spec.max) {
      throw UsageError(fmt::format("--axis {}: {} is out of range, it takes {}; try --axis {}={}", axis.name, value,
                                   range_text(spec), axis.name, std::clamp(value, spec.min, spec.max)));
    }
    out.emplace_back(value);
  }
  return out;
}

}  // namespace warpclock
