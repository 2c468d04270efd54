#include "report/numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace warpclock::report {
namespace {

constexpr std::array<TimeUnit, 4> time_units{{{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}}};

TimeUnit unit_for(double nanoseconds) {
  auto out = time_units.front();
  for (const auto& unit : time_units) {
    if (std::abs(nanoseconds) >= unit.nanoseconds) out = unit;
  }
  return out;
}

/// Power of ten of the first digit: 0 for 1 to 9.99, 2 for 285.
int exponent(double value) { return value == 0 ? 0 : static_cast<int>(std::floor(std::log10(std::abs(value)))); }

}  // namespace

std::string significant(double value, int digits) {
  if (!std::isfinite(value)) return "-";
  if (value != 0 && (exponent(value) < -3 || exponent(value) > 5)) return fmt::format("{:.{}g}", value, digits);
  return fmt::format("{:.{}f}", value, std::max(0, digits - 1 - exponent(value)));
}

std::string duration(Nanoseconds time) {
  if (!std::isfinite(time.count())) return "-";
  const auto unit = unit_for(time.count());
  const double value = time.count() / unit.nanoseconds;
  if (std::abs(value) >= 1e4) return fmt::format("{:.0f} {}", value, unit.name);
  return fmt::format("{:.4g} {}", value, unit.name);
}

std::string percent(double fraction) {
  if (!std::isfinite(fraction)) return "-";
  const double value = fraction * 100;
  return fmt::format("{:.{}f} %", value, std::abs(value) < 10 ? 2 : 1);
}

std::string size(Bytes bytes) {
  constexpr std::array<std::string_view, 5> names{"B", "KiB", "MiB", "GiB", "TiB"};
  auto value = static_cast<double>(bytes);
  std::size_t name = 0;
  for (; value >= 1024 && name + 1 < names.size(); ++name) value /= 1024;
  return fmt::format("{:.4g} {}", value, names[name]);
}

std::string si(double value, std::string_view unit) {
  constexpr std::array<std::string_view, 6> prefixes{"", "k", "M", "G", "T", "P"};
  if (!std::isfinite(value)) return "-";
  std::size_t prefix = 0;
  for (; std::abs(value) >= 999.5 && prefix + 1 < prefixes.size(); ++prefix) value /= 1000;
  return fmt::format("{:.3g} {}{}", value, prefixes[prefix], unit);
}

TimeUnit common_unit(const std::vector<std::optional<double>>& nanoseconds) {
  std::vector<double> known;
  for (const auto& value : nanoseconds) {
    if (value && std::isfinite(*value) && *value > 0) known.push_back(*value);
  }
  if (known.empty()) return time_units[1];
  const auto middle = known.begin() + static_cast<std::ptrdiff_t>(known.size() / 2);
  std::nth_element(known.begin(), middle, known.end());
  return unit_for(*middle);
}

std::vector<std::string> aligned(const std::vector<std::optional<double>>& values, int digits) {
  std::optional<int> lowest, highest;
  for (const auto& value : values) {
    if (!value || !std::isfinite(*value) || *value == 0) continue;
    lowest = std::min(lowest.value_or(exponent(*value)), exponent(*value));
    highest = std::max(highest.value_or(exponent(*value)), exponent(*value));
  }
  const int low = lowest.value_or(0), high = highest.value_or(0);
  const int decimals = std::clamp(std::max(std::min(digits - 1 - low, digits + 1 - high), 1 - low), 0, 3);
  std::vector<std::string> out;
  for (const auto& value : values) {
    if (!value) {
      out.emplace_back();
    } else if (std::abs(*value) >= 1e9 || (*value != 0 && exponent(*value) < -decimals)) {
      out.push_back(significant(*value, 3));  // would be a row of digits, or of zeros
    } else {
      out.push_back(std::isfinite(*value) ? fmt::format("{:.{}f}", *value, decimals) : "-");
    }
  }
  return out;
}

}  // namespace warpclock::report
