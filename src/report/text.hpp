// The table on the terminal.
#pragma once

#include <span>
#include <string>

#include "core/result.hpp"

namespace warpclock::report {

struct TextOptions {
  bool colours = false;     // ANSI escapes; the caller knows whether a terminal reads them
  std::size_t width = 120;  // findings and conditions are wrapped here; a table with many axes may be wider
};

/// Device and host, then a table a benchmark and state, each with its conditions above and its findings below.
/// Valid UTF-8, ends with a line break; empty results give a line that says so.
[[nodiscard]] std::string text(const Environment& environment, std::span<const Result> results,
                               const TextOptions& options);

/// The same without colours, as the table of formats wants it.
[[nodiscard]] std::string text(const Environment& environment, std::span<const Result> results);

}  // namespace warpclock::report
