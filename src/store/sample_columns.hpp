// Samples as the database holds them: one array a column, as numpy.frombuffer reads it.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/sample.hpp"

namespace warpclock::store {

inline constexpr int sample_format = 1;

/// In this order.
inline constexpr std::array<std::string_view, 9> sample_columns{"pass",  "kernel_ns", "busy_ns", "call_ns", "host_ns",
                                                                "at_ns", "clock_mhz", "copy",    "marks"};

/// Entry i of each column belongs to sample i. Empty: absent in all samples (an optional figure), or there are none.
using SampleColumns = std::array<std::vector<std::byte>, sample_columns.size()>;
using SampleViews = std::array<std::span<const std::byte>, sample_columns.size()>;

[[nodiscard]] SampleColumns pack(std::span<const Sample> samples);

/// The inverse; an optional NaN comes back as absent.
///   throws DataError where a column has not `count` entries, or holds what none of them can be
[[nodiscard]] std::vector<Sample> unpack(const SampleViews& columns, std::size_t count);

}  // namespace warpclock::store
