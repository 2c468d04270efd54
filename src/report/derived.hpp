// Figures that follow from a result by one division or a look through its samples, so that every format prints the
// same.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "core/result.hpp"

namespace warpclock::report {

/// Median of the time that is shown first, in ns; nothing where it was not measured or is not a positive number.
[[nodiscard]] std::optional<double> headline_ns(const Result& result);

/// flops / headline time, in TFLOP/s; nothing without flops or time.
[[nodiscard]] std::optional<double> tflop_per_s(const Result& result);

/// Bytes read and written / headline time, in GB/s (1e9 bytes); nothing without bytes or time.
[[nodiscard]] std::optional<double> gb_per_s(const Result& result);

/// Headline time of one item in ns; nothing without time or items.
[[nodiscard]] std::optional<double> item_ns(const Result& result);

/// The benchmark's own figure of that name; null where this result has none.
[[nodiscard]] const Counter* counter_named(const Result& result, std::string_view name);
/// Its value, or what it makes a second; nothing without a time to divide by.
[[nodiscard]] std::optional<double> shown_value(const Result& result, const Counter& counter);
/// "blocks", or "rows/s".
[[nodiscard]] std::string counter_unit(const Counter& counter);

/// The SM clock while the call ran; nothing where it was not measured.
[[nodiscard]] std::optional<double> effective_clock_mhz(const Result& result);

/// Median of the clock that a probe read before the samples that have one, those with a bad stamp left out; nothing
/// without any. Not the clock during the call: a power limit works within less than a millisecond.
[[nodiscard]] std::optional<double> start_clock_mhz(const Result& result);

/// 'M' for a memory bound, 'C' for a compute bound, '?' for a name that is neither.
[[nodiscard]] char bound_letter(const Sol& sol);

}  // namespace warpclock::report
