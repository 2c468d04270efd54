// Tables for an issue, a pull request or a wiki page.
#pragma once

#include <span>
#include <string>

#include "core/result.hpp"

namespace warpclock::report {

/// The same sections as the text, as GitHub tables. Names and messages are escaped, so that none opens a column or a
/// tag.
[[nodiscard]] std::string markdown(const Environment& environment, std::span<const Result> results);

}  // namespace warpclock::report
