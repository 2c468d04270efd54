#include "codec/result_json.hpp"

#include "codec/archive.hpp"
#include "codec/fields.hpp"

namespace warpclock::codec {

Json to_json(const Result& result) {
  Json out;
  Writer writer(out);
  describe(writer, result);
  return out;
}

Json to_json(const Environment& environment) {
  Json out;
  Writer writer(out);
  describe(writer, environment);
  return out;
}

Json to_json(const Point& point) { return put(point); }

Result result_from_json(const Json& json) {
  Result out;
  Reader reader(json, "result");
  describe(reader, out);
  if (const auto samples = json.find("samples"); samples != json.end()) out.samples = samples_from_json(*samples);
  return out;
}

Environment environment_from_json(const Json& json) {
  Environment out;
  Reader reader(json, "environment");
  describe(reader, out);
  return out;
}

Json parse(std::string_view text, std::string_view what) {
  try {
    return Json::parse(text);
  } catch (const Json::exception& error) {
    // nlohmann's message has its own id in front and may quote what it read.
    std::string why = error.what();
    if (const auto id = why.find("] "); id != std::string::npos) why.erase(0, id + 2);
    throw DataError(std::string(what) + " is no JSON: " + why.substr(0, why.find('\n')));
  }
}

std::string encode(const Result& result) {
  auto out = to_json(result).dump();
  out.pop_back();  // the bracket behind the last field
  return out + ",\"samples\":" + samples_text(result.samples) + "}";
}

Result decode(std::string_view text) { return result_from_json(parse(text, "a result")); }

}  // namespace warpclock::codec
