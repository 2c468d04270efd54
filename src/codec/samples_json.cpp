// Samples as columns: one array a field. Tens of thousands of them are common, so no object a sample.
#include "codec/archive.hpp"
#include "codec/result_json.hpp"

namespace warpclock::codec {
namespace {

Json marks_of(const Marks& marks) {
  Json out = Json::array();
  for (const auto& [mark, name] : mark_names()) {
    if (marks.has(mark)) out.push_back(name);
  }
  return out;
}

Marks marks_from(const Json& json, const std::string& where) {
  if (!json.is_array()) refuse(where, json, "an array");
  Marks out;
  for (const auto& entry : json) {
    const auto before = out;
    for (const auto& [mark, name] : mark_names()) {
      if (entry == name) out.set(mark);
    }
    if (out == before) refuse(where, entry, "the name of a mark");
  }
  return out;
}

/// Column `name` of `json`, with one entry a sample.
const Json& column(const Json& json, const std::string& name, std::size_t samples) {
  const auto found = json.find(name);
  if (found == json.end()) throw DataError("samples." + name + " is missing");
  if (!found->is_array() || found->size() != samples) {
    refuse("samples." + name, *found, "an array of " + std::to_string(samples) + " entries");
  }
  return *found;
}

template <class Value>
void take_column(const Json& json, const std::string& name, std::vector<Sample>& samples, Value Sample::*field) {
  const auto& values = column(json, name, samples.size());
  const auto where = "samples." + name;
  for (std::size_t i = 0; i < samples.size(); ++i) take(values[i], where, samples[i].*field);
}

}  // namespace

Json to_json(const std::vector<Sample>& samples) {
  std::array<Json::array_t, 9> columns;
  for (auto& entries : columns) entries.reserve(samples.size());
  for (const auto& sample : samples) {
    const auto& [pass, kernel, busy, call, host, at, clock_mhz, copy, marks] = sample;
    std::size_t next = 0;
    const auto add = [&](Json value) { columns[next++].push_back(std::move(value)); };
    add(put(pass));
    add(put(kernel));
    add(put(busy));
    add(put(call));
    add(put(host));
    add(put(at));
    add(put(clock_mhz));
    add(put(copy));
    add(marks_of(marks));
  }
  Json out = Json::object();
  std::size_t next = 0;
  for (const auto* name :
       {"pass", "kernel_ns", "busy_ns", "call_ns", "host_ns", "at_ns", "clock_mhz", "copy", "marks"}) {
    out[name] = std::move(columns.at(next++));
  }
  return out;
}

std::vector<Sample> samples_from_json(const Json& json) {
  if (!json.is_object()) refuse("samples", json, "an object");
  const auto first = json.find("pass");
  std::vector<Sample> out(first != json.end() && first->is_array() ? first->size() : 0);
  take_column(json, "pass", out, &Sample::pass);
  take_column(json, "kernel_ns", out, &Sample::kernel);
  take_column(json, "busy_ns", out, &Sample::busy);
  take_column(json, "call_ns", out, &Sample::call);
  take_column(json, "host_ns", out, &Sample::host);
  take_column(json, "at_ns", out, &Sample::at);
  take_column(json, "clock_mhz", out, &Sample::clock_mhz);
  take_column(json, "copy", out, &Sample::copy);
  const auto& marks = column(json, "marks", out.size());
  for (std::size_t i = 0; i < out.size(); ++i) out[i].marks = marks_from(marks[i], "samples.marks");
  return out;
}

}  // namespace warpclock::codec
