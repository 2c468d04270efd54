// The formats of a report. A new one is a file with its function, a row here and a golden file.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"

namespace warpclock::report {

struct Format {
  std::string name;       // as in --format: "json"
  std::string extension;  // ".json"
  std::string (*function)(const Environment&, std::span<const Result>);
};

[[nodiscard]] const std::vector<Format>& formats();

/// The format called `name`.  throws UsageError that names all of them
[[nodiscard]] const Format& format_named(std::string_view name);

/// The format that goes with the end of a file's name: "out/gemm.csv".  throws UsageError for any other extension
[[nodiscard]] const Format& format_of_file(std::string_view path);

}  // namespace warpclock::report
