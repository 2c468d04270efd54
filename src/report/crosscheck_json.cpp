#include <nlohmann/json.hpp>
#include <optional>

#include "codec/archive.hpp"
#include "codec/result_json.hpp"
#include "report/crosscheck.hpp"

namespace warpclock::report {
namespace {

using codec::Json;
using codec::put;

/// An empty text says nothing.
Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : put(text); }

Json estimate_of(const std::optional<Estimate>& e) {
  if (!e) return nullptr;
  return {{"value", e->value}, {"low", e->low}, {"high", e->high}, {"level", e->level}, {"samples", e->samples}};
}

Json ours_of(const std::optional<OurSide>& ours) {
  if (!ours) return nullptr;
  return {{"what", to_string(ours->what)},
          {"time_ns", estimate_of(ours->time_ns)},
          {"clock_mhz", put(ours->clock_mhz)},
          {"clock_source", text_or_null(ours->clock_source)},
          {"cycles", put(ours->cycles)}};
}

Json ncu_of(const std::optional<NcuPoint>& ncu) {
  if (!ncu) return nullptr;
  Json times = Json::array();
  for (const auto& call : ncu->calls) times.push_back(put(call.time_ns));
  return {{"kernels", put(ncu->kernels)},
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
    out.push_back({{"id", caveat.id}, {"message", put(caveat.message)}, {"not_comparable", blocks}});
  }
  return out;
}

Json expected_of(const Comparison& c) {
  return c.expected_ns ? Json({c.expected_ns->first, c.expected_ns->second}) : Json(nullptr);
}

Json comparison_of(const Comparison& c) {
  return {{"benchmark", put(c.benchmark)},
          {"point", put(c.point)},
          {"status", to_string(c.status)},
          {"error", text_or_null(c.error)},
          {"cache", c.conditions.cache},
          {"regime", c.conditions.regime},
          {"bound", text_or_null(c.bound)},
          {"ours", ours_of(c.ours)},
          {"ncu", ncu_of(c.ncu)},
          {"ncu_missing", text_or_null(c.ncu_missing)},
          {"time_difference_ns", put(c.time_difference_ns)},
          {"expected_difference_ns", expected_of(c)},
          {"cycle_difference", put(c.cycle_difference)},
          {"declared", {{"bytes_read", c.work.bytes_read}, {"bytes_written", c.work.bytes_written}}},
          {"dram_read_over_declared", put(c.read_ratio)},
          {"dram_written_over_declared", put(c.written_ratio)},
          {"verdicts", {{"time", to_string(c.time)}, {"cycles", to_string(c.cycles)}, {"dram", to_string(c.dram)}}},
          {"caveats", caveats_of(c.caveats)}};
}

}  // namespace

std::string crosscheck_json(const Crosscheck& crosscheck) {
  Json all = {{"schema_version", crosscheck_schema_version},
              {"environment", codec::to_json(crosscheck.environment)},
              {"ncu",
               {{"version", text_or_null(crosscheck.ncu_version)},
                {"words", put(crosscheck.ncu_words)},
                {"warmup", crosscheck.warmup},
                {"calls", crosscheck.calls}}},
              {"points", Json::array()}};
  for (const auto& comparison : crosscheck.comparisons) all["points"].push_back(comparison_of(comparison));
  return all.dump(2) + '\n';
}

}  // namespace warpclock::report
