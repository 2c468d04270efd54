// The name that was probably meant, for messages about an unknown one.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpclock {

/// Edits between two names: insert, delete, replace, or swap two neighbours; upper and lower case count as the same.
///   source  optimal string alignment distance (Boytsov, ACM JEA 2011);  cost O(length x length)
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

/// The nearest of `known`, the first of several that are equally near.
///   return  nothing where even the nearest differs in more than a third of its letters (at least one edit is allowed)
[[nodiscard]] std::optional<std::string> nearest(std::string_view name, const std::vector<std::string>& known);

/// "did you mean 'gemm'?", or "known: add, gemm" where no name is near (at most 12 of them).
[[nodiscard]] std::string did_you_mean(std::string_view name, const std::vector<std::string>& known);

}  // namespace warpclock
