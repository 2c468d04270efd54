// A cross-check as a table for people and as JSON for programs (docs/crosscheck.md).
#pragma once

#include <string>
#include <string_view>

#include "crosscheck/crosscheck.hpp"
#include "report/text.hpp"

namespace warpclock::report {

/// A table a benchmark: ours, ncu, differences in time and cycles, DRAM bytes against declared ones, verdicts; below it
/// why what is not comparable. Points without one of the two sides keep the other.
[[nodiscard]] std::string crosscheck_text(const Crosscheck& crosscheck, const TextOptions& options);

/// Of the layout, counted as that of a result (report/json.hpp).
inline constexpr std::string_view crosscheck_schema_version = "1.0.0";

/// As docs/crosscheck.schema.json has it.
[[nodiscard]] std::string crosscheck_json(const Crosscheck& crosscheck);

}  // namespace warpclock::report
