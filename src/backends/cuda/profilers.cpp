#include "backends/cuda/profilers.hpp"

#include <link.h>

#include <cstdlib>
#include <cstring>
#include <string_view>
#include <utility>

namespace warpclock::cuda {

namespace {

struct Tool {
  std::string_view file;  // part of the name of a library that it puts into the process
  const char* name;
};

// Seen in the address space of programs that run under these tools (CUDA 12 and 13).
constexpr Tool serialising_tools[] = {
    {"libcuda-injection", "Nsight Compute (ncu)"},
    {"libsanitizer-collection", "compute-sanitizer"},
    {"libcudadebugger", "cuda-gdb"},
};

}  // namespace

std::string serialising_tool() {
  const char* blocking = std::getenv("CUDA_LAUNCH_BLOCKING");
  if (blocking != nullptr && std::strcmp(blocking, "") != 0 && std::strcmp(blocking, "0") != 0) {
    return "CUDA_LAUNCH_BLOCKING is set: every launch waits for its completion; unset it";
  }
  const char* found = nullptr;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* data) {
        for (const Tool& tool : serialising_tools) {
          if (std::string_view(info->dlpi_name).find(tool.file) == std::string_view::npos) continue;
          *static_cast<const char**>(data) = tool.name;
          return 1;
        }
        return 0;
      },
      &found);
  return found == nullptr ? "" : std::string(found) + " runs in this process and makes launches wait for completion";
}

}  // namespace warpclock::cuda
