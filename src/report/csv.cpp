#include "report/csv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "report/derived.hpp"
#include "report/utf8.hpp"

namespace warpclock::report {
namespace {

struct Field {
  std::string name;
  std::function<std::string(const Result&)> text;
};

std::string number(double value) { return std::isfinite(value) ? fmt::format("{}", value) : ""; }
std::string number(const std::optional<double>& value) { return value ? number(*value) : ""; }

void add_number(std::vector<Field>& out, std::string name, std::function<std::optional<double>(const Result&)> pick) {
  out.push_back({std::move(name), [pick = std::move(pick)](const Result& r) { return number(pick(r)); }});
}

void add_estimate(std::vector<Field>& out, const std::string& name,
                  const std::function<const Estimate*(const Result&)>& pick) {
  const auto part = [&](const std::string& suffix, double Estimate::*field) {
    add_number(out, name + suffix, [pick, field](const Result& r) -> std::optional<double> {
      const auto* estimate = pick(r);
      return estimate == nullptr ? std::nullopt : std::optional(estimate->*field);
    });
  };
  part("_ns", &Estimate::value);
  part("_low_ns", &Estimate::low);
  part("_high_ns", &Estimate::high);
  part("_level", &Estimate::level);
}

void add_summary(std::vector<Field>& out, const std::string& name, std::optional<Summary> Result::*field) {
  add_estimate(out, name, [field](const Result& r) { return r.*field ? &(r.*field)->median : nullptr; });
}

template <class Function>
void add_text(std::vector<Field>& out, std::string name, Function text) {
  out.push_back({std::move(name), std::move(text)});
}

std::string finding_ids(const Result& result) {
  std::string out;
  for (const auto& finding : result.findings) out += (out.empty() ? "" : " ") + finding.id;
  return out;
}

void add_times(std::vector<Field>& out) {
  add_text(out, "headline", [](const Result& r) { return to_string(r.headline); });
  add_estimate(out, "headline", [](const Result& r) {
    const auto* summary = r.headline_summary();
    return summary == nullptr ? nullptr : &summary->median;
  });
  add_summary(out, "kernel_time", &Result::kernel_time_ns);
  add_summary(out, "busy", &Result::busy_ns);
  add_summary(out, "call_time", &Result::call_time_ns);
  add_number(out, "call_offset_ns", [](const Result& r) { return r.call_offset_ns; });
  add_summary(out, "host_time", &Result::host_time_ns);
  add_number(out, "first_call_ns",
             [](const Result& r) { return r.first_call ? std::optional(r.first_call->count()) : std::nullopt; });
  add_estimate(out, "marginal_time",
               [](const Result& r) { return r.marginal_time_ns ? &*r.marginal_time_ns : nullptr; });
}

void add_rates(std::vector<Field>& out) {
  add_number(out, "flops", [](const Result& r) { return r.work.flops; });
  add_number(out, "bytes_read", [](const Result& r) { return r.work.bytes_read; });
  add_number(out, "bytes_written", [](const Result& r) { return r.work.bytes_written; });
  add_number(out, "tflop_per_s", tflop_per_s);
  add_number(out, "gb_per_s", gb_per_s);
  add_number(out, "sol_percent", [](const Result& r) { return r.sol ? std::optional(r.sol->percent) : std::nullopt; });
  add_number(out, "sol_percent_at_clock",
             [](const Result& r) { return r.sol ? r.sol->percent_at_clock : std::nullopt; });
  add_text(out, "sol_bound", [](const Result& r) { return r.sol ? r.sol->bound : ""; });
}

void add_state(std::vector<Field>& out) {
  add_text(out, "cache", [](const Result& r) { return r.conditions.cache; });
  add_text(out, "flush_bytes", [](const Result& r) { return fmt::format("{}", r.conditions.flush_bytes); });
  add_text(out, "cover", [](const Result& r) { return r.conditions.cover; });
  add_text(out, "regime", [](const Result& r) { return r.conditions.regime; });
  add_text(out, "batch", [](const Result& r) { return fmt::format("{}", r.conditions.batch); });
  add_text(out, "copies", [](const Result& r) { return fmt::format("{}", r.conditions.copies); });
  add_text(out, "data", [](const Result& r) { return r.conditions.data; });
  add_text(out, "seed", [](const Result& r) { return fmt::format("{}", r.conditions.seed); });
  add_number(out, "effective_clock_mhz", effective_clock_mhz);
  add_text(out, "effective_clock_source", [](const Result& r) { return r.effective_clock.source; });
  add_number(out, "start_clock_mhz", start_clock_mhz);
  add_number(out, "reference_clock_mhz", [](const Result& r) { return r.conditions.reference_clock_mhz; });
  add_number(out, "locked_clock_mhz", [](const Result& r) { return r.conditions.locked_clock_mhz; });
  add_number(out, "cycles_per_call", [](const Result& r) { return r.cycles_per_call; });
  add_number(out, "joules_per_call",
             [](const Result& r) { return r.energy ? std::optional(r.energy->joules_per_call) : std::nullopt; });
  add_number(out, "over_burst", [](const Result& r) { return r.over_burst; });
}

void add_sampling(std::vector<Field>& out) {
  add_text(out, "samples", [](const Result& r) { return fmt::format("{}", r.samples.size()); });
  add_number(out, "headline_effective_samples", [](const Result& r) -> std::optional<double> {
    const auto* summary = r.headline_summary();
    return summary == nullptr ? std::nullopt : std::optional(summary->median.effective_samples);
  });
  add_text(out, "rejected_stamps", [](const Result& r) { return fmt::format("{}", r.rejected_stamps); });
  add_text(out, "stop_reason", [](const Result& r) { return to_string(r.stop_reason); });
  add_text(out, "check", [](const Result& r) { return to_string(r.check.state); });
  add_number(out, "launches_per_call", [](const Result& r) { return r.launches_per_call; });
  add_number(out, "wall_time_ns", [](const Result& r) { return r.wall_time.count(); });
  add_text(out, "findings", finding_ids);
}

std::vector<Field> fixed_fields() {
  std::vector<Field> out;
  add_text(out, "status", [](const Result& r) { return to_string(r.status); });
  add_text(out, "error", [](const Result& r) { return r.error; });
  add_times(out);
  add_rates(out);
  add_state(out);
  add_sampling(out);
  return out;
}

std::vector<Field> axis_fields(std::span<const Result> results, const std::vector<Field>& fixed) {
  std::vector<std::string> names;
  for (const auto& result : results) {
    for (const auto& [name, value] : result.point.values) {
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
  }
  std::vector<Field> out;
  for (const auto& axis : names) {
    const bool taken = axis == "benchmark" || axis == "run" ||
                       std::any_of(fixed.begin(), fixed.end(), [&](const Field& field) { return field.name == axis; });
    out.push_back({(taken ? "axis_" : "") + axis, [axis](const Result& r) -> std::string {
                     for (const auto& [name, value] : r.point.values) {
                       if (name == axis) return to_string(value);
                     }
                     return "";
                   }});
  }
  return out;
}

/// Time per item and the benchmark's own figures, where any result has them; rates are a second.
std::vector<Field> own_fields(std::span<const Result> results) {
  std::vector<Field> out;
  if (std::any_of(results.begin(), results.end(), [](const Result& r) { return r.work.items > 0; })) {
    add_number(out, "items", [](const Result& r) { return r.work.items; });
    add_text(out, "item", [](const Result& r) { return r.work.item; });
    add_number(out, "item_ns", item_ns);
  }
  std::vector<std::string> names;
  for (const auto& result : results) {
    for (const auto& counter : result.work.counters) {
      if (std::find(names.begin(), names.end(), counter.name) == names.end()) names.push_back(counter.name);
    }
  }
  for (const auto& name : names) {
    add_number(out, "counter_" + name, [name](const Result& r) -> std::optional<double> {
      const auto* counter = counter_named(r, name);
      return counter == nullptr ? std::nullopt : shown_value(r, *counter);
    });
  }
  return out;
}

/// RFC 4180, rules 5 to 7. A blank at either end is quoted too, since some readers strip it.
std::string cell(std::string_view text) {
  auto valid = valid_utf8(text);
  const bool plain =
      valid.find_first_of(",\"\r\n") == std::string::npos && !valid.starts_with(' ') && !valid.ends_with(' ');
  if (plain) return valid;
  std::string out = "\"";
  for (const char c : valid) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + '"';
}

template <class Text>
void add_line(std::string& out, const std::vector<Field>& fields, const Text& text) {
  for (const auto& field : fields) {
    out += cell(text(field));
    out += ',';
  }
  out.pop_back();
  out += "\r\n";
}

/// `fields` of the caller first.
std::string table(std::span<const Result> results, std::vector<Field> fields) {
  auto fixed = fixed_fields();
  fields.push_back({"benchmark", [](const Result& r) { return r.benchmark; }});
  std::ranges::move(axis_fields(results, fixed), std::back_inserter(fields));
  std::ranges::move(fixed, std::back_inserter(fields));
  std::ranges::move(own_fields(results), std::back_inserter(fields));

  std::string out;
  add_line(out, fields, [](const Field& field) { return field.name; });
  for (const auto& result : results) {
    add_line(out, fields, [&](const Field& field) { return field.text(result); });
  }
  return out;
}

}  // namespace

std::string csv(const Environment&, std::span<const Result> results) { return table(results, {}); }

std::string csv(std::span<const Result> results, std::span<const std::string> runs) {
  return table(results,
               {{"run", [&](const Result& r) { return runs[static_cast<std::size_t>(&r - results.data())]; }}});
}

}  // namespace warpclock::report
