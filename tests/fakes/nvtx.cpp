// Stand-in for the part of a profiler that listens to NVTX: what NVTX_INJECTION64_PATH names. Ranges go to the
// profile_log of the machine.
#include <nvtx3/nvToolsExt.h>

#include <string>

#include "fakes/machine.hpp"

namespace {

int NVTX_API push(const char* name) {
  fake::Machine::instance().profile(std::string("push ") + name);
  return 0;
}

int NVTX_API pop() {
  fake::Machine::instance().profile("pop");
  return 0;
}

}  // namespace

extern "C" int NVTX_API InitializeInjectionNvtx2(NvtxGetExportTableFunc_t export_table) {
  const auto* callbacks = static_cast<const NvtxExportTableCallbacks*>(export_table(NVTX_ETID_CALLBACKS));
  NvtxFunctionTable table = nullptr;
  unsigned size = 0;
  if (callbacks == nullptr || callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE, &table, &size) == 0) return 0;
  if (size <= NVTX_CBID_CORE_RangePop) return 0;
  *table[NVTX_CBID_CORE_RangePushA] = reinterpret_cast<NvtxFunctionPointer>(push);
  *table[NVTX_CBID_CORE_RangePop] = reinterpret_cast<NvtxFunctionPointer>(pop);
  return 1;
}
