// The CPU as a device: its description, its memory and its host clock.
#include "backends/cpu/device.hpp"

#include <cblas.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <set>
#include <thread>

#include "backends/cpu/clock.hpp"
#include "backends/cpu/host_facts.hpp"
#include "backends/cpu/memory.hpp"
#include "backends/cpu/stream.hpp"

namespace warpclock::cpu {

Nanoseconds clock_step() {
  std::array<Clock::time_point, 4096> readings;
  for (auto& reading : readings) reading = Clock::now();
  std::set<Clock::rep> distances{0};
  for (std::size_t i = 1; i < readings.size(); ++i) distances.insert((readings[i] - readings[i - 1]).count());
  auto step = Clock::duration::max().count();
  for (auto a = distances.begin(), b = std::next(a); b != distances.end(); ++a, ++b) step = std::min(step, *b - *a);
  return Clock::duration(step);
}

namespace {

std::vector<Ability> abilities() {
  const std::string only_fp32 = "the suite's kernels for the CPU are written for fp32";
  return {
      {"hold", true, "the worker thread waits at a gate that the host opens"},
      {"tracing", true, "the worker stamps start and end of each task"},
      {"clock probe", true, "a chain of dependent additions, one cycle each, against the steady clock"},
      {"evict", true, "reads or writes through a buffer, on the worker's core"},
      {"fp32", true, "gemm through OpenBLAS"},
      {"tf32", false, only_fp32},
      {"fp16", false, only_fp32},
      {"bf16", false, only_fp32},
      {"fp8", false, only_fp32},
  };
}

std::vector<std::pair<std::string, std::string>> details() {
  std::vector<std::pair<std::string, std::string>> rows{{"logical cores", std::to_string(logical_cores())}};
  for (const auto& cache : caches()) {
    rows.emplace_back(fmt::format("L{} {}", cache.level, cache.type),
                      fmt::format("{} KiB ({})", cache.size / 1024, cache.source));
  }
  rows.emplace_back("memory", fmt::format("{} MiB", memory_state().total >> 20U));
  rows.emplace_back("kernel", kernel_release());
  rows.emplace_back("governor", governor().empty() ? "not shown by this system" : governor());
  rows.emplace_back("clock source", clock_source().empty() ? "not shown by this system" : clock_source());
  rows.emplace_back("threads", "each kernel runs on the one worker thread");
  rows.emplace_back("gemm",
                    fmt::format("{}; {} thread{} (set OPENBLAS_NUM_THREADS for another number)", openblas_get_config(),
                                openblas_get_num_threads(), openblas_get_num_threads() == 1 ? "" : "s"));
  return rows;
}

DeviceInfo describe() {
  DeviceInfo info;
  info.id = "cpu";
  info.backend = "cpu";
  info.name = cpu_model();
  info.identity = fmt::format("{}, {} cores", info.name, logical_cores());
  if (const auto cache = last_level_cache()) {
    info.last_level_cache = cache->size;
    info.last_level_cache_source = cache->source;
  } else {
    info.last_level_cache_source = "unknown: neither sysfs nor sysconf names a cache; give the flush size in bytes";
  }
  info.memory_total = memory_state().total;
  info.mark_timer = "steady clock";
  info.mark_step = clock_step();
  info.record_timer = info.mark_timer;
  info.record_step = info.mark_step;
  info.queue_limit = 0;
  info.clock_tolerance = 0.05;  // measured on a shared virtual machine; a machine of one's own does better
  info.compute_types = {"fp32"};
  info.abilities = abilities();
  info.details = details();
  return info;
}

class Cpu final : public CpuDevice {
 public:
  Cpu() : stream_(make_stream()), info_(describe()) {}

  [[nodiscard]] const DeviceInfo& info() const override { return info_; }
  [[nodiscard]] MemoryState memory() const override { return memory_state(); }
  [[nodiscard]] std::unique_ptr<Buffer> allocate(Bytes bytes) override { return cpu::allocate(bytes); }
  [[nodiscard]] CpuStream& stream() override { return *stream_; }
  [[nodiscard]] Nanoseconds host_now() const override { return since_epoch(Clock::now()); }

  // A sleep overshoots by some 60 us, so the end of a long wait is spent awake.
  void host_wait(Nanoseconds duration) override {
    constexpr Nanoseconds awake = microseconds(200);
    const auto end = Clock::now() + ticks(duration);
    if (duration > awake) std::this_thread::sleep_until(end - ticks(awake));
    while (Clock::now() < end) spin_pause();
  }

 private:
  std::unique_ptr<CpuStream> stream_;
  DeviceInfo info_;
};

}  // namespace

std::unique_ptr<CpuDevice> make_device() {
  // One thread, so that a gemm's time belongs to the same core, clock and ceilings as every other kernel's.
  if (std::getenv("OPENBLAS_NUM_THREADS") == nullptr) openblas_set_num_threads(1);
  return std::make_unique<Cpu>();
}

}  // namespace warpclock::cpu
