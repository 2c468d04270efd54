#include "report/formats.hpp"

#include <fmt/format.h>

#include "core/errors.hpp"
#include "report/csv.hpp"
#include "report/json.hpp"
#include "report/markdown.hpp"
#include "report/text.hpp"

namespace warpclock::report {
namespace {

std::string all(std::string Format::*field) {
  std::string out;
  for (const auto& format : formats()) out += (out.empty() ? "" : ", ") + format.*field;
  return out;
}

}  // namespace

const std::vector<Format>& formats() {
  static const std::vector<Format> table{
      {"text", ".txt", text},
      {"md", ".md", markdown},
      {"csv", ".csv", csv},
      {"json", ".json", json},
  };
  return table;
}

const Format& format_named(std::string_view name) {
  for (const auto& format : formats()) {
    if (format.name == name) return format;
  }
  throw UsageError(fmt::format("there is no format '{}'; known: {}", name, all(&Format::name)));
}

const Format& format_of_file(std::string_view path) {
  for (const auto& format : formats()) {
    if (path.ends_with(format.extension)) return format;
  }
  throw UsageError(
      fmt::format("'{}': the end of the name tells no format; use one of {}", path, all(&Format::extension)));
}

}  // namespace warpclock::report
