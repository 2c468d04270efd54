// Which warpclock this is.
#pragma once

#include <string>

namespace warpclock {

/// "0.1.0", as in the root CMakeLists.txt.
[[nodiscard]] std::string version();

}  // namespace warpclock
