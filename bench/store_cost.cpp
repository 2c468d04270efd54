// What keeping results costs: samples stored a second, listing and exporting a database of 10^6 samples, bytes a
// result.
//   usage: store_cost FOLDER     (on the file system in question; a temporary database is made there and removed)
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "report/csv.hpp"
#include "report/json.hpp"
#include "store/recorder.hpp"

namespace {

using namespace warpclock;

double seconds_of(const std::function<void()>& what) {
  const auto start = std::chrono::steady_clock::now();
  what();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

Summary summary_of(double median) {
  Summary out;
  out.median = {median, median * 0.996, median * 1.004, 0.9586, 40, 31.7};
  out.spread = {median * 0.97, median * 0.98, median * 0.99,  median * 1.01,
                median * 1.03, median * 1.2,  median * 1.004, median * 0.006};
  out.modes = {{median, 1.0}};
  return out;
}

/// As a GPU leaves it behind: two passes, telemetry around them, one kernel a call.
Result like_a_gpus(std::size_t samples, std::mt19937_64& random) {
  std::normal_distribution<double> noise(0, 50);
  Result out;
  out.benchmark = "gemm";
  out.point.values = {
      {"M", std::int64_t{16}}, {"N", std::int64_t{19456}}, {"K", std::int64_t{2560}}, {"dtype", "bf16"}};
  out.kernel_time_ns = out.busy_ns = summary_of(28340.123);
  out.call_time_ns = summary_of(30740.456);
  out.host_time_ns = summary_of(4100.789);
  out.call_offset_ns = 2400.5;
  out.work = {1.6e9, 1e8, 6e5, "bf16"};
  out.sol = Sol{73.4, "memory", 4800, "GB/s", "H200 SXM data sheet", std::nullopt};
  out.kernels = {{"nvjet_tst_64x8_64x16_4x1_v_bz_TNT", "kernel", 1, out.kernel_time_ns->median}};
  Telemetry state;
  state.sm_clock_mhz = 1980;
  state.power_watts = 412.3;
  state.temperature_celsius = 41;
  state.throttle_reasons.emplace();
  out.telemetry.assign(5, {Nanoseconds{1e6}, state});
  for (std::size_t i = 0; i < samples; ++i) {
    Sample sample;
    sample.pass = i < samples / 2 ? Pass::traced : Pass::untraced;
    if (sample.pass == Pass::traced) {
      sample.kernel = sample.busy = Nanoseconds{28340 + std::round(noise(random))};
    } else {
      sample.call = Nanoseconds{30740 + 32 * std::round(noise(random) / 32)};
    }
    sample.host = Nanoseconds{4100 + std::round(noise(random))};
    sample.at = Nanoseconds{150'000.0 * static_cast<double>(i)};
    sample.clock_mhz = 1975 + noise(random) / 10;
    out.samples.push_back(sample);
  }
  return out;
}

store::RunInfo run_of(std::size_t points) {
  store::RunInfo out;
  out.command = {"run", "gemm", "--device", "cuda:0"};
  out.environment.device = {{"id", "cuda:0"}, {"name", "NVIDIA H200"}};
  out.environment.started_utc = "2026-11-29T12:00:00Z";
  for (std::size_t i = 0; i < points; ++i) {
    out.plan.push_back({.label = fmt::format("gemm M={} N=19456 K=2560 dtype=bf16", i),
                        .benchmark = "gemm",
                        .point = {{{"M", static_cast<std::int64_t>(i)}}},
                        .regime = "burst",
                        .locked_clock_mhz = {}});
  }
  return out;
}

/// Seconds that a run of `points` points takes to store, three commits each.
double store_run(store::Database& database, std::size_t points, std::size_t samples) {
  std::mt19937_64 random(1);
  const auto result = like_a_gpus(samples, random);
  return seconds_of([&] {
    store::RunRecorder recorder(database, run_of(points));
    for (std::size_t place = 0; place < points; ++place) {
      const auto attempt = recorder.intend(place);
      recorder.started(attempt);
      recorder.finished(attempt, result);
    }
  });
}

double flush_ms(const std::string& folder) {
  const auto file = folder + "/flush";
  auto* out = std::fopen(file.c_str(), "wb");
  constexpr int times = 50;
  const double seconds = seconds_of([&] {
    for (int i = 0; i < times; ++i) {
      std::fputc('x', out);
      std::fflush(out);
      ::fdatasync(::fileno(out));
    }
  });
  std::fclose(out);
  return seconds / times * 1e3;
}

void row(const std::string& name, const std::string& value, const std::string& goal) {
  fmt::print("| {} | {} | {} |\n", name, value, goal);
}

void storing(const std::string& folder) {
  for (const std::size_t samples : {40U, 200U, 1000U, 10'000U}) {
    store::Database database(fmt::format("{}/store-{}.db", folder, samples), store::Access::write);
    const std::size_t points = samples > 1000 ? 50 : 100;
    const double seconds = store_run(database, points, samples);
    const auto count = static_cast<double>(points);
    row(fmt::format("stored, {} samples a point", samples),
        fmt::format("{:.0f} samples/s, {:.2f} ms a point", count * static_cast<double>(samples) / seconds,
                    seconds / count * 1e3),
        "50,000 samples/s");
  }
}

void reading(const std::string& folder) {
  constexpr std::size_t runs = 20, points = 250, samples = 200;
  const auto file = folder + "/million.db";
  {
    store::Database database(file, store::Access::write);
    for (std::size_t i = 0; i < runs; ++i) store_run(database, points, samples);
  }
  const auto bytes = static_cast<double>(std::filesystem::file_size(file));
  row("bytes a result of 200 samples, indexes and plan included", fmt::format("{:.0f}", bytes / (runs * points)), "");
  std::size_t listed = 0;
  const double list = seconds_of([&] {
    store::Database database(file, store::Access::read);
    listed = store::list_runs(database).size();
  });
  row(fmt::format("list {} runs of 10^6 samples in all", listed), fmt::format("{:.4f} s", list), "0.1 s");
  const auto exported =
      [&](const std::function<std::string(const store::StoredRun&, const std::vector<Result>&)>& format) {
        std::size_t written = 0;
        const auto cpu = std::clock();
        const double seconds = seconds_of([&] {
          store::Database database(file, store::Access::read);
          std::ofstream out(folder + "/export");
          for (const auto& run : store::list_runs(database)) {
            auto stored = store::load_run(database, run);
            std::vector<Result> results;
            for (auto& entry : stored.results) results.push_back(std::move(entry.result));
            const auto text = format(stored, results);
            out << text;
            written += text.size();
          }
        });
        return fmt::format("{:.2f} s (CPU {:.2f} s; {:.0f} MB)", seconds,
                           static_cast<double>(std::clock() - cpu) / CLOCKS_PER_SEC,
                           static_cast<double>(written) / 1e6);
      };
  row("export of all as JSON, every sample",
      exported([](const auto& run, const auto& results) { return report::json(run.environment, results); }), "2 s");
  row("export of all as CSV, a line a point",
      exported([](const auto& run, const auto& results) { return report::csv(run.environment, results); }), "2 s");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    fmt::print(stderr, "usage: store_cost FOLDER\n");
    return 2;
  }
  std::string folder = std::string(argv[1]) + "/warpclock-store-cost-XXXXXX";
  if (::mkdtemp(folder.data()) == nullptr) {
    fmt::print(stderr, "store_cost: cannot make a folder in {}\n", argv[1]);
    return 4;
  }
  fmt::print(
      "# What keeping results costs\n\nWritten by `./dev bench`. A point is three transactions, two of them flushed to "
      "the disk.\n\n");
  fmt::print("| | measured | goal |\n|---|---:|---:|\n");
  row("one flush of this disk (fdatasync), nothing of ours", fmt::format("{:.2f} ms", flush_ms(folder)), "");
  storing(folder);
  reading(folder);
  std::filesystem::remove_all(folder);
  return 0;
}
