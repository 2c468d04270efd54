// Stand-in for NVML, as warpclock declares it. It knows nothing of CUDA_VISIBLE_DEVICES; a slice has processes but no
// clocks; the i-th GPU of the PCI bus draws 100 + i W.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <sstream>
#include <string>
#include <vector>

#include "fakes/machine.hpp"

namespace {

constexpr int success = 0;
constexpr int not_supported = 3;
constexpr int not_found = 6;
constexpr int insufficient_size = 7;

fake::Machine& machine() { return fake::Machine::instance(); }

/// What a handle points to: a chip or a slice of it. NVML numbers the GPUs in its own order.
struct Entry {
  const fake::Gpu* gpu;
  bool slice;
};

std::vector<Entry>& entries() {
  static std::vector<Entry> all = [] {
    std::vector<Entry> found;
    for (const auto& gpu : machine().gpus()) {
      found.push_back({&gpu, false});
      if (gpu.slice) found.push_back({&gpu, true});
    }
    if (machine().number("nvml_swapped", 0) != 0) std::reverse(found.begin(), found.end());
    return found;
  }();
  return all;
}

template <class Matches>
int find(void** handle, const Matches& matches) {
  const auto found = std::find_if(entries().begin(), entries().end(), matches);
  if (found == entries().end()) return not_found;
  *handle = &*found;
  return success;
}

/// A number that belongs to the chip as a whole.
int chip_number(const char* function, const void* handle, unsigned value, unsigned* out) {
  if (const int result = machine().error_of(function); result != success) return result;
  if (static_cast<const Entry*>(handle)->slice) return not_supported;
  *out = value;
  return success;
}

struct Process {  // nvmlProcessInfo_v2_t
  unsigned pid;
  unsigned long long used_memory;
  unsigned gpu_instance;
  unsigned compute_instance;
};

std::vector<Process> running() {
  std::vector<Process> all;
  std::istringstream words(machine().text("processes"));
  for (std::string pid; std::getline(words, pid, ',');) {
    all.push_back({static_cast<unsigned>(std::stoul(pid)), 1u << 20, 0, 0});
  }
  all.push_back({static_cast<unsigned>(machine().number("own_pid", getpid())), ~0ULL, 0, 0});
  return all;
}

}  // namespace

extern "C" {

int nvmlInit_v2() { return machine().error_of("nvmlInit_v2"); }
int nvmlShutdown() { return machine().error_of("nvmlShutdown"); }
const char* nvmlErrorString(int) { return "NVML error by script"; }

int nvmlDeviceGetHandleByUUID(const char* uuid, void** handle) {
  if (const int result = machine().error_of("nvmlDeviceGetHandleByUUID"); result != success) return result;
  return find(handle,
              [&](const Entry& entry) { return entry.gpu->slice == entry.slice && entry.gpu->uuid_text() == uuid; });
}

int nvmlDeviceGetHandleByPciBusId_v2(const char* pci, void** handle) {
  if (const int result = machine().error_of("nvmlDeviceGetHandleByPciBusId_v2"); result != success) return result;
  return find(handle, [&](const Entry& entry) { return !entry.slice && entry.gpu->pci == pci; });
}

int nvmlDeviceGetDeviceHandleFromMigDeviceHandle(void* slice, void** chip) {
  return find(chip, [&](const Entry& entry) { return !entry.slice && entry.gpu == static_cast<Entry*>(slice)->gpu; });
}

int nvmlSystemGetDriverVersion(char* text, unsigned size) {
  std::snprintf(text, size, "580.00.00");
  return machine().error_of("nvmlSystemGetDriverVersion");
}

int nvmlDeviceGetClockInfo(void* handle, unsigned, unsigned* mhz) {
  return chip_number("nvmlDeviceGetClockInfo", handle, static_cast<unsigned>(machine().number("clock_mhz", 1980)), mhz);
}

int nvmlDeviceGetMaxClockInfo(void* handle, unsigned, unsigned* mhz) {
  return chip_number("nvmlDeviceGetMaxClockInfo", handle, 1980, mhz);
}

int nvmlDeviceGetPowerUsage(void* handle, unsigned* milliwatts) {
  const auto watts = 100u + static_cast<unsigned>(static_cast<const Entry*>(handle)->gpu->index);
  return chip_number("nvmlDeviceGetPowerUsage", handle, watts * 1000, milliwatts);
}

int nvmlDeviceGetEnforcedPowerLimit(void* handle, unsigned* milliwatts) {
  return chip_number("nvmlDeviceGetEnforcedPowerLimit", handle, 700'000, milliwatts);
}

int nvmlDeviceGetTemperature(void* handle, unsigned, unsigned* celsius) {
  return chip_number("nvmlDeviceGetTemperature", handle, 35, celsius);
}

int nvmlDeviceGetCurrentClocksThrottleReasons(void*, unsigned long long* reasons) {
  *reasons = static_cast<unsigned long long>(machine().number("throttle", 0));
  return machine().error_of("nvmlDeviceGetCurrentClocksThrottleReasons");
}

int nvmlDeviceGetPersistenceMode(void* handle, unsigned* mode) {
  return chip_number("nvmlDeviceGetPersistenceMode", handle, 1, mode);
}

int nvmlDeviceGetMigMode(void* handle, unsigned* now, unsigned* pending) {
  *pending = 0;
  return chip_number("nvmlDeviceGetMigMode", handle, static_cast<unsigned>(machine().number("mig", 0)), now);
}

int nvmlDeviceGetComputeRunningProcesses_v3(void*, unsigned* count, Process* processes) {
  if (const int result = machine().error_of("nvmlDeviceGetComputeRunningProcesses_v3"); result != success)
    return result;
  const auto all = running();
  const bool fits = *count >= all.size();
  *count = static_cast<unsigned>(all.size());
  if (!fits) return insufficient_size;
  std::copy(all.begin(), all.end(), processes);
  return success;
}
}
