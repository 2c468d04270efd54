// Tools in this process that change what can be done on the device.
#pragma once

#include <string>

namespace warpclock::cuda {

/// Why launches wait for their completion here, so that a hold would never be lifted; empty where they do not.
/// Looks at CUDA_LAUNCH_BLOCKING and for the libraries of serialising tools (ncu, compute-sanitizer, cuda-gdb).
[[nodiscard]] std::string serialising_tool();

}  // namespace warpclock::cuda
