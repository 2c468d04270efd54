// What the operating system says about this machine's processor.
#include "backends/cpu/host_facts.hpp"

#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <thread>

namespace warpclock::cpu {
namespace {

namespace fs = std::filesystem;

std::string first_line(const fs::path& file) {
  std::string line;
  std::ifstream in(file);
  std::getline(in, line);
  return line;
}

// "2048K", "300M", "32768": sizes as sysfs writes them.
Bytes parse_size(const std::string& text) {
  std::size_t digits = 0;
  while (digits < text.size() && text[digits] >= '0' && text[digits] <= '9') ++digits;
  if (digits == 0 || digits > 15) return 0;
  const Bytes value = std::stoull(text.substr(0, digits));
  const char unit = digits < text.size() ? text[digits] : ' ';
  if (unit == 'K') return value << 10U;
  if (unit == 'M') return value << 20U;
  return value;
}

std::vector<CacheFact> sysfs_caches() {
  std::vector<CacheFact> found;
  for (int index = 0;; ++index) {
    const fs::path folder = "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index);
    const auto size = parse_size(first_line(folder / "size"));
    if (size == 0) return found;
    const auto level = parse_size(first_line(folder / "level"));
    found.push_back({static_cast<int>(level), first_line(folder / "type"), size, (folder / "size").string()});
  }
}

std::vector<CacheFact> sysconf_caches() {
  std::vector<CacheFact> found;
#ifdef _SC_LEVEL3_CACHE_SIZE
  const auto add = [&](int level, const char* type, int name, const char* source) {
    if (const long size = sysconf(name); size > 0) found.push_back({level, type, static_cast<Bytes>(size), source});
  };
  add(1, "Data", _SC_LEVEL1_DCACHE_SIZE, "sysconf(_SC_LEVEL1_DCACHE_SIZE)");
  add(2, "Unified", _SC_LEVEL2_CACHE_SIZE, "sysconf(_SC_LEVEL2_CACHE_SIZE)");
  add(3, "Unified", _SC_LEVEL3_CACHE_SIZE, "sysconf(_SC_LEVEL3_CACHE_SIZE)");
#endif
  return found;
}

utsname system_names() {
  utsname names{};
  uname(&names);
  return names;
}

}  // namespace

std::string cpu_model() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);) {
    const auto colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return std::string(system_names().machine) + " processor";
}

unsigned logical_cores() { return std::max(1U, std::thread::hardware_concurrency()); }

std::vector<CacheFact> caches() {
  auto found = sysfs_caches();
  return found.empty() ? sysconf_caches() : found;
}

std::optional<CacheFact> last_level_cache() {
  std::optional<CacheFact> last;
  for (const auto& cache : caches()) {
    if (cache.type != "Instruction" && (!last || cache.level > last->level)) last = cache;
  }
  return last;
}

std::string kernel_release() {
  const auto names = system_names();
  return std::string(names.sysname) + " " + names.release;
}

std::string governor() { return first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"); }

std::string clock_source() { return first_line("/sys/devices/system/clocksource/clocksource0/current_clocksource"); }

}  // namespace warpclock::cpu
