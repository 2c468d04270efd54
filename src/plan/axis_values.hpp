// The words behind --axis, and the values they stand for.
//
//   M=1,2,16          these
//   n=1..9            every whole number from 1 to 9
//   n=1..9:2          1, 3, 5, 7, 9
//   n=2^10..2^27      powers of two, doubling; with :2 every second one
//   n=4Ki,1Mi,2Gi     1024, 1024^2, 1024^3 times the number
//   M=1,2,16..32:8    any of these, separated by commas, in the order given
//   dtype=bf16,fp32   text, for an axis that takes one of several words
//
// A value that occurs twice is measured once, where it stands first: lists and ranges may overlap.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/axis.hpp"

namespace warpclock {

/// A wider axis than this is a slip of the keyboard (1Ki..1Gi instead of 2^10..2^30).
inline constexpr std::size_t most_values_on_an_axis = 1'000'000;

/// One --axis option, split but not read: whether the values are numbers depends on the kernel that has the axis.
struct AxisOverride {
  std::string name;    // "M"
  std::string values;  // "1,2,16"
};

/// Splits "M=1,2,16".  throws UsageError without a name, an equals sign or values
[[nodiscard]] AxisOverride split_axis(std::string_view word);

/// The numbers that a list stands for, without checking them against an axis.
///   once    a value that occurs twice is kept once
///   throws  UsageError for a malformed or empty piece, a descending range, a step of 0, a number beyond 63 bits,
///           more than `most_values_on_an_axis` values; it names axis and piece and shows an example
[[nodiscard]] std::vector<std::int64_t> axis_integers(const AxisOverride& axis, bool once = true);

/// The words of a list.  throws UsageError for an empty one
[[nodiscard]] std::vector<std::string> axis_words(const AxisOverride& axis, bool once = true);

/// The values of `axis` as `spec` takes them: each within its range or among its choices. Zipped axes
/// keep a value that occurs twice, since it belongs to two tuples.
///   throws  UsageError as above, and for a value that the axis does not take
[[nodiscard]] std::vector<AxisValue> axis_values(const AxisOverride& axis, const AxisSpec& spec);

}  // namespace warpclock
