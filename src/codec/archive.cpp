#include "codec/archive.hpp"

#include <limits>

#include "core/utf8.hpp"

namespace warpclock::codec {

void refuse(const std::string& where, const Json& found, const std::string& wanted) {
  constexpr std::size_t longest = 40;
  auto shown = found.is_structured() ? std::string("an ") + found.type_name()
                                     : found.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (shown.size() > longest) shown = valid_utf8(shown.substr(0, longest)) + "...";
  throw DataError(where + " is " + shown + ", should be " + wanted);
}

Json put(const std::string& value) { return valid_utf8(value); }

Json put(const Point& value) {
  Json out = Json::object();
  for (const auto& [name, entry] : value.values) {
    const auto* whole = std::get_if<std::int64_t>(&entry);
    out[valid_utf8(name)] = whole != nullptr ? Json(*whole) : put(std::get<std::string>(entry));
  }
  return out;
}

Json put(const Pairs& value) {
  Json out = Json::object();
  for (const auto& [key, entry] : value) out[valid_utf8(key)] = put(entry);
  return out;
}

Json put(const std::vector<std::string>& value) {
  Json out = Json::array();
  for (const auto& entry : value) out.push_back(put(entry));
  return out;
}

Json put(const std::map<std::string, std::string>& value) {
  Json out = Json::object();
  for (const auto& [key, entry] : value) out[valid_utf8(key)] = put(entry);
  return out;
}

Json put(const std::map<std::string, Nanoseconds>& value) {
  Json out = Json::object();
  for (const auto& [key, entry] : value) out[valid_utf8(key)] = put(entry);
  return out;
}

void take(const Json& json, const std::string& where, double& value) {
  if (json.is_null()) {
    value = std::numeric_limits<double>::quiet_NaN();
  } else if (json.is_number()) {
    value = json.get<double>();
  } else {
    refuse(where, json, "a number");
  }
}

void take(const Json& json, const std::string& where, bool& value) {
  if (!json.is_boolean()) refuse(where, json, "true or false");
  value = json.get<bool>();
}

void take(const Json& json, const std::string& where, std::uint64_t& value) {
  if (!json.is_number_unsigned() && !(json.is_number_integer() && json.get<std::int64_t>() >= 0)) {
    refuse(where, json, "a whole number from 0");
  }
  value = json.get<std::uint64_t>();
}

void take(const Json& json, const std::string& where, std::uint32_t& value) {
  std::uint64_t wide = 0;
  take(json, where, wide);
  if (wide > std::numeric_limits<std::uint32_t>::max()) refuse(where, json, "a whole number below 2^32");
  value = static_cast<std::uint32_t>(wide);
}

void take(const Json& json, const std::string& where, Nanoseconds& value) {
  double count = 0;
  take(json, where, count);
  value = Nanoseconds{count};
}

void take(const Json& json, const std::string& where, std::string& value) {
  if (!json.is_string()) refuse(where, json, "text");
  value = json.get<std::string>();
}

void take(const Json& json, const std::string& where, Point& value) {
  if (!json.is_object()) refuse(where, json, "an object");
  value.values.clear();
  for (const auto& [name, entry] : json.items()) {
    const bool too_large =
        entry.is_number_unsigned() &&
        entry.get<std::uint64_t>() > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    if (entry.is_number_integer() && !too_large) {
      value.values.emplace_back(name, entry.get<std::int64_t>());
    } else if (entry.is_string()) {
      value.values.emplace_back(name, entry.get<std::string>());
    } else {
      refuse(where + "." + name, entry, "a whole number or text");
    }
  }
}

void take(const Json& json, const std::string& where, Pairs& value) {
  if (!json.is_object()) refuse(where, json, "an object");
  value.clear();
  for (const auto& [key, entry] : json.items()) take(entry, where + "." + key, value.emplace_back(key, "").second);
}

void take(const Json& json, const std::string& where, std::vector<std::string>& value) {
  if (!json.is_array()) refuse(where, json, "an array");
  value.clear();
  for (const auto& entry : json) take(entry, where, value.emplace_back());
}

void take(const Json& json, const std::string& where, std::map<std::string, std::string>& value) {
  if (!json.is_object()) refuse(where, json, "an object");
  value.clear();
  for (const auto& [key, entry] : json.items()) take(entry, where + "." + key, value[key]);
}

void take(const Json& json, const std::string& where, std::map<std::string, Nanoseconds>& value) {
  if (!json.is_object()) refuse(where, json, "an object");
  value.clear();
  for (const auto& [key, entry] : json.items()) take(entry, where + "." + key, value[key]);
}

Reader::Reader(const Json& in, std::string where) : in_(in), where_(std::move(where)) {
  if (!in_.is_object()) refuse(where_, in_, "an object");
}

const Json& Reader::at(const std::string& name) const {
  const auto found = in_.find(name);
  if (found == in_.end()) throw DataError(path(name) + " is missing");
  return *found;
}

}  // namespace warpclock::codec
