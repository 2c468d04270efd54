// Stable names of the enumerations, and lookups in a Point.
#include "core/data.hpp"
#include "core/errors.hpp"
#include "core/point.hpp"
#include "core/result.hpp"
#include "core/sample.hpp"

namespace warpclock {
namespace {

const AxisValue& find(const Point& point, const std::string& axis) {
  for (const auto& [name, value] : point.values) {
    if (name == axis) return value;
  }
  throw UsageError("there is no axis '" + axis + "' in the point '" + to_string(point) + "'");
}

}  // namespace

std::int64_t Point::integer(const std::string& axis) const {
  const auto* number = std::get_if<std::int64_t>(&find(*this, axis));
  if (number == nullptr) throw UsageError("axis '" + axis + "' holds text where a number is wanted");
  return *number;
}

const std::string& Point::text(const std::string& axis) const {
  const auto* text = std::get_if<std::string>(&find(*this, axis));
  if (text == nullptr) throw UsageError("axis '" + axis + "' holds a number where text is wanted");
  return *text;
}

std::string to_string(const AxisValue& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) return std::to_string(*number);
  return std::get<std::string>(value);
}

std::string to_string(const Point& point) {
  std::string out;
  for (const auto& [name, value] : point.values) {
    if (!out.empty()) out += ' ';
    out += name + '=' + to_string(value);
  }
  return out;
}

const std::vector<std::pair<Mark, std::string>>& mark_names() {
  static const std::vector<std::pair<Mark, std::string>> names{
      {Mark::unheld, "unheld"},       {Mark::host_late, "host-late"},       {Mark::throttled, "throttled"},
      {Mark::unsettled, "unsettled"}, {Mark::contaminated, "contaminated"}, {Mark::bad_stamp, "bad-stamp"},
  };
  return names;
}

std::string to_string(Pass pass) { return pass == Pass::traced ? "traced" : "untraced"; }

std::string to_string(Status status) {
  switch (status) {
    case Status::ok: return "ok";
    case Status::wrong: return "wrong";
    case Status::failed: return "failed";
    case Status::skipped: return "skipped";
    case Status::interrupted: return "interrupted";
  }
  return "?";
}

std::string to_string(StopReason reason) {
  switch (reason) {
    case StopReason::precision: return "precision";
    case StopReason::resolution: return "resolution";
    case StopReason::samples: return "samples";
    case StopReason::max_time: return "max-time";
    case StopReason::plateau: return "plateau";
    case StopReason::interrupted: return "interrupted";
  }
  return "?";
}

std::string to_string(Headline headline) {
  return headline == Headline::kernel_time ? "kernel_time" : "call_time";
}

std::string to_string(Check::State state) {
  switch (state) {
    case Check::State::passed: return "passed";
    case Check::State::failed: return "failed";
    case Check::State::unchecked: return "unchecked";
  }
  return "?";
}

std::string to_string(Data data) {
  switch (data) {
    case Data::normal: return "normal";
    case Data::uniform: return "uniform";
    case Data::ints: return "ints";
    case Data::ones: return "ones";
    case Data::zeros: return "zeros";
  }
  return "?";
}

std::string to_string(Finding::Severity severity) {
  return severity == Finding::Severity::note ? "note" : "warning";
}

}  // namespace warpclock
