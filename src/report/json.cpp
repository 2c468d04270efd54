#include "report/json.hpp"

#include <nlohmann/json.hpp>
#include <optional>

#include "codec/result_json.hpp"
#include "report/derived.hpp"

namespace warpclock::report {
namespace {

using codec::Json;

Json number(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

/// The result as it is, and figures derived from it for readers. Raw samples stand last: they are long.
Json result_of(const Result& result) {
  auto out = codec::to_json(result);
  out["clock"]["start_mhz"] = number(start_clock_mhz(result));
  out["throughput"] = {{"tflop_per_s", number(tflop_per_s(result))}, {"gb_per_s", number(gb_per_s(result))}};
  const auto* summary = result.headline_summary();
  out["sample_count"] = result.samples.size();
  out["effective_samples"] = summary == nullptr ? Json(nullptr) : Json(summary->median.effective_samples);
  out["samples"] = codec::to_json(result.samples);
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
  Json all = {{"schema_version", codec::schema_version},
              {"environment", codec::to_json(environment)},
              {"results", Json::array()}};
  for (const auto& result : results) all["results"].push_back(result_of(result));
  std::string out;
  write(all, 0, out);
  return out + '\n';
}

}  // namespace warpclock::report
