// Results and environments as JSON and back: for files, for the database, and for messages between processes.
// docs/result.schema.json describes every field. One description of the fields serves both directions
// (codec/fields.hpp), and a member that is added to a struct and not described there does not compile.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "core/result.hpp"

namespace warpclock::codec {

using Json = nlohmann::ordered_json;

/// Of the layout: the first number changes when a reader of the old one would go wrong, the second when fields are
/// added.
inline constexpr std::string_view schema_version = "1.1.0";

/// Every field of `result` but its samples. A number that is not finite stays one in the tree and becomes null when it
/// is printed; bytes that are no UTF-8 become U+FFFD.
[[nodiscard]] Json to_json(const Result& result);
/// The samples as the text of an object of columns, in run order: entry i of each column is sample i. `before_each`
/// stands in front of each column and `end` behind the last: line breaks and blanks, or nothing.
[[nodiscard]] std::string samples_text(const std::vector<Sample>& samples, std::string_view before_each = "",
                                       std::string_view end = "");
[[nodiscard]] Json to_json(const Environment& environment);
/// An object with the value of each axis.
[[nodiscard]] Json to_json(const Point& point);

/// The inverses. null in the place of a number gives NaN, of an optional one nothing; so a result that is finite and
/// valid UTF-8 comes back as it was, and any other one prints the same JSON again. Fields that are not known (figures
/// derived for readers, fields of a later version) are passed over.
///   throws DataError naming the field that is missing or holds something else
[[nodiscard]] Result result_from_json(const Json& json);  // "samples" may be missing: none then
[[nodiscard]] std::vector<Sample> samples_from_json(const Json& json);
[[nodiscard]] Environment environment_from_json(const Json& json);

/// One line of strict JSON with the samples, and back.  throws DataError for anything else
[[nodiscard]] std::string encode(const Result& result);
[[nodiscard]] Result decode(std::string_view text);

/// `text` as a tree.  throws DataError: "<what> is no JSON: ...", for example with `what` "a result"
[[nodiscard]] Json parse(std::string_view text, std::string_view what);

}  // namespace warpclock::codec
