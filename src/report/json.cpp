#include "report/json.hpp"

#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "report/derived.hpp"
#include "report/utf8.hpp"

namespace warpclock::report {
namespace {

using Json = nlohmann::ordered_json;
using Pairs = std::vector<std::pair<std::string, std::string>>;

// A NaN or an infinity is turned into null by nlohmann's writer itself.
Json number(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }
Json nanoseconds(const std::optional<Nanoseconds>& time) { return time ? Json(time->count()) : Json(nullptr); }
Json text(const std::string& value) { return valid_utf8(value); }

Json pairs(const Pairs& list) {
  Json out = Json::object();
  for (const auto& [key, value] : list) out[valid_utf8(key)] = text(value);
  return out;
}

Json environment_of(const Environment& environment) {
  return {{"device", pairs(environment.device)},       {"host", pairs(environment.host)},
          {"versions", pairs(environment.versions)},   {"settings", pairs(environment.settings)},
          {"variables", pairs(environment.variables)}, {"started_utc", text(environment.started_utc)}};
}

Json point_of(const Point& point) {
  Json out = Json::object();
  for (const auto& [name, value] : point.values) {
    const auto* whole = std::get_if<std::int64_t>(&value);
    out[valid_utf8(name)] = whole != nullptr ? Json(*whole) : text(std::get<std::string>(value));
  }
  return out;
}

Json estimate_of(const Estimate& e) {
  return {{"value_ns", e.value}, {"low_ns", e.low},      {"high_ns", e.high},
          {"level", e.level},    {"samples", e.samples}, {"effective_samples", e.effective_samples}};
}

Json estimate_of(const std::optional<Estimate>& e) { return e ? estimate_of(*e) : Json(nullptr); }

Json summary_of(const std::optional<Summary>& summary) {
  if (!summary) return nullptr;
  auto out = estimate_of(summary->median);
  const auto& s = summary->spread;
  out["spread_ns"] = {{"min", s.min}, {"p5", s.p5},   {"p25", s.p25},   {"p75", s.p75},
                      {"p95", s.p95}, {"max", s.max}, {"mean", s.mean}, {"mad", s.mad}};
  out["modes_ns"] = Json::array();
  for (const auto& mode : summary->modes) out["modes_ns"].push_back({{"center", mode.center}, {"share", mode.share}});
  return out;
}

Json sol_of(const std::optional<Sol>& sol) {
  if (!sol) return nullptr;
  return {{"percent", sol->percent},     {"bound", text(sol->bound)},
          {"peak", sol->peak},           {"unit", text(sol->unit)},
          {"source", text(sol->source)}, {"percent_at_clock", number(sol->percent_at_clock)}};
}

Json kernels_of(const std::vector<KernelShare>& kernels) {
  Json out = Json::array();
  for (const auto& kernel : kernels) {
    out.push_back({{"name", text(kernel.name)},
                   {"kind", text(kernel.kind)},
                   {"per_call", kernel.per_call},
                   {"time", estimate_of(kernel.time_ns)}});
  }
  return out;
}

Json findings_of(const std::vector<Finding>& findings) {
  Json out = Json::array();
  for (const auto& finding : findings) {
    out.push_back({{"id", text(finding.id)},
                   {"severity", to_string(finding.severity)},
                   {"message", text(finding.message)},
                   {"remedy", text(finding.remedy)}});
  }
  return out;
}

Json marks_of(const Marks& marks) {
  Json out = Json::array();
  for (const auto& [mark, name] : mark_names()) {
    if (marks.has(mark)) out.push_back(name);
  }
  return out;
}

Json samples_of(const std::vector<Sample>& samples) {
  Json out = Json::object();
  for (const auto* column :
       {"pass", "kernel_ns", "busy_ns", "call_ns", "host_ns", "at_ns", "clock_mhz", "copy", "marks"}) {
    out[column] = Json::array();
  }
  for (const auto& sample : samples) {
    out["pass"].push_back(pass_name(sample.pass));
    out["kernel_ns"].push_back(nanoseconds(sample.kernel));
    out["busy_ns"].push_back(nanoseconds(sample.busy));
    out["call_ns"].push_back(nanoseconds(sample.call));
    out["host_ns"].push_back(sample.host.count());
    out["at_ns"].push_back(sample.at.count());
    out["clock_mhz"].push_back(number(sample.clock_mhz));
    out["copy"].push_back(sample.copy);
    out["marks"].push_back(marks_of(sample.marks));
  }
  return out;
}

void add_times(const Result& result, Json& out) {
  out["headline"] = to_string(result.headline);
  out["kernel_time"] = summary_of(result.kernel_time_ns);
  out["busy"] = summary_of(result.busy_ns);
  out["call_time"] = summary_of(result.call_time_ns);
  out["call_offset_ns"] = number(result.call_offset_ns);
  out["host_time"] = summary_of(result.host_time_ns);
  out["first_call_ns"] = nanoseconds(result.first_call);
  out["marginal_time"] = estimate_of(result.marginal_time_ns);
}

void add_conditions(const Result& result, Json& out) {
  const auto& c = result.conditions;
  out["cache"] = text(c.cache);
  out["flush_bytes"] = c.flush_bytes;
  out["cover"] = text(c.cover);
  out["regime"] = text(c.regime);
  out["batch"] = c.batch;
  out["copies"] = c.copies;
  out["timer"] = {{"call", text(c.call_timer)},
                  {"call_step_ns", c.call_timer_step.count()},
                  {"kernel", text(c.kernel_timer)},
                  {"kernel_step_ns", c.kernel_timer_step.count()}};
  out["settle"] = {{"gap_ns", c.gap.count()}, {"wait_ns", c.settle_wait.count()}, {"settled", c.settled}};
  out["clock"] = {{"effective_mhz", number(effective_clock_mhz(result))},
                  {"reference_mhz", number(c.reference_clock_mhz)}};
  out["data"] = text(c.data);
  out["seed"] = c.seed;
}

void add_work(const Result& result, Json& out) {
  const auto& work = result.work;
  out["work"] = {{"flops", work.flops},
                 {"bytes_read", work.bytes_read},
                 {"bytes_written", work.bytes_written},
                 {"compute_type", text(work.compute_type)}};
  out["throughput"] = {{"tflop_per_s", number(tflop_per_s(result))}, {"gb_per_s", number(gb_per_s(result))}};
  out["sol"] = sol_of(result.sol);
  out["launches_per_call"] = result.launches_per_call;
  out["kernels"] = kernels_of(result.kernels);
}

Json result_of(const Result& result) {
  Json out = {{"benchmark", text(result.benchmark)},
              {"point", point_of(result.point)},
              {"status", to_string(result.status)},
              {"error", result.error.empty() ? Json(nullptr) : text(result.error)}};
  add_times(result, out);
  add_conditions(result, out);
  add_work(result, out);
  const auto& check = result.check;
  out["check"] = {{"state", to_string(check.state)},
                  {"max_error", check.max_error},
                  {"tolerance", check.tolerance},
                  {"detail", text(check.detail)}};
  out["findings"] = findings_of(result.findings);
  const auto* summary = result.headline_summary();
  out["sample_count"] = result.samples.size();
  out["effective_samples"] = summary == nullptr ? Json(nullptr) : Json(summary->median.effective_samples);
  out["stop_reason"] = to_string(result.stop_reason);
  out["rejected_stamps"] = result.rejected_stamps;
  out["wall_time_ns"] = result.wall_time.count();
  out["samples"] = samples_of(result.samples);
  return out;
}

bool is_flat(const Json& value) {
  for (const auto& item : value) {
    if (item.is_object() || (item.is_array() && value.is_object())) return false;
  }
  return true;
}

/// nlohmann writes either no line breaks or one a number, and a run has thousands of numbers: an array or object
/// without objects in it stands on one line.
void write(const Json& value, std::size_t indent, std::string& out) {
  if (!value.is_structured() || value.empty() || is_flat(value)) {
    out += value.dump();
    return;
  }
  const std::string blanks(indent + 2, ' ');
  out += value.is_object() ? "{" : "[";
  bool first = true;
  for (const auto& [key, item] : value.items()) {
    out += (first ? "\n" : ",\n") + blanks;
    if (value.is_object()) out += Json(key).dump() + ": ";
    write(item, indent + 2, out);
    first = false;
  }
  out += '\n' + std::string(indent, ' ') + (value.is_object() ? "}" : "]");
}

}  // namespace

std::string json(const Environment& environment, std::span<const Result> results) {
  Json all = {
      {"schema_version", schema_version}, {"environment", environment_of(environment)}, {"results", Json::array()}};
  for (const auto& result : results) all["results"].push_back(result_of(result));
  std::string out;
  write(all, 0, out);
  return out + '\n';
}

}  // namespace warpclock::report
