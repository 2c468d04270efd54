// Stand-in for NVML, as warpclock declares it. It knows nothing of CUDA_VISIBLE_DEVICES; a slice has processes but no
// clocks; the i-th GPU of the PCI bus draws 100 + i W.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "fakes/machine.hpp"

namespace {

constexpr int success = 0;
constexpr int invalid_argument = 2;
constexpr int not_supported = 3;
constexpr int not_found = 6;
constexpr int insufficient_size = 7;

fake::Machine& machine() { return fake::Machine::instance(); }

constexpr unsigned clock_memory = 2;

struct FieldValue {  // nvmlFieldValue_t
  unsigned field;
  unsigned scope;
  long long timestamp;
  long long latency;
  unsigned type;
  int result;
  unsigned long long value;
};

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

/// What the script says about a field this time, or else `otherwise`.
unsigned long long told(const std::string& field, unsigned long long otherwise) {
  const std::string value = machine().event("nvml." + field);
  return value.empty() ? otherwise : static_cast<unsigned long long>(std::stoll(value));
}
unsigned told_u32(const std::string& field, unsigned long long otherwise) {
  return static_cast<unsigned>(told(field, otherwise));
}

[[maybe_unused]] int set_lock(const char* function, const void* handle, const char* domain, std::optional<long> mhz) {
  unsigned ignored = 0;
  if (const int result = chip_number(function, handle, 0, &ignored); result != success) return result;
  machine().set_lock(domain, mhz);
  return success;
}

[[maybe_unused]] int list_clocks(unsigned least, unsigned most, unsigned step, unsigned* count, unsigned* clocks) {
  const unsigned needed = (most - least) / step + 1;
  const bool fits = *count >= needed;
  *count = needed;
  if (!fits) return insufficient_size;
  for (unsigned i = 0; i < needed; ++i) clocks[i] = most - i * step;  // NVML begins with the largest
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

int nvmlDeviceGetClockInfo(void* handle, unsigned type, unsigned* mhz) {
  const bool memory = type == clock_memory;
  const auto value =
      memory ? told("memory_clock", static_cast<unsigned long long>(machine().lock("memory").value_or(3201)))
             : told("sm_clock", static_cast<unsigned long long>(machine().sm_clock()));
  return chip_number("nvmlDeviceGetClockInfo", handle, static_cast<unsigned>(value), mhz);
}

int nvmlDeviceGetMaxClockInfo(void* handle, unsigned type, unsigned* mhz) {
  return chip_number("nvmlDeviceGetMaxClockInfo", handle,
                     type == clock_memory ? told_u32("memory_clock_max", 3201) : told_u32("sm_clock_max", 1980), mhz);
}

int nvmlDeviceGetPowerUsage(void* handle, unsigned* milliwatts) {
  const auto watts = 100u + static_cast<unsigned>(static_cast<const Entry*>(handle)->gpu->index);
  return chip_number("nvmlDeviceGetPowerUsage", handle, told_u32("power", watts * 1000), milliwatts);
}

int nvmlDeviceGetEnforcedPowerLimit(void* handle, unsigned* milliwatts) {
  return chip_number("nvmlDeviceGetEnforcedPowerLimit", handle, told_u32("power_limit", 700'000), milliwatts);
}

int nvmlDeviceGetTemperature(void* handle, unsigned, unsigned* celsius) {
  return chip_number("nvmlDeviceGetTemperature", handle, told_u32("temperature", 35), celsius);
}

#ifdef FAKE_OLD_NVML  // a driver before R535: fewer calls, some under other names
int nvmlDeviceGetCurrentClocksThrottleReasons(void*, unsigned long long* reasons) {
  *reasons = static_cast<unsigned long long>(machine().number("throttle", 0));
  return success;
}
#else
int nvmlDeviceGetTotalEnergyConsumption(void* handle, unsigned long long* millijoules) {
  unsigned ignored = 0;
  *millijoules = told("energy", 5'000'000);
  return chip_number("nvmlDeviceGetTotalEnergyConsumption", handle, 0, &ignored);
}

/// Counters by field: 74 power limit, 76 sync boost, 77 board limit, 251 temperature, 252 the same by hardware, 253
/// power brake. nvml.fields=old: a driver that has those below 100 alone.
int nvmlDeviceGetFieldValues(void*, int count, FieldValue* values) {
  const bool old = machine().text("nvml.fields") == "old";
  const auto ns = told("throttle_time", 1'000'000);
  for (int i = 0; i < count; ++i) {
    const int refused = machine().error_of("nvmlDeviceGetFieldValues.field");
    values[i].result = old && values[i].field > 100 ? not_supported : refused;
    values[i].type = 3;  // NVML_VALUE_TYPE_UNSIGNED_LONG_LONG
    values[i].value = ns + values[i].field;
  }
  return machine().error_of("nvmlDeviceGetFieldValues");
}

int nvmlDeviceGetViolationStatus(void*, unsigned policy, unsigned long long* times) {
  times[0] = 0;
  times[1] = 2'000'000 + policy;  // ns
  return machine().error_of("nvmlDeviceGetViolationStatus");
}

int nvmlDeviceGetSupportedMemoryClocks(void* handle, unsigned* count, unsigned* clocks) {
  unsigned ignored = 0;
  if (const int result = chip_number("nvmlDeviceGetSupportedMemoryClocks", handle, 0, &ignored); result != success)
    return result;
  return list_clocks(1593, 3201, 1608, count, clocks);
}

int nvmlDeviceGetSupportedGraphicsClocks(void* handle, unsigned, unsigned* count, unsigned* clocks) {
  unsigned ignored = 0;
  if (const int result = chip_number("nvmlDeviceGetSupportedGraphicsClocks", handle, 0, &ignored); result != success)
    return result;
  return list_clocks(345, 1980, 15, count, clocks);
}

int nvmlDeviceSetGpuLockedClocks(void* handle, unsigned least, unsigned most) {
  constexpr unsigned tdp = 0xffffff01;  // NVML_CLOCK_LIMIT_ID_TDP
  if (least > most) return invalid_argument;
  return set_lock("nvmlDeviceSetGpuLockedClocks", handle, "sm",
                  most == tdp ? machine().number("base_mhz", 1590) : most);
}
int nvmlDeviceResetGpuLockedClocks(void* handle) {
  return set_lock("nvmlDeviceResetGpuLockedClocks", handle, "sm", std::nullopt);
}
int nvmlDeviceSetMemoryLockedClocks(void* handle, unsigned least, unsigned most) {
  if (least > most) return invalid_argument;
  return set_lock("nvmlDeviceSetMemoryLockedClocks", handle, "memory", most);
}
int nvmlDeviceResetMemoryLockedClocks(void* handle) {
  return set_lock("nvmlDeviceResetMemoryLockedClocks", handle, "memory", std::nullopt);
}

int nvmlDeviceGetCurrentClocksEventReasons(void*, unsigned long long* reasons) {
  *reasons = static_cast<unsigned long long>(machine().number("throttle", 0));
  return machine().error_of("nvmlDeviceGetCurrentClocksEventReasons");
}
#endif

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
