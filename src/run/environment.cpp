#include "run/environment.hpp"

#include <dlfcn.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <gnu/libc-version.h>
#include <sched.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "backends/cpu/host_facts.hpp"
#include "core/version.hpp"
#include "plan/settings.hpp"

namespace warpclock {
namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

void add(Pairs& pairs, const std::string& name, const std::string& value) {
  if (!value.empty()) pairs.emplace_back(name, value);
}

/// "Debian GNU/Linux 12 (bookworm)"; empty where the file is missing.
std::string operating_system() {
  std::ifstream in("/etc/os-release");
  const std::string key = "PRETTY_NAME=";
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with(key)) continue;
    line.erase(0, key.size());
    std::erase(line, '"');
    return line;
  }
  return "";
}

/// Cores that this process may use: fewer than the machine has under taskset, in containers, under Slurm.
std::string usable_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return "";
  return std::to_string(CPU_COUNT(&set));
}

/// Runnable tasks over the last minute: what else the machine was doing.
std::string load_average() {
  double load = 0;
  return ::getloadavg(&load, 1) == 1 ? fmt::format("{:.2f}", load) : "";
}

std::string memory_bytes() {
  const long pages = ::sysconf(_SC_PHYS_PAGES);
  const long page = ::sysconf(_SC_PAGESIZE);
  return pages > 0 && page > 0 ? std::to_string(static_cast<Bytes>(pages) * static_cast<Bytes>(page)) : "";
}

/// Version and kernel set that the loaded OpenBLAS chose for this processor; empty with another BLAS.
std::string openblas() {
  using TextFunction = char* (*)();
  const auto config = reinterpret_cast<TextFunction>(::dlsym(RTLD_DEFAULT, "openblas_get_config"));
  if (config == nullptr) return "";
  std::string text = config();
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return text;
}

std::string compiler() {
#if defined(__clang__)
  return std::string("clang ") + __clang_version__;
#else
  return std::string("gcc ") + __VERSION__;
#endif
}

std::string build_type() {
#ifdef NDEBUG
  return "release";
#else
  return "debug";
#endif
}

Pairs describe(const DeviceInfo& device) {
  Pairs pairs{{"id", device.id}, {"backend", device.backend}, {"name", device.name}, {"identity", device.identity}};
  add(pairs, "last_level_cache_bytes", std::to_string(device.last_level_cache));
  add(pairs, "last_level_cache_source", device.last_level_cache_source);
  add(pairs, "memory_bytes", std::to_string(device.memory_total));
  add(pairs, "mark_timer", device.mark_timer);
  add(pairs, "mark_step_ns", fmt::format("{}", device.mark_step.count()));
  if (!device.record_timer.empty()) {
    add(pairs, "record_timer", device.record_timer);
    add(pairs, "record_step_ns", fmt::format("{}", device.record_step.count()));
  }
  if (device.nominal_clock_mhz) add(pairs, "nominal_clock_mhz", fmt::format("{}", *device.nominal_clock_mhz));
  pairs.insert(pairs.end(), device.details.begin(), device.details.end());
  return pairs;
}

Pairs describe_host() {
  Pairs pairs;
  add(pairs, "cpu", cpu::cpu_model());
  add(pairs, "cores", std::to_string(cpu::logical_cores()));
  add(pairs, "usable_cores", usable_cores());
  add(pairs, "governor", cpu::governor());
  add(pairs, "clock_source", cpu::clock_source());
  add(pairs, "memory_bytes", memory_bytes());
  add(pairs, "os", operating_system());
  add(pairs, "kernel", cpu::kernel_release());
  add(pairs, "load_average_1min", load_average());
  return pairs;
}

Pairs describe_versions() {
  Pairs pairs;
  add(pairs, "warpclock", version());
  add(pairs, "compiler", compiler());
  add(pairs, "build", build_type());
  add(pairs, "libc", ::gnu_get_libc_version());
  add(pairs, "openblas", openblas());
  return pairs;
}

}  // namespace

std::optional<std::string> process_variable(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

const std::vector<std::string>& timing_variables() {
  static const std::vector<std::string> names{
      // which GPU is cuda:0
      "CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER",
      // when launches are submitted, and whether the host waits for them
      "CUDA_LAUNCH_BLOCKING", "CUDA_DEVICE_MAX_CONNECTIONS", "CUDA_SCALE_LAUNCH_QUEUES",
      // what the first call has to do
      "CUDA_MODULE_LOADING", "CUDA_MODULE_DATA_LOADING", "CUDA_CACHE_DISABLE", "CUDA_CACHE_MAXSIZE",
      "CUDA_FORCE_PTX_JIT",
      // memory and sharing of the GPU
      "CUDA_MANAGED_FORCE_DEVICE_ALLOC", "CUDA_MPS_PIPE_DIRECTORY", "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE",
      // tools that slow launches down
      "CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH", "NSYS_PROFILING_SESSION_ID",
      // precision and choice of matmuls
      "NVIDIA_TF32_OVERRIDE", "CUBLAS_WORKSPACE_CONFIG", "CUBLASLT_WORKSPACE_SIZE",
      // threads and kernels of the CPU's BLAS
      "OMP_NUM_THREADS", "OMP_PROC_BIND", "OMP_PLACES", "OPENBLAS_NUM_THREADS", "OPENBLAS_CORETYPE", "GOTO_NUM_THREADS",
      "MKL_NUM_THREADS", "BLIS_NUM_THREADS",
      // memory of the host
      "MALLOC_ARENA_MAX", "GLIBC_TUNABLES", "LD_PRELOAD"};
  return names;
}

std::string utc(std::chrono::system_clock::time_point time) {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::chrono::system_clock::to_time_t(time)));
}

Environment capture_environment(const DeviceInfo& device, const Protocol& protocol,
                                std::chrono::system_clock::time_point started, const VariableLookup& lookup) {
  Environment environment;
  environment.device = describe(device);
  environment.host = describe_host();
  environment.versions = describe_versions();
  for (const auto& setting : settings()) environment.settings.emplace_back(setting.key(), setting.print(protocol));
  for (const auto& name : timing_variables()) {
    if (const auto value = lookup(name)) environment.variables.emplace_back(name, *value);
  }
  environment.started_utc = utc(started);
  return environment;
}

}  // namespace warpclock
