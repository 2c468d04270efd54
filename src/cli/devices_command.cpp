#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "analyse/roofline.hpp"
#include "cli/commands.hpp"
#include "core/errors.hpp"
#include "report/numbers.hpp"
#include "run/ceilings.hpp"

namespace warpclock::cli {
namespace {

using Json = nlohmann::ordered_json;

/// A device that was opened, or the reason why it could not be.
struct DeviceReport {
  std::string id;
  std::string reason;  // empty where it works
  DeviceInfo info;
  MemoryState memory;
  std::vector<Peak> peaks;  // documented ones, then measured ones that are cached
  std::vector<Ceiling> ceilings;
};

DeviceReport inspect(const Backend& backend, const std::string& id, const CliEnvironment& environment) {
  DeviceReport out{.id = id, .reason = "", .info = {}, .memory = {}, .peaks = {}, .ceilings = {}};
  try {
    const auto device = backend.open(id);
    out.info = device->info();
    out.memory = device->memory();
  } catch (const Error& error) {
    out.reason = error.what();
    return out;
  }
  auto known = cached_roofline(out.info, environment.ceilings_folder).value_or(Roofline{});
  known = with_peaks(std::move(known), nominal_peaks(out.info.name), {});
  out.peaks = std::move(known.peaks);
  out.ceilings = std::move(known.ceilings);
  return out;
}

std::vector<DeviceReport> inspect_all(const CliEnvironment& environment) {
  std::vector<DeviceReport> out;
  for (const auto& backend : environment.backends) {
    try {
      for (const auto& id : backend.list()) out.push_back(inspect(backend, id, environment));
    } catch (const Error& error) {
      out.push_back(
          {.id = backend.name, .reason = error.what(), .info = {}, .memory = {}, .peaks = {}, .ceilings = {}});
    }
  }
  return out;
}

std::string row(const std::string& name, const std::string& value) { return fmt::format("  {:<24} {}\n", name, value); }

std::string timer(const std::string& name, Nanoseconds step) { return name + ", step " + report::duration(step); }

std::string facts_text(const DeviceReport& device) {
  const auto& info = device.info;
  std::string out =
      row("memory", report::size(device.memory.total) + ", " + report::size(device.memory.free) + " free");
  out += row("last-level cache", report::size(info.last_level_cache) + " (" + info.last_level_cache_source + ")");
  out += row("call timer", timer(info.mark_timer, info.mark_step));
  out += row("kernel timer", info.record_timer.empty() ? "none" : timer(info.record_timer, info.record_step));
  if (info.nominal_clock_mhz) out += row("nominal clock", fmt::format("{:.0f} MHz", *info.nominal_clock_mhz));
  out += row("compute types", fmt::format("{}", fmt::join(info.compute_types, ", ")));
  for (const auto& [name, value] : info.details) {
    if (out.find("  " + name + "  ") == std::string::npos) out += row(name, value);  // some say again what stands above
  }
  for (const auto& ability : info.abilities) {
    out += row(ability.name, (ability.works ? "works: " : "does not work: ") + ability.detail);
  }
  return out;
}

std::string peaks_text(const DeviceReport& device) {
  std::string out;
  for (const auto& peak : device.peaks) {
    out += row("peak " + peak.resource, fmt::format("{:.4g} {} ({})", peak.value, peak.unit, peak.source));
  }
  for (const auto& ceiling : device.ceilings) {
    out += row(fmt::format("ceiling {:.0f} % read", ceiling.read_share * 100),
               fmt::format("{:.4g} GB/s ({})", ceiling.gb_per_s, ceiling.source));
  }
  if (device.peaks.empty()) out += row("peaks", "none documented for this exact device");
  if (device.ceilings.empty()) out += row("ceilings", "not measured yet; the first 'warpclock run' measures them");
  return out;
}

std::string text(const DeviceReport& device) {
  if (!device.reason.empty()) return fmt::format("{}  cannot be used: {}\n", device.id, device.reason);
  return fmt::format("{}  {}\n", device.id, device.info.name) + facts_text(device) + peaks_text(device);
}

Json json_of(const DeviceReport& device) {
  if (!device.reason.empty()) return {{"id", device.id}, {"works", false}, {"reason", device.reason}};
  const auto& info = device.info;
  Json out{{"id", device.id},
           {"works", true},
           {"backend", info.backend},
           {"name", info.name},
           {"identity", info.identity},
           {"memory_total_bytes", device.memory.total},
           {"memory_free_bytes", device.memory.free},
           {"last_level_cache_bytes", info.last_level_cache},
           {"last_level_cache_source", info.last_level_cache_source},
           {"call_timer", info.mark_timer},
           {"call_timer_step_ns", info.mark_step.count()},
           {"kernel_timer", info.record_timer},
           {"kernel_timer_step_ns", info.record_step.count()},
           {"nominal_clock_mhz", info.nominal_clock_mhz ? Json(*info.nominal_clock_mhz) : Json()},
           {"compute_types", info.compute_types},
           {"details", Json::object()},
           {"abilities", Json::array()},
           {"peaks", Json::array()},
           {"ceilings", Json::array()}};
  for (const auto& [name, value] : info.details) out["details"][name] = value;
  for (const auto& a : info.abilities) {
    out["abilities"].push_back({{"name", a.name}, {"works", a.works}, {"detail", a.detail}});
  }
  for (const auto& p : device.peaks) {
    out["peaks"].push_back({{"resource", p.resource}, {"value", p.value}, {"unit", p.unit}, {"source", p.source}});
  }
  for (const auto& c : device.ceilings) {
    out["ceilings"].push_back({{"read_share", c.read_share}, {"gb_per_s", c.gb_per_s}, {"source", c.source}});
  }
  return out;
}

}  // namespace

int devices_command(const DevicesOptions& options, std::ostream& out, const CliEnvironment& environment) {
  const auto devices = inspect_all(environment);
  Json json = Json::array();
  std::string page;
  for (const auto& device : devices) {
    json.push_back(json_of(device));
    page += (page.empty() ? "" : "\n") + text(device);
  }
  out << (options.json ? Json{{"devices", json}}.dump(2) + "\n" : page);
  return ExitCode::ok;
}

}  // namespace warpclock::cli
