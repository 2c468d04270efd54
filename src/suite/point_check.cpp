// Points against the axes that a benchmark declares.
#include "suite/point_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/errors.hpp"

namespace warpclock {
namespace {

std::string names_of(const std::vector<AxisSpec>& axes) {
  std::string names;
  for (const auto& axis : axes) names += (names.empty() ? "" : ", ") + axis.name;
  return names.empty() ? "none" : names;
}

void check_value(const std::string& benchmark, const AxisSpec& axis, const AxisValue& value) {
  if (axis.is_text()) {
    const auto* text = std::get_if<std::string>(&value);
    if (text != nullptr && std::find(axis.choices.begin(), axis.choices.end(), *text) != axis.choices.end()) return;
    throw UsageError(fmt::format("{}: {}={} is not possible; choose one of {}", benchmark, axis.name, to_string(value),
                                 fmt::join(axis.choices, ", ")));
  }
  const auto* number = std::get_if<std::int64_t>(&value);
  if (number != nullptr && *number >= axis.min && *number <= axis.max) return;
  throw UsageError(fmt::format("{}: {}={} is not possible; give a whole number from {} to {}", benchmark, axis.name,
                               to_string(value), axis.min, axis.max));
}

}  // namespace

void check_point(const std::string& benchmark, const std::vector<AxisSpec>& axes, const Point& point) {
  const auto same_axis = [](const AxisSpec& axis, const auto& value) { return axis.name == value.first; };
  if (!std::equal(axes.begin(), axes.end(), point.values.begin(), point.values.end(), same_axis)) {
    throw UsageError(fmt::format("{}: the point '{}' does not fit its axes, which are {}", benchmark, to_string(point),
                                 names_of(axes)));
  }
  for (std::size_t i = 0; i < axes.size(); ++i) check_value(benchmark, axes[i], point.values[i].second);
}

AxisSpec number_axis(std::string name, std::string unit, std::string help, const std::vector<std::int64_t>& defaults,
                     std::int64_t min, std::int64_t max) {
  AxisSpec axis;
  axis.name = std::move(name);
  axis.unit = std::move(unit);
  axis.help = std::move(help);
  axis.defaults.assign(defaults.begin(), defaults.end());
  axis.min = min;
  axis.max = max;
  return axis;
}

AxisSpec text_axis(std::string name, std::string help, std::vector<std::string> choices, const std::string& chosen) {
  AxisSpec axis;
  axis.name = std::move(name);
  axis.help = std::move(help);
  axis.defaults = {chosen};
  axis.choices = std::move(choices);
  return axis;
}

}  // namespace warpclock
