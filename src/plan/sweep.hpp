// Which points are measured, and in which order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/axis.hpp"
#include "core/point.hpp"
#include "plan/axis_values.hpp"
#include "plan/protocol.hpp"

namespace warpclock {

/// A larger plan is a mistake: at 0.1 s a point it takes more than a day.
inline constexpr std::size_t most_points = 1'000'000;

/// What a sweep needs to know of a benchmark.
struct SweepBenchmark {
  std::string name;
  std::vector<AxisSpec> axes;
  std::function<bool(const Point&)> wanted = {};  // unset: all points are
};

/// One point to measure, in one regime and at one clock.
struct SweepItem {
  std::string benchmark;
  Point point;
  Regime regime = Regime::burst;              // never both
  std::optional<double> lock_clock_mhz = {};  // SM clock to lock for this item; empty: as the whole run has it

  bool operator==(const SweepItem&) const = default;
};

struct SweepRequest {
  std::vector<AxisOverride> axes;  // --axis, in the order given
  std::string filter;              // --filter: a regular expression (ECMAScript) that is found in the label; empty: all
  Order order = Order::given;
  std::uint64_t seed = 1;
  Regime regime = Regime::burst;        // both: every point once in each
  std::vector<double> clocks_mhz = {};  // --clocks: every point once at each of these locked SM clocks; empty: no lock
};

/// "gemm M=2 N=19456"; the name alone for a benchmark without axes.
[[nodiscard]] std::string label(const SweepItem& item);
/// The label, and after it what else tells two items of one sweep apart: "gemm M=2 N=19456, sustained, 1500 MHz".
[[nodiscard]] std::string full_label(const SweepItem& item);

/// Cartesian product of the axes in their declared order, the last one fastest. An axis that no override names takes
/// its defaults; an override that names none of the axes is left alone (another benchmark may have it). Zipped axes
/// are one factor of the product: their first values are the first tuple.
///   return  one point without values for a benchmark without axes
///   throws  UsageError for values that an axis does not take, an axis that is overridden twice, zipped
///           axes with different numbers of values, more than `most_points`
[[nodiscard]] std::vector<Point> points(const std::vector<AxisSpec>& axes, const std::vector<AxisOverride>& overrides);

/// All points of all benchmarks. An --axis applies to the benchmarks that have it. Where both regimes are asked for,
/// all bursts come first: they would wait for the chip to cool after every sustained one. Clocks are the outermost
/// loop, and a random order shuffles within each clock alone.
///   throws  UsageError as above, for an axis that no benchmark has (with the nearest name), a filter that is not a
///           regular expression or that no label matches, a benchmark that wants none of its points
[[nodiscard]] std::vector<SweepItem> sweep(const std::vector<SweepBenchmark>& benchmarks, const SweepRequest& request);

/// Shuffles over the whole plan, so that a drift of the device does not fall on one benchmark.
/// The order is the same with every compiler and library, which std::shuffle does not promise:
/// for i = n-1, ..., 1 swap items i and j, with j = r mod (i+1) for the next output r of std::mt19937_64(seed)
/// that lies below the largest multiple of i+1 that fits 64 bits (others are passed over, so no j is favoured).
///   source  Fisher-Yates; Knuth, TAOCP 2, 3rd ed., 3.4.2, algorithm P
void shuffle(std::vector<SweepItem>& items, std::uint64_t seed);

}  // namespace warpclock
