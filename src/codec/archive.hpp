// The two directions in which fields are visited: into a JSON object, and out of one with every type checked.
#pragma once

#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/errors.hpp"
#include "core/result.hpp"

namespace warpclock::codec {

using Json = nlohmann::ordered_json;
using Pairs = std::vector<std::pair<std::string, std::string>>;

/// All values of an enumeration, so that its names can be read back.
template <class Enum>
inline constexpr std::array<Enum, 0> all_of{};
template <>
inline constexpr std::array all_of<Status>{Status::ok, Status::wrong, Status::failed, Status::skipped,
                                           Status::interrupted};
template <>
inline constexpr std::array all_of<StopReason>{StopReason::precision, StopReason::resolution, StopReason::samples,
                                               StopReason::max_time,  StopReason::plateau,    StopReason::interrupted};
template <>
inline constexpr std::array all_of<Headline>{Headline::kernel_time, Headline::call_time};
template <>
inline constexpr std::array all_of<Check::State>{Check::State::passed, Check::State::failed, Check::State::unchecked};
template <>
inline constexpr std::array all_of<Finding::Severity>{Finding::Severity::note, Finding::Severity::warning};
template <>
inline constexpr std::array all_of<Pass>{Pass::traced, Pass::untraced};

/// throws DataError: "<where> is <what it is>, should be <wanted>"
[[noreturn]] void refuse(const std::string& where, const Json& found, const std::string& wanted);

// One pair of functions a type: put() makes JSON of a value, take() reads it back or refuses.
inline Json put(double value) { return value; }
inline Json put(bool value) { return value; }
inline Json put(std::uint64_t value) { return value; }
inline Json put(std::uint32_t value) { return value; }
inline Json put(Nanoseconds value) { return value.count(); }
Json put(const std::string& value);
Json put(const Point& value);
Json put(const Pairs& value);
Json put(const std::vector<std::string>& value);
Json put(const std::map<std::string, std::string>& value);
Json put(const std::map<std::string, Nanoseconds>& value);
template <class Enum>
requires std::is_enum_v<Enum> Json put(Enum value) { return to_string(value); }
template <class Value>
Json put(const std::optional<Value>& value) {
  return value ? put(*value) : Json(nullptr);
}

void take(const Json& json, const std::string& where, double& value);  // null is NaN
void take(const Json& json, const std::string& where, bool& value);
void take(const Json& json, const std::string& where, std::uint64_t& value);
void take(const Json& json, const std::string& where, std::uint32_t& value);
void take(const Json& json, const std::string& where, Nanoseconds& value);
void take(const Json& json, const std::string& where, std::string& value);
void take(const Json& json, const std::string& where, Point& value);
void take(const Json& json, const std::string& where, Pairs& value);
void take(const Json& json, const std::string& where, std::vector<std::string>& value);
void take(const Json& json, const std::string& where, std::map<std::string, std::string>& value);
void take(const Json& json, const std::string& where, std::map<std::string, Nanoseconds>& value);
template <class Enum>
requires std::is_enum_v<Enum>
void take(const Json& json, const std::string& where, Enum& value) {
  for (const auto candidate : all_of<Enum>) {
    if (json.is_string() && json.get_ref<const std::string&>() == to_string(candidate)) {
      value = candidate;
      return;
    }
  }
  refuse(where, json, "one of its names");
}
template <class Value>
void take(const Json& json, const std::string& where, std::optional<Value>& value) {
  value.reset();
  if (!json.is_null()) take(json, where, value.emplace());
}

/// Writes fields into an object. A group is used up before its parent goes on.
class Writer {
 public:
  explicit Writer(Json& out) : out_(out) { out_ = Json::object(); }

  template <class Value>
  void field(const std::string& name, const Value& value) {
    out_[name] = put(value);
  }
  /// Text that is null where it is empty.
  void text_or_null(const std::string& name, const std::string& value) {
    out_[name] = value.empty() ? Json(nullptr) : put(value);
  }
  /// A field of a later layout than 1.0.0.
  template <class Value>
  void later(const std::string& name, const Value& value) {
    field(name, value);
  }
  [[nodiscard]] Writer group(const std::string& name) { return Writer(out_[name]); }
  /// `each(archive, value)` describes the value; null without one.
  template <class Value, class Each>
  void nullable(const std::string& name, const std::optional<Value>& value, Each each) {
    auto& slot = out_[name];
    if (!value) return;
    Writer inner(slot);
    each(inner, *value);
  }
  template <class Value, class Each>
  void list(const std::string& name, const std::vector<Value>& values, Each each) {
    auto& slot = out_[name] = Json::array();
    for (const auto& value : values) {
      Writer inner(slot.emplace_back());
      each(inner, value);
    }
  }
  [[nodiscard]] bool has(const std::string&) const { return true; }

 private:
  Json& out_;
};

/// Reads them back.
class Reader {
 public:
  /// throws DataError where `in` is no object
  Reader(const Json& in, std::string where);

  template <class Value>
  void field(const std::string& name, Value& value) {
    take(at(name), path(name), value);
  }
  void text_or_null(const std::string& name, std::string& value) {
    value.clear();
    if (!at(name).is_null()) take(at(name), path(name), value);
  }
  template <class Value>
  void later(const std::string& name, Value& value) {
    if (has(name)) field(name, value);
  }
  [[nodiscard]] Reader group(const std::string& name) { return {at(name), path(name)}; }
  template <class Value, class Each>
  void nullable(const std::string& name, std::optional<Value>& value, Each each) {
    value.reset();
    if (at(name).is_null()) return;
    Reader inner(at(name), path(name));
    each(inner, value.emplace());
  }
  template <class Value, class Each>
  void list(const std::string& name, std::vector<Value>& values, Each each) {
    values.clear();
    const auto& array = at(name);
    if (!array.is_array()) refuse(path(name), array, "an array");
    for (std::size_t i = 0; i < array.size(); ++i) {
      Reader inner(array[i], path(name) + "[" + std::to_string(i) + "]");
      each(inner, values.emplace_back());
    }
  }
  [[nodiscard]] bool has(const std::string& name) const { return in_.contains(name); }

 private:
  [[nodiscard]] const Json& at(const std::string& name) const;  // throws DataError where it is missing
  [[nodiscard]] std::string path(const std::string& name) const { return where_ + "." + name; }

  const Json& in_;
  std::string where_;
};

}  // namespace warpclock::codec
