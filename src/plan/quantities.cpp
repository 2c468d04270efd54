#include "plan/quantities.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <system_error>
#include <utility>

namespace warpclock {
namespace {

struct Unit {
  std::string_view name;
  double factor;
};

// Largest first, for printing; "s" would also end "ms", so reading compares the whole suffix.
constexpr std::array<Unit, 5> time_units{{{"min", 60e9}, {"s", 1e9}, {"ms", 1e6}, {"us", 1e3}, {"ns", 1}}};
constexpr std::array<Unit, 8> size_units{{{"GiB", 1073741824.0},
                                          {"MiB", 1048576.0},
                                          {"KiB", 1024.0},
                                          {"GB", 1e9},
                                          {"MB", 1e6},
                                          {"KB", 1e3},
                                          {"B", 1},
                                          {"", 1}}};

/// Splits "1.5ms" into 1.5 and "ms".
std::optional<std::pair<double, std::string_view>> number_and_rest(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || !std::isfinite(value)) return std::nullopt;
  return std::pair{value, text.substr(static_cast<std::size_t>(end - text.data()))};
}

template <std::size_t count>
std::optional<double> with_unit(std::string_view text, const std::array<Unit, count>& units) {
  const auto parts = number_and_rest(text);
  if (!parts) return std::nullopt;
  for (const auto& unit : units) {
    if (unit.name == parts->second) {
      const double value = parts->first * unit.factor;
      return std::isfinite(value) ? std::optional(value) : std::nullopt;
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<double> read_number(std::string_view text) {
  const auto parts = number_and_rest(text);
  if (!parts || !parts->second.empty()) return std::nullopt;
  return parts->first;
}

std::optional<std::uint64_t> read_count(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<double> read_fraction(std::string_view text) {
  const auto parts = number_and_rest(text);
  if (!parts || parts->second != "%") return std::nullopt;
  return parts->first / 100;
}

std::optional<Nanoseconds> read_duration(std::string_view text) {
  const auto value = with_unit(text, time_units);
  return value ? std::optional(Nanoseconds{*value}) : std::nullopt;
}

std::optional<Bytes> read_size(std::string_view text) {
  if (const auto bytes = read_count(text)) return *bytes >> 63U == 0 ? bytes : std::nullopt;
  const auto value = with_unit(text, size_units);
  if (!value || *value < 0 || *value >= 9223372036854775808.0 || *value != std::floor(*value)) return std::nullopt;
  return static_cast<Bytes>(*value);
}

std::string print_fraction(double fraction) { return fmt::format("{:.12g}%", fraction * 100); }

std::string print_duration(Nanoseconds time) {
  if (time.count() == 0) return "0s";
  for (const auto& unit : time_units) {
    // Whole minutes only: "1.5min" is read back, but nobody writes 90 s so.
    if (unit.name == "min" && std::fmod(time.count(), unit.factor) != 0) continue;
    if (time.count() >= unit.factor) return fmt::format("{:.12g}{}", time.count() / unit.factor, unit.name);
  }
  return fmt::format("{:.12g}ns", time.count());
}

std::string print_size(Bytes bytes) {
  for (const auto& [shift, name] : {std::pair{30U, "GiB"}, std::pair{20U, "MiB"}, std::pair{10U, "KiB"}}) {
    if (bytes != 0 && bytes % (Bytes{1} << shift) == 0) return fmt::format("{}{}", bytes >> shift, name);
  }
  return fmt::format("{}", bytes);
}

}  // namespace warpclock
