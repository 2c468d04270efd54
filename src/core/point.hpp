// A point: one value for each axis of a benchmark, in the order in which the benchmark declares its axes.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace warpclock {

using AxisValue = std::variant<std::int64_t, std::string>;

struct Point {
  std::vector<std::pair<std::string, AxisValue>> values;

  bool operator==(const Point&) const = default;

  /// Integer value of `axis`.  throws UsageError if there is no such axis or it holds text
  [[nodiscard]] std::int64_t integer(const std::string& axis) const;
  /// Text value of `axis`.  throws UsageError if there is no such axis or it holds a number
  [[nodiscard]] const std::string& text(const std::string& axis) const;
};

/// "2048"  or  "bf16"
[[nodiscard]] std::string to_string(const AxisValue& value);

/// "M=2 N=19456 K=2560"; empty for a benchmark without axes.
[[nodiscard]] std::string to_string(const Point& point);

}  // namespace warpclock
