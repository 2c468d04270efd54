// Named ranges that profilers show (NVTX): header-only, and nothing happens where no profiler listens.
#pragma once

#include <string>

namespace warpclock::cuda {

/// False in a build without the NVTX headers: then there are no ranges.
[[nodiscard]] bool has_nvtx();
/// Begins a range of the calling thread; ranges nest.
void nvtx_push(const std::string& name);
void nvtx_pop();

}  // namespace warpclock::cuda
