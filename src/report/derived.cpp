#include "report/derived.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace warpclock::report {
namespace {

std::optional<double> rate(double amount, const std::optional<double>& nanoseconds, double unit_per_ns) {
  if (!nanoseconds || !std::isfinite(amount) || amount <= 0) return std::nullopt;
  return amount / *nanoseconds * unit_per_ns;
}

}  // namespace

std::optional<double> headline_ns(const Result& result) {
  const auto* summary = result.headline_summary();
  if (summary == nullptr || !std::isfinite(summary->median.value) || summary->median.value <= 0) return std::nullopt;
  return summary->median.value;
}

std::optional<double> tflop_per_s(const Result& result) { return rate(result.work.flops, headline_ns(result), 1e-3); }

// One byte a nanosecond is one GB/s.
std::optional<double> gb_per_s(const Result& result) { return rate(result.work.bytes(), headline_ns(result), 1); }

std::optional<double> item_ns(const Result& result) {
  const auto time = headline_ns(result);
  return time && result.work.items > 0 ? std::optional(*time / result.work.items) : std::nullopt;
}

const Counter* counter_named(const Result& result, std::string_view name) {
  for (const auto& counter : result.work.counters) {
    if (counter.name == name) return &counter;
  }
  return nullptr;
}

std::optional<double> shown_value(const Result& result, const Counter& counter) {
  return counter.per_second ? rate(counter.value, headline_ns(result), 1e9) : std::optional(counter.value);
}

std::string counter_unit(const Counter& counter) {
  if (!counter.per_second) return counter.unit;
  return (counter.unit.empty() ? counter.name : counter.unit) + "/s";
}

std::optional<double> effective_clock_mhz(const Result& result) {
  const auto& clock = result.effective_clock.mhz;
  return clock && std::isfinite(clock->value) ? std::optional(clock->value) : std::nullopt;
}

std::optional<double> start_clock_mhz(const Result& result) {
  std::vector<double> clocks;
  for (const auto& sample : result.samples) {
    if (sample.clock_mhz && std::isfinite(*sample.clock_mhz) && !sample.marks.has(Mark::bad_stamp)) {
      clocks.push_back(*sample.clock_mhz);
    }
  }
  if (clocks.empty()) return std::nullopt;
  const auto middle = clocks.size() / 2;
  std::nth_element(clocks.begin(), clocks.begin() + static_cast<std::ptrdiff_t>(middle), clocks.end());
  const double upper = clocks[middle];
  if (clocks.size() % 2 == 1) return upper;
  return (upper + *std::max_element(clocks.begin(), clocks.begin() + static_cast<std::ptrdiff_t>(middle))) / 2;
}

char bound_letter(const Sol& sol) { return sol.bound == "memory" ? 'M' : sol.bound == "compute" ? 'C' : '?'; }

}  // namespace warpclock::report
