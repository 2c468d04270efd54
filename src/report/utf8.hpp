// Names and messages come from outside: users' kernels, drivers, compilers. What is printed is valid UTF-8 on one line.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/utf8.hpp"

namespace warpclock::report {

using warpclock::valid_utf8;

/// The same on one line: runs of line breaks and tabs become one blank, other control characters (which could drive
/// the terminal) become U+FFFD.
[[nodiscard]] std::string one_line(std::string_view text);

/// Columns of a terminal that valid UTF-8 takes, at one a code point (wide East Asian characters count as one too).
[[nodiscard]] std::size_t width(std::string_view text);

}  // namespace warpclock::report
