// How a kernel of one's own gets onto the device; between user_kernel.cpp and the backend.
#pragma once

#include <functional>
#include <string>

#include "suite/kernel.hpp"
#include "suite/user_kernel_words.hpp"

namespace warpclock {

using UserLauncher = std::function<Launcher(Device&, const Point&)>;

/// Compiles and loads `kernel`; each different compilation is made once.  content  of its file
[[nodiscard]] UserLauncher cuda_user_launcher(UserKernel kernel, std::string content);

}  // namespace warpclock
