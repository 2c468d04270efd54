// Samples as columns: one array a field. Tens of thousands of them are common, so no object a sample,
// and no tree when they are written.
#include <array>
#include <charconv>
#include <cmath>

#include "codec/archive.hpp"
#include "codec/result_json.hpp"

namespace warpclock::codec {
namespace {

/// As nlohmann writes it: the shortest text that reads back as the same double, with a point or an exponent in it.
void append(double value, std::string& out) {
  constexpr double largest_whole = 1e15;  // all whole numbers below it are exact, and written in full
  if (!std::isfinite(value)) {
    out += "null";
    return;
  }
  std::array<char, 32> text{};
  const auto size = std::abs(value);
  if (size < largest_whole && value == std::trunc(value)) {
    if (std::signbit(value)) out += '-';
    const auto* end = std::to_chars(text.data(), text.data() + text.size(), static_cast<std::int64_t>(size)).ptr;
    out.append(std::string_view(text.data(), end)).append(".0");
    return;
  }
  const bool plain = size >= 1e-4 && size < largest_whole;
  const auto format = plain ? std::chars_format::fixed : std::chars_format::scientific;
  const auto* end = std::to_chars(text.data(), text.data() + text.size(), value, format).ptr;
  const std::string_view digits(text.data(), end);
  out += digits;
  if (plain && digits.find('.') == std::string_view::npos) out += ".0";
}
void append(const std::optional<double>& value, std::string& out) {
  value ? append(*value, out) : static_cast<void>(out += "null");
}
void append(Nanoseconds value, std::string& out) { append(value.count(), out); }
void append(const std::optional<Nanoseconds>& value, std::string& out) {
  value ? append(value->count(), out) : static_cast<void>(out += "null");
}
void append(Pass value, std::string& out) { out += value == Pass::traced ? "\"traced\"" : "\"untraced\""; }
void append(std::uint32_t value, std::string& out) { out += std::to_string(value); }
void append(const Marks& marks, std::string& out) {
  out += '[';
  bool first = true;
  for (const auto& [mark, name] : mark_names()) {
    if (!marks.has(mark)) continue;
    if (!first) out += ',';
    out += '"';
    out += name;
    out += '"';
    first = false;
  }
  out += ']';
}

template <class Value>
void append_column(const char* name, const std::vector<Sample>& samples, Value Sample::*field, std::string& out) {
  out += '"';
  out += name;
  out += "\": [";
  bool first = true;
  for (const auto& sample : samples) {
    if (!first) out += ',';
    append(sample.*field, out);
    first = false;
  }
  out += ']';
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

std::string samples_text(const std::vector<Sample>& samples, std::string_view before_each, std::string_view end) {
  // A member that is added to Sample and is no column here does not compile.
  [[maybe_unused]] const auto& [pass, kernel, busy, call, host, at, clock_mhz, copy, marks] = Sample{};
  std::string out = "{";
  out.reserve(samples.size() * 100 + 200);
  const auto add = [&](const char* name, auto field) {
    if (out.size() > 1) out += ',';
    out += before_each;
    append_column(name, samples, field, out);
  };
  add("pass", &Sample::pass);
  add("kernel_ns", &Sample::kernel);
  add("busy_ns", &Sample::busy);
  add("call_ns", &Sample::call);
  add("host_ns", &Sample::host);
  add("at_ns", &Sample::at);
  add("clock_mhz", &Sample::clock_mhz);
  add("copy", &Sample::copy);
  add("marks", &Sample::marks);
  out += end;
  return out + '}';
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
