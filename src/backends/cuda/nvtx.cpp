#include "backends/cuda/nvtx.hpp"

#if __has_include(<nvtx3/nvToolsExt.h>)
#include <nvtx3/nvToolsExt.h>
#define WARPCLOCK_HAS_NVTX 1
#else
#define WARPCLOCK_HAS_NVTX 0
#endif

namespace warpclock::cuda {

#if WARPCLOCK_HAS_NVTX
bool has_nvtx() { return true; }
void nvtx_push(const std::string& name) { (void)nvtxRangePushA(name.c_str()); }
void nvtx_pop() { (void)nvtxRangePop(); }
#else
bool has_nvtx() { return false; }
void nvtx_push(const std::string&) {}
void nvtx_pop() {}
#endif

}  // namespace warpclock::cuda
