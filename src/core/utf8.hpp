// Names and messages come from outside: users' kernels, drivers, compilers. What leaves the program is valid UTF-8.
#pragma once

#include <string>
#include <string_view>

namespace warpclock {

/// `text` with every byte that is no part of valid UTF-8 replaced by U+FFFD.
[[nodiscard]] std::string valid_utf8(std::string_view text);

}  // namespace warpclock
