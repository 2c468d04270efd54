#include "report/json.hpp"

#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "codec/result_json.hpp"
#include "report/derived.hpp"

namespace warpclock::report {
namespace {

using codec::Json;

Json number(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

/// The result as it is but for its samples, and figures derived from it for readers.
Json result_of(const Result& result) {
  auto out = codec::to_json(result);
  out["clock"]["start_mhz"] = number(start_clock_mhz(result));
  out["throughput"] = {{"tflop_per_s", number(tflop_per_s(result))}, {"gb_per_s", number(gb_per_s(result))}, {"item_ns", number(item_ns(result))}};
  const auto* summary = result.headline_summary();
  out["sample_count"] = result.samples.size();
  out["effective_samples"] = summary == nullptr ? Json(nullptr) : Json(summary->median.effective_samples);
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

/// Raw samples stand last: they are long.
void write_result(const Result& result, std::string& out) {
  write(result_of(result), 4, out);
  constexpr std::string_view end = "\n    }";
  out.resize(out.size() - end.size());
  out += ",\n      \"samples\": ";
  out += codec::samples_text(result.samples, "\n        ", "\n      ");
  out += end;
}

}  // namespace

std::string json(const Environment& environment, std::span<const Result> results) {
  std::string out = "{\n  \"schema_version\": \"";
  out += codec::schema_version;
  out += "\",\n  \"environment\": ";
  write(codec::to_json(environment), 2, out);
  out += ",\n  \"results\": [";
  for (const auto& result : results) {
    out += &result == results.data() ? "\n    " : ",\n    ";
    write_result(result, out);
  }
  out += results.empty() ? "]\n}\n" : "\n  ]\n}\n";
  return out;
}

}  // namespace warpclock::report
