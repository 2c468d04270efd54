// Everything that is known of a run, for programs. docs/result.schema.json describes every field.
#pragma once

#include <span>
#include <string>

#include "core/result.hpp"

namespace warpclock::report {

/// Strict JSON (RFC 8259): null in the place of a NaN or an infinity, bytes that are no UTF-8 replaced by U+FFFD,
/// units in the names. Raw samples stand as columns, in run order: entry i of each column is sample i.
[[nodiscard]] std::string json(const Environment& environment, std::span<const Result> results);

}  // namespace warpclock::report
