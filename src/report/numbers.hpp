// Numbers for people: a unit that fits, three or four digits. Files for programs print every digit instead.
// None of it asks the locale. A value that is not finite prints as "-".
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/units.hpp"

namespace warpclock::report {

/// "28.34 us", "32 ns": up to four significant digits in ns, us, ms or s.
[[nodiscard]] std::string duration(Nanoseconds time);

/// "0.42 %"; two decimals below 10 %, one above. `fraction` 0.0042 is 0.42 %.
[[nodiscard]] std::string percent(double fraction);

/// "120 MiB", "1.5 GiB", "100 B": powers of 1024.
[[nodiscard]] std::string size(Bytes bytes);

/// A value with an SI prefix: si(3.52e12, "B/s") is "3.52 TB/s". Three significant digits.
[[nodiscard]] std::string si(double value, std::string_view unit);

/// `digits` significant digits, never in scientific notation between 1e-3 and 1e6: "285.9", "0.01235", "4096".
[[nodiscard]] std::string significant(double value, int digits);

/// A unit for a whole column of times, and the factor from nanoseconds to it.
struct TimeUnit {
  std::string_view name;  // "us"
  double nanoseconds = 1;
};

/// The unit in which most of `nanoseconds` lie between 1 and 1000; us where there are none.
[[nodiscard]] TimeUnit common_unit(const std::vector<std::optional<double>>& nanoseconds);

/// A column of numbers, all with the same number of decimals (at most 3), so that the points stand in one line. The
/// smallest gets `digits` significant digits, or fewer (not below two) where the largest would get more than two beyond
/// that. Missing values give empty texts.
[[nodiscard]] std::vector<std::string> aligned(const std::vector<std::optional<double>>& values, int digits);

}  // namespace warpclock::report
