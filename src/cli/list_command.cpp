#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "cli/commands.hpp"

namespace warpclock::cli {
namespace {

using Json = nlohmann::ordered_json;

/// Defaults of one axis, on each backend that the kernel runs on and that was asked for.
struct AxisDefaults {
  AxisSpec axis;
  std::vector<std::pair<std::string, std::vector<AxisValue>>> by_backend;
};

struct ListedKernel {
  const Benchmark* benchmark;
  std::vector<AxisDefaults> axes;
};

ListedKernel describe(const Benchmark& benchmark, const std::string& only) {
  ListedKernel out{&benchmark, {}};
  for (const auto& backend : benchmark.backends) {
    if (!only.empty() && backend != only) continue;
    for (const auto& axis : benchmark.axes(backend)) {
      auto at = std::ranges::find(out.axes, axis.name, [](const auto& known) { return known.axis.name; });
      if (at == out.axes.end()) at = out.axes.insert(out.axes.end(), {axis, {}});
      at->by_backend.emplace_back(backend, axis.defaults);
    }
  }
  return out;
}

std::vector<ListedKernel> kernels(const CliEnvironment& environment, const std::string& only) {
  std::vector<ListedKernel> out;
  for (const auto& benchmark : environment.suite) {
    const bool runs = only.empty() || std::ranges::find(benchmark.backends, only) != benchmark.backends.end();
    if (runs) out.push_back(describe(benchmark, only));
  }
  return out;
}

std::string values_text(const std::vector<AxisValue>& values) {
  std::string out;
  for (const auto& value : values) {
    if (!out.empty()) out += ',';
    out += to_string(value);
  }
  return out;
}

/// "M=1,16", or "cpu: 1,16; cuda: 1,4096" where the backends differ.
std::string defaults_text(const AxisDefaults& axis) {
  const auto& first = axis.by_backend.front().second;
  const bool same = std::ranges::all_of(axis.by_backend, [&](const auto& entry) { return entry.second == first; });
  if (same) return values_text(first);
  std::string out;
  for (const auto& [backend, values] : axis.by_backend) {
    out += fmt::format("{}{}: {}", out.empty() ? "" : "; ", backend, values_text(values));
  }
  return out;
}

std::string range_text(const AxisSpec& axis) {
  if (axis.is_text()) return fmt::format("one of {}", fmt::join(axis.choices, ", "));
  const bool open = axis.max == std::numeric_limits<std::int64_t>::max();
  return open ? fmt::format("from {}", axis.min) : fmt::format("{} to {}", axis.min, axis.max);
}

std::string text(const std::vector<ListedKernel>& list) {
  std::string out;
  for (const auto& kernel : list) {
    const auto& benchmark = *kernel.benchmark;
    out += fmt::format("{}{}  {}  [{}]\n", out.empty() ? "" : "\n", benchmark.name, benchmark.summary,
                       fmt::join(benchmark.backends, ", "));
    for (const auto& axis : kernel.axes) {
      const std::string unit = axis.axis.unit.empty() ? "" : " [" + axis.axis.unit + "]";
      out += fmt::format("  {:<10} {}{} ({}); default {}\n", axis.axis.name, axis.axis.help, unit,
                         range_text(axis.axis), defaults_text(axis));
    }
  }
  return out;
}

Json json_of(const AxisDefaults& entry) {
  Json defaults = Json::object();
  for (const auto& [backend, values] : entry.by_backend) {
    for (const auto& value : values) {
      std::visit([&, &name = backend](const auto& plain) { defaults[name].push_back(plain); }, value);
    }
  }
  Json out{{"name", entry.axis.name}, {"unit", entry.axis.unit}, {"help", entry.axis.help}, {"defaults", defaults}};
  if (entry.axis.is_text()) {
    out["choices"] = entry.axis.choices;
  } else {
    out["min"] = entry.axis.min;
    out["max"] = entry.axis.max;
  }
  return out;
}

Json json_of(const std::vector<ListedKernel>& list) {
  Json out = Json::array();
  for (const auto& kernel : list) {
    Json axes = Json::array();
    for (const auto& axis : kernel.axes) axes.push_back(json_of(axis));
    out.push_back({{"name", kernel.benchmark->name},
                   {"summary", kernel.benchmark->summary},
                   {"backends", kernel.benchmark->backends},
                   {"axes", axes}});
  }
  return {{"kernels", out}};
}

}  // namespace

int list_command(const ListOptions& options, std::ostream& out, const CliEnvironment& environment) {
  const std::string only = options.device.empty() ? "" : backend_of(environment.backends, options.device).name;
  const auto list = kernels(environment, only);
  out << (options.json ? json_of(list).dump(2) + "\n" : text(list));
  return ExitCode::ok;
}

}  // namespace warpclock::cli
