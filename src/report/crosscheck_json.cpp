#include <nlohmann/json.hpp>
#include <optional>
#include <variant>

#include "report/crosscheck.hpp"
#include "report/utf8.hpp"

namespace warpclock::report {
namespace {

using Json = nlohmann::ordered_json;

Json number(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

Json texts(const std::vector<std::string>& list) {
  Json out = Json::array();
  for (const auto& entry : list) out.push_back(valid_utf8(entry));
  return out;
}

Json pairs(const std::vector<std::pair<std::string, std::string>>& list) {
  Json out = Json::object();
  for (const auto& [key, value] : list) out[valid_utf8(key)] = valid_utf8(value);
  return out;
}

Json point_of(const Point& point) {
  Json out = Json::object();
  for (const auto& [name, value] : point.values) {
    const auto* whole = std::get_if<std::int64_t>(&value);
    out[valid_utf8(name)] = whole != nullptr ? Json(*whole) : Json(valid_utf8(std::get<std::string>(value)));
  }
  return out;
}

Json estimate_of(const std::optional<Estimate>& e) {
  if (!e) return nullptr;
  return {{"value", e->value}, {"low", e->low}, {"high", e->high}, {"level", e->level}, {"samples", e->samples}};
}

Json ours_of(const std::optional<OurSide>& ours) {
  if (!ours) return nullptr;
  return {{"what", ours->what},
          {"time_ns", estimate_of(ours->time_ns)},
          {"clock_mhz", number(ours->clock_mhz)},
          {"clock_source", ours->clock_mhz ? Json(ours->clock_source) : Json(nullptr)},
          {"cycles", number(ours->cycles)}};
}

Json ncu_of(const std::optional<NcuPoint>& ncu) {
  if (!ncu) return nullptr;
  Json times = Json::array();
  for (const auto& call : ncu->calls) times.push_back(number(call.time_ns));
  return {{"kernels", texts(ncu->kernels)},
          {"call_times_ns", times},
          {"time_ns", estimate_of(ncu->time_ns)},
          {"spread_ns", ncu->spread_ns()},
          {"cycles", estimate_of(ncu->cycles)},
          {"clock_mhz", estimate_of(ncu->clock_mhz)},
          {"dram_read_bytes", estimate_of(ncu->dram_read_bytes)},
          {"dram_written_bytes", estimate_of(ncu->dram_written_bytes)}};
}

Json caveats_of(const std::vector<Caveat>& caveats) {
  Json out = Json::array();
  for (const auto& caveat : caveats) {
    Json blocks = Json::array();
    if (caveat.time) blocks.push_back("time");
    if (caveat.cycles) blocks.push_back("cycles");
    if (caveat.dram) blocks.push_back("dram");
    out.push_back({{"id", caveat.id}, {"message", valid_utf8(caveat.message)}, {"not_comparable", blocks}});
  }
  return out;
}

Json expected_of(const Comparison& c) {
  return c.expected_ns ? Json({c.expected_ns->first, c.expected_ns->second}) : Json(nullptr);
}

Json comparison_of(const Comparison& c) {
  return {{"benchmark", valid_utf8(c.benchmark)},
          {"point", point_of(c.point)},
          {"status", to_string(c.status)},
          {"error", c.error.empty() ? Json(nullptr) : Json(valid_utf8(c.error))},
          {"cache", c.conditions.cache},
          {"regime", c.conditions.regime},
          {"bound", c.bound.empty() ? Json(nullptr) : Json(c.bound)},
          {"ours", ours_of(c.ours)},
          {"ncu", ncu_of(c.ncu)},
          {"ncu_missing", c.ncu_missing.empty() ? Json(nullptr) : Json(valid_utf8(c.ncu_missing))},
          {"time_difference_ns", number(c.time_difference_ns)},
          {"expected_difference_ns", expected_of(c)},
          {"cycle_difference", number(c.cycle_difference)},
          {"declared", {{"bytes_read", c.work.bytes_read}, {"bytes_written", c.work.bytes_written}}},
          {"dram_read_over_declared", number(c.read_ratio)},
          {"dram_written_over_declared", number(c.written_ratio)},
          {"verdicts", {{"time", to_string(c.time)}, {"cycles", to_string(c.cycles)}, {"dram", to_string(c.dram)}}},
          {"caveats", caveats_of(c.caveats)}};
}

}  // namespace

std::string crosscheck_json(const Crosscheck& crosscheck) {
  const auto& e = crosscheck.environment;
  Json all = {{"schema_version", crosscheck_schema_version},
              {"environment",
               {{"device", pairs(e.device)},
                {"host", pairs(e.host)},
                {"versions", pairs(e.versions)},
                {"settings", pairs(e.settings)},
                {"variables", pairs(e.variables)},
                {"started_utc", e.started_utc}}},
              {"ncu",
               {{"version", crosscheck.ncu_version.empty() ? Json(nullptr) : Json(valid_utf8(crosscheck.ncu_version))},
                {"words", texts(crosscheck.ncu_words)},
                {"warmup", crosscheck.warmup},
                {"calls", crosscheck.calls}}},
              {"points", Json::array()}};
  for (const auto& comparison : crosscheck.comparisons) all["points"].push_back(comparison_of(comparison));
  return all.dump(2) + '\n';
}

}  // namespace warpclock::report
