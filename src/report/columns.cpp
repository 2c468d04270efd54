#include "report/columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <utility>

#include "report/derived.hpp"
#include "report/numbers.hpp"
#include "report/utf8.hpp"

namespace warpclock::report {
namespace {

using Results = std::vector<const Result*>;
using Numbers = std::vector<std::optional<double>>;

template <class Pick>
Numbers numbers(const Results& results, const Pick& pick) {
  Numbers out;
  for (const auto* result : results) out.push_back(pick(*result));
  return out;
}

template <class Text>
std::vector<std::string> texts(const Results& results, const Text& text) {
  std::vector<std::string> out;
  for (const auto* result : results) out.push_back(text(*result));
  return out;
}

Column column(std::string name, std::string unit, std::vector<std::string> cells, bool left = false) {
  return {Column::Kind::figure, std::move(name), std::move(unit), left, std::move(cells)};
}

std::optional<double> median(const std::optional<Summary>& summary) {
  return summary ? std::optional(summary->median.value) : std::nullopt;
}

/// The times of the device stand in the unit of the headline, so that they compare at a glance.
TimeUnit device_unit(const Results& results) { return common_unit(numbers(results, headline_ns)); }

Column time_column(std::string name, Numbers nanoseconds, TimeUnit unit, const std::string& remark = "",
                   int digits = 4) {
  for (auto& value : nanoseconds) {
    if (value) *value /= unit.nanoseconds;
  }
  return column(std::move(name), std::string(unit.name) + remark, aligned(nanoseconds, digits));
}

void add_axes(const Results& results, const std::vector<std::size_t>& axes, std::vector<Column>& out) {
  for (const auto axis : axes) {
    const auto& [name, first] = results.front()->point.values[axis];
    auto cells = texts(results, [axis](const Result& r) { return one_line(to_string(r.point.values[axis].second)); });
    out.push_back(
        {Column::Kind::axis, one_line(name), "", std::holds_alternative<std::string>(first), std::move(cells)});
  }
}

std::optional<double> headline(const Result& r) {
  const auto* summary = r.headline_summary();
  return summary == nullptr ? std::nullopt : std::optional(summary->median.value);
}

std::string half_width(const Result& r) {
  const auto* summary = r.headline_summary();
  if (summary == nullptr) return "";
  const double half = summary->median.relative_half_width() * 100;
  if (half > 0 && half < 0.005) return "<0.01";
  return half < 10 ? fmt::format("{:.2f}", half) : significant(half, 3);
}

/// The headline says which time it is; where rows differ, a column of its own says so.
void add_headline(const Results& results, std::vector<Column>& out) {
  const auto is_kernel = [](const Result* r) { return r->headline == Headline::kernel_time; };
  const bool all = std::all_of(results.begin(), results.end(), is_kernel);
  const bool none = std::none_of(results.begin(), results.end(), is_kernel);
  const auto* name = all ? "kernel" : none ? "call" : "time";
  auto time = time_column(name, numbers(results, headline), device_unit(results), none ? " raw" : "");
  time.kind = Column::Kind::headline;
  out.push_back(std::move(time));
  out.push_back(column("±", "%", texts(results, half_width)));
  if (all || none) return;
  const auto which = [](const Result& r) -> std::string {
    if (r.headline_summary() == nullptr) return "";
    return r.headline == Headline::kernel_time ? "kernel" : "call";
  };
  out.push_back(column("of", "", texts(results, which), true));
}

/// Never a bare median of two modes: their centres stand beside it.
void add_modes(const Results& results, std::vector<Column>& out) {
  const auto unit = device_unit(results);
  auto cells = texts(results, [&](const Result& r) {
    std::string cell;
    const auto* summary = r.headline_summary();
    if (summary == nullptr || summary->modes.size() < 2) return cell;
    for (const auto& mode : summary->modes) {
      cell += fmt::format("{}{}", cell.empty() ? "" : "/", significant(mode.center / unit.nanoseconds, 4));
    }
    return cell;
  });
  out.push_back(column("modes", std::string(unit.name), std::move(cells), true));
}

/// A time is not repeated in a column of its own in the rows where it is the headline.
void add_other_times(const Results& results, std::vector<Column>& out) {
  const auto beside = [&](Headline shown, std::optional<Summary> Result::*field) {
    return numbers(results, [=](const Result& r) { return r.headline == shown ? std::nullopt : median(r.*field); });
  };
  const auto marginal = [](const Result& r) {
    return r.marginal_time_ns ? std::optional(r.marginal_time_ns->value) : std::nullopt;
  };
  const auto host = numbers(results, [](const Result& r) { return median(r.host_time_ns); });
  const auto unit = device_unit(results);
  out.push_back(time_column("kernels", beside(Headline::kernel_time, &Result::kernel_time_ns), unit, " sum"));
  out.push_back(time_column("busy", beside(Headline::kernel_time, &Result::busy_ns), unit));
  out.push_back(time_column("call", beside(Headline::call_time, &Result::call_time_ns), unit, " raw"));
  out.push_back(time_column("marginal", numbers(results, marginal), unit));
  out.push_back(time_column("host", host, common_unit(host), "", 3));
}

void add_rates(const Results& results, std::vector<Column>& out) {
  const auto sol = [](const Result& r) -> std::string {
    if (!r.sol) return "";
    const double percent = r.sol->percent;
    if (!std::isfinite(percent)) return "-";
    const auto figure = percent < 1e4 ? fmt::format("{:.1f}", percent) : significant(percent, 3);
    return fmt::format("{} {}", figure, bound_letter(*r.sol));
  };
  out.push_back(column("compute", "TFLOP/s", aligned(numbers(results, tflop_per_s), 3)));
  out.push_back(column("memory", "GB/s", aligned(numbers(results, gb_per_s), 3)));
  out.push_back(
      column("SOL", "%  ", texts(results, sol)));  // blanks: over the figure, not over the letter of the bound
}

/// What the chip did. A clock with ~ is the one before the samples, where none was measured during the call.
void add_chip(const Results& results, std::vector<Column>& out) {
  const auto at_clock = [](const Result& r) -> std::string {
    if (!r.sol || !r.sol->percent_at_clock || !effective_clock_mhz(r)) return "";
    return std::isfinite(*r.sol->percent_at_clock) ? fmt::format("{:.1f}", *r.sol->percent_at_clock) : "-";
  };
  const auto clock = [](const Result& r) -> std::string {
    if (const auto mhz = effective_clock_mhz(r)) return fmt::format("{:.0f}", *mhz);
    const auto before = start_clock_mhz(r);
    return before ? fmt::format("~{:.0f}", *before) : "";
  };
  const auto ratio = [](const Result& r) -> std::string {
    if (!r.over_burst) return "";
    return std::isfinite(*r.over_burst) ? fmt::format("{:.3f}", *r.over_burst) : "-";
  };
  const auto energy = [](const Result& r) {
    return r.energy ? std::optional(r.energy->joules_per_call * 1e3) : std::nullopt;
  };
  out.push_back(column("at clock", "%", texts(results, at_clock)));
  out.push_back(column("clock", "MHz", texts(results, clock)));
  out.push_back(column("/burst", "", texts(results, ratio)));
  out.push_back(column("energy", "mJ", aligned(numbers(results, energy), 3)));
}

/// Time of one item, and the benchmark's own figures; those of one name share a column.
void add_own_figures(const Results& results, std::vector<Column>& out) {
  const auto per_item = numbers(results, item_ns);
  std::string item;
  std::vector<std::string> names;
  for (const auto* result : results) {
    if (item.empty()) item = result->work.item;
    for (const auto& counter : result->work.counters) {
      if (std::find(names.begin(), names.end(), counter.name) == names.end()) names.push_back(counter.name);
    }
  }
  out.push_back(time_column("per " + one_line(item), per_item, common_unit(per_item)));
  for (const auto& name : names) {
    std::string unit;
    const auto value = [&](const Result& r) -> std::optional<double> {
      const auto* counter = counter_named(r, name);
      if (counter == nullptr) return std::nullopt;
      unit = counter_unit(*counter);
      return shown_value(r, *counter);
    };
    auto cells = aligned(numbers(results, value), 4);
    out.push_back(column(one_line(name), one_line(unit), std::move(cells)));
  }
}

void add_sampling(const Results& results, std::vector<Column>& out) {
  const auto samples = [](const Result& r) -> std::string {
    const auto* summary = r.headline_summary();
    if (summary == nullptr) return "";
    const double effective = summary->median.effective_samples;
    return fmt::format("{}/{}", std::isfinite(effective) ? fmt::format("{:.0f}", effective) : "-",
                       summary->median.samples);
  };
  const auto stop = [](const Result& r) { return r.headline_summary() == nullptr ? "" : to_string(r.stop_reason); };
  out.push_back(column("n eff", "of n", texts(results, samples)));
  out.push_back(column("stop", "", texts(results, stop), true));
}

bool is_empty(const Column& c) {
  return std::all_of(c.cells.begin(), c.cells.end(), [](const auto& cell) { return cell.empty(); });
}

}  // namespace

std::vector<Column> columns(const std::vector<const Result*>& results, const std::vector<std::size_t>& axes,
                            std::vector<std::string> status) {
  std::vector<Column> out;
  if (results.empty()) return out;
  add_axes(results, axes, out);
  add_headline(results, out);
  add_modes(results, out);
  add_other_times(results, out);
  add_rates(results, out);
  add_chip(results, out);
  add_own_figures(results, out);
  add_sampling(results, out);
  std::erase_if(out, [](const Column& c) { return c.kind != Column::Kind::axis && is_empty(c); });
  out.push_back({Column::Kind::status, "status", "", true, std::move(status)});
  return out;
}

}  // namespace warpclock::report
