// Points against the axes that a benchmark declares.
#pragma once

#include <string>
#include <vector>

#include "core/axis.hpp"
#include "core/point.hpp"

namespace warpclock {

/// Sizes of the suite go up to this; products of two still fit, products of more saturate and are refused.
inline constexpr std::int64_t max_size = std::int64_t{1} << 40;

/// throws UsageError if `point` has not exactly these axes in this order, or a value is of the wrong kind, out of its
///        range, or no choice
void check_point(const std::string& benchmark, const std::vector<AxisSpec>& axes, const Point& point);

/// An axis of whole numbers from `min` to `max`.
[[nodiscard]] AxisSpec number_axis(std::string name, std::string unit, std::string help,
                                   const std::vector<std::int64_t>& defaults, std::int64_t min = 1,
                                   std::int64_t max = max_size);

/// An axis of words; the first default is the one of `choices` called `chosen`.
[[nodiscard]] AxisSpec text_axis(std::string name, std::string help, std::vector<std::string> choices,
                                 const std::string& chosen);

}  // namespace warpclock
