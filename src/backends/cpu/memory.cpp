// Memory of the CPU device.
#include "backends/cpu/memory.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>

#include "core/errors.hpp"

namespace warpclock::cpu {
namespace {

namespace fs = std::filesystem;

class PageBuffer final : public Buffer {
 public:
  PageBuffer(void* address, Bytes size) : address_(address), size_(size) {}
  ~PageBuffer() override { munmap(address_, size_); }
  [[nodiscard]] Bytes size() const override { return size_; }
  [[nodiscard]] void* address() const override { return address_; }

 private:
  void* address_;
  Bytes size_;
};

std::optional<Bytes> number_in(const fs::path& file) {
  std::ifstream in(file);
  Bytes value = 0;
  if (in >> value) return value;
  return std::nullopt;  // no such file, or "max": no limit
}

void apply_limit(MemoryState& state, const fs::path& limit_file, const fs::path& usage_file) {
  const auto limit = number_in(limit_file);
  const auto usage = number_in(usage_file);
  if (!limit || !usage || *limit >= state.total) return;
  state.total = *limit;
  state.free = std::min(state.free, *limit > *usage ? *limit - *usage : 0);
}

// Limits of a group and of all groups above it, up to the mount point.
void apply_limits(MemoryState& state, const fs::path& mount, const std::string& group, const char* limit,
                  const char* usage) {
  for (fs::path at = fs::path(group).relative_path();; at = at.parent_path()) {
    apply_limit(state, mount / at / limit, mount / at / usage);
    if (at.empty()) return;
  }
}

}  // namespace

MemoryState memory_state() {
  MemoryState state;
  std::ifstream meminfo("/proc/meminfo");
  for (std::string line; std::getline(meminfo, line);) {
    std::istringstream words(line);
    std::string key;
    Bytes kib = 0;
    if (!(words >> key >> kib)) continue;
    if (key == "MemTotal:") state.total = kib * 1024;
    if (key == "MemAvailable:") state.free = kib * 1024;
  }
  std::ifstream groups("/proc/self/cgroup");  // lines "4:memory:/group" (version 1), "0::/group" (version 2)
  for (std::string line; std::getline(groups, line);) {
    const auto first = line.find(':');
    const auto second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const auto controllers = line.substr(first + 1, second - first - 1);
    const auto group = line.substr(second + 1);
    if (controllers == "memory") {
      apply_limits(state, "/sys/fs/cgroup/memory", group, "memory.limit_in_bytes", "memory.usage_in_bytes");
    } else if (controllers.empty()) {
      apply_limits(state, "/sys/fs/cgroup", group, "memory.max", "memory.current");
    }
  }
  return state;
}

std::unique_ptr<Buffer> allocate(Bytes bytes) {
  if (bytes == 0) throw UsageError("cpu: a buffer of 0 bytes was asked for; ask for at least 1");
  const auto free = memory_state().free;
  const auto refuse = [&] {
    return DeviceError(fmt::format(
        "cpu: out of memory: {} bytes needed, {} bytes free; ask for smaller operands or fewer copies", bytes, free));
  };
  if (bytes > free) throw refuse();
  void* address = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (address == MAP_FAILED) throw refuse();
  auto buffer = std::make_unique<PageBuffer>(address, bytes);
  // Huge pages keep the page walk out of the times; where the kernel refuses, small ones do.
  madvise(address, bytes, MADV_HUGEPAGE);
  std::memset(address, 0, bytes);
  return buffer;
}

}  // namespace warpclock::cpu
