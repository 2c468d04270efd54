#include "run/ceilings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/version.hpp"
#include "run/runner.hpp"
#include "store/atomic_file.hpp"

namespace warpclock {
namespace {

using Json = nlohmann::ordered_json;

// A cache of another shape is measured again.
constexpr int cache_format = 1;
constexpr Bytes smallest_footprint = Bytes{256} << 20U;
constexpr Bytes largest_footprint = Bytes{1} << 30U;
constexpr std::uint64_t samples = 7;

/// A kernel of the suite that moves nothing but memory, over its axis `n` of 4-byte elements.
struct CeilingKernel {
  const char* name;
  double read_share;
  Bytes bytes_per_element;
};
constexpr std::array kernels{CeilingKernel{"fill", 0, 4}, CeilingKernel{"copy", 0.5, 8},
                             CeilingKernel{"add", 2.0 / 3, 12}, CeilingKernel{"read", 1, 4}};
/// Cube of a matmul that is compute-bound on anything and takes milliseconds on a CPU.
constexpr std::int64_t matmul_size = 1024;

const Benchmark* find(const std::vector<Benchmark>& suite, const std::string& name, const std::string& backend) {
  const auto found = std::ranges::find(suite, name, &Benchmark::name);
  if (found == suite.end()) return nullptr;
  return std::ranges::find(found->backends, backend) == found->backends.end() ? nullptr : &*found;
}

Point default_point(const Benchmark& benchmark, const std::string& backend) {
  Point point;
  for (const auto& axis : benchmark.axes(backend)) point.values.emplace_back(axis.name, axis.defaults.front());
  return point;
}

void set(Point& point, const std::string& axis, const AxisValue& value) {
  for (auto& [name, current] : point.values) {
    if (name == axis) current = value;
  }
}

/// A quick run in the default state. Checked elsewhere: `verify` would cost more than the measuring.
Protocol ceiling_protocol() {
  Protocol protocol;
  protocol.samples = samples;
  protocol.verify = false;
  return protocol;
}

std::vector<Ceiling> measure_memory(Session& session, const std::vector<Benchmark>& suite, const Control& control) {
  const auto& info = session.device().info();
  const auto footprint = std::clamp(4 * info.last_level_cache, smallest_footprint, largest_footprint);
  std::vector<Ceiling> out;
  for (const auto& kernel : kernels) {
    const auto* benchmark = find(suite, kernel.name, info.backend);
    if (benchmark == nullptr || control.interrupted()) continue;
    auto point = default_point(*benchmark, info.backend);
    set(point, "n", static_cast<std::int64_t>(footprint / kernel.bytes_per_element));
    const auto result = run_point(session, *benchmark, point, ceiling_protocol(), {}, control);
    const auto* time = result.headline_summary();
    if (result.status != Status::ok || time == nullptr) continue;
    out.push_back({kernel.read_share, result.work.bytes() / time->median.value,
                   fmt::format("measured: {} of {} MiB", kernel.name, footprint >> 20U)});
  }
  return out;
}

/// Stands in for a compute peak that no document gives: the best that the device's own matmul library reaches.
std::optional<Peak> measure_matmul(Session& session, const std::vector<Benchmark>& suite, const Control& control) {
  const auto& info = session.device().info();
  const auto* benchmark = find(suite, "gemm", info.backend);
  if (benchmark == nullptr || std::ranges::find(info.compute_types, "fp32") == info.compute_types.end()) return {};
  auto point = default_point(*benchmark, info.backend);
  for (const auto* axis : {"M", "N", "K"}) set(point, axis, matmul_size);
  set(point, "dtype", std::string("fp32"));
  auto protocol = ceiling_protocol();
  protocol.cache = CacheState::warm;
  const auto result = run_point(session, *benchmark, point, protocol, {}, control);
  const auto* time = result.headline_summary();
  if (result.status != Status::ok || time == nullptr) return {};
  return Peak{.resource = "fp32",
              .value = result.work.flops / time->spread.min / 1e3,
              .unit = "TFLOP/s",
              .source = fmt::format("measured: matmul of {}^3", matmul_size)};
}

/// What the backend knows of itself, else what the table has for exactly this device.
std::vector<Peak> known_peaks(const DeviceInfo& info) {
  return info.peaks.empty() ? nominal_peaks(info.name) : info.peaks;
}

Json to_json(const Roofline& roofline, const DeviceInfo& info) {
  Json json{{"format", cache_format}, {"version", version()}, {"device", info.identity}, {"name", info.name}};
  for (const auto& [name, value] : info.details) json["details"][name] = value;
  for (const auto& c : roofline.ceilings) {
    json["ceilings"].push_back({{"read_share", c.read_share}, {"gb_per_s", c.gb_per_s}, {"source", c.source}});
  }
  json["peaks"] = Json::array();
  for (const auto& p : roofline.peaks) {
    json["peaks"].push_back({{"resource", p.resource}, {"value", p.value}, {"unit", p.unit}, {"source", p.source}});
  }
  return json;
}

Roofline from_json(const Json& json) {
  Roofline roofline;
  for (const auto& c : json.at("ceilings"))
    roofline.ceilings.push_back({c.at("read_share"), c.at("gb_per_s"), c.at("source")});
  for (const auto& p : json.at("peaks")) {
    roofline.peaks.push_back(
        {.resource = p.at("resource"), .value = p.at("value"), .unit = p.at("unit"), .source = p.at("source")});
  }
  return roofline;
}

std::filesystem::path cache_file(const std::string& folder, const DeviceInfo& info) {
  std::string name = info.identity;
  std::ranges::replace_if(
      name, [](unsigned char c) { return std::isalnum(c) == 0; }, '-');
  return std::filesystem::path(folder) / ("ceilings-" + name + ".json");
}

/// Ceilings of this very device under this very version, or nothing.
std::optional<Roofline> load(const std::filesystem::path& file, const DeviceInfo& info) {
  std::ifstream in(file);
  const auto json = Json::parse(in, nullptr, false);
  try {
    if (json.is_discarded() || json.at("format") != cache_format || json.at("version") != version())
      return std::nullopt;
    if (json.at("device") != info.identity) return std::nullopt;
    return from_json(json);
  } catch (const Json::exception&) {
    return std::nullopt;  // damaged or of another shape: measured again
  }
}

void save(const std::filesystem::path& file, const Roofline& roofline, const DeviceInfo& info) {
  try {
    std::filesystem::create_directories(file.parent_path());
    write_atomically(file.string(), to_json(roofline, info).dump(2) + "\n");
  } catch (const std::exception&) {
    // Only time is lost: the next run measures the ceilings again.
  }
}

Roofline measured_roofline(Session& session, const std::vector<Benchmark>& suite, const std::string& folder,
                           const Control& control) {
  const auto& info = session.device().info();
  const auto file = cache_file(folder, info);
  if (!folder.empty()) {
    if (auto cached = load(file, info)) return *cached;
  }
  control.progress({.phase = "measuring ceilings"});
  Roofline roofline{.ceilings = measure_memory(session, suite, control)};
  if (known_peaks(info).empty()) {
    if (const auto peak = measure_matmul(session, suite, control)) roofline.peaks.push_back(*peak);
  }
  if (!folder.empty() && !control.interrupted() && !roofline.ceilings.empty()) save(file, roofline, info);
  return roofline;
}

}  // namespace

std::string ceilings_folder() {
  // NOLINTBEGIN(concurrency-mt-unsafe): read once, before any thread is started
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && *cache != '\0') {
    return std::string(cache) + "/warpclock";
  }
  if (const char* home = std::getenv("HOME"); home != nullptr && *home != '\0') {
    return std::string(home) + "/.cache/warpclock";
  }
  // NOLINTEND(concurrency-mt-unsafe)
  return {};
}

std::optional<Roofline> cached_roofline(const DeviceInfo& info, const std::string& folder) {
  return folder.empty() ? std::nullopt : load(cache_file(folder, info), info);
}

Roofline roofline_for(Session& session, const std::vector<Benchmark>& suite, const std::vector<Peak>& overrides,
                      const std::string& folder, const Control& control) {
  const auto& info = session.device().info();
  auto roofline = measured_roofline(session, suite, folder, control);
  return with_peaks(std::move(roofline), known_peaks(info), overrides);
}

Roofline with_peaks(Roofline roofline, const std::vector<Peak>& nominal, const std::vector<Peak>& overrides) {
  const auto put = [&](const Peak& peak) {
    std::erase_if(roofline.peaks, [&](const Peak& old) { return old.resource == peak.resource; });
    roofline.peaks.push_back(peak);
  };
  std::ranges::for_each(nominal, put);
  std::ranges::for_each(overrides, put);
  return roofline;
}

}  // namespace warpclock
