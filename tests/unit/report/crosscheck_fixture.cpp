#include "crosscheck_fixture.hpp"

namespace warpclock::report {
namespace {

Result measured(std::int64_t m, double ns, double mhz, const std::string& bound) {
  Result result{.benchmark = "gemm", .point = {{{"M", m}, {"N", std::int64_t{19456}}, {"dtype", "bf16"}}}};
  const Estimate time{.value = ns, .low = ns * 0.996, .high = ns * 1.004, .level = 0.95, .samples = 20};
  result.kernel_time_ns = Summary{.median = time};
  result.effective_clock = {.mhz = Estimate{.value = mhz}, .source = "sentinel"};
  result.sol = Sol{.percent = 70, .bound = bound};
  result.work = {.flops = 1e11, .bytes_read = 99.6e6, .bytes_written = 8e4, .compute_type = "bf16"};
  result.conditions = {.cache = "cold-clean", .cover = "hold", .data = "normal"};
  result.kernels = {{.name = "nvjet_tst", .kind = "kernel", .per_call = 1}};
  return result;
}

NcuPoint profiled(double ns, double cycles, double mhz) {
  std::vector<NcuKernel> launches;
  for (const double off : {-500.0, 0.0, 700.0}) {
    launches.push_back({.name = "nvjet_tst",
                        .time_ns = ns + off,
                        .cycles = cycles,
                        .clock_mhz = mhz,
                        .dram_read_bytes = 99.65e6,
                        .dram_written_bytes = 6e4});
  }
  return into_calls(launches, 3);
}

}  // namespace

Crosscheck made_up_crosscheck() {
  const auto command = ncu_command("/usr/bin/ncu", {});
  Crosscheck check{.ncu_version = "2025.3.1.0", .ncu_words = command.words, .warmup = 5, .calls = 3};
  check.environment.device = {{"id", "cuda:0"}, {"name", "NVIDIA H200"}};
  check.environment.started_utc = "2026-11-29T12:00:00Z";
  const auto add = [&](const Result& result, const std::optional<NcuPoint>& ncu, const std::string& missing) {
    check.comparisons.push_back(compare(result, ncu, missing, command.settings));
  };
  add(measured(2, 28'000, 1950, "memory"), profiled(29'700, 54'500, 1837), "");
  add(measured(2048, 276'000, 1640, "compute"), profiled(284'500, 450'000, 1582), "");
  add(measured(4096, 520'000, 1600, "compute"), std::nullopt, "ncu was ended by signal 11 (Segmentation fault)");
  Result skipped = measured(9999, 0, 0, "");
  skipped.kernel_time_ns.reset();
  skipped.status = Status::skipped;
  skipped.error = "needs 900 GiB";
  add(skipped, std::nullopt, "not run: there is nothing to compare with");
  return check;
}

}  // namespace warpclock::report
