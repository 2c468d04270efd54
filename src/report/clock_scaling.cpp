#include "report/clock_scaling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "report/numbers.hpp"
#include "report/utf8.hpp"

namespace warpclock::report {
namespace {

constexpr double bar_width = 40;

using Cells = std::vector<std::string>;

/// Right-aligned under its name and unit.
Cells column(const std::string& name, const std::string& unit, const Cells& values) {
  Cells lines{name, unit};
  for (const auto& value : values) lines.push_back(value.empty() ? "-" : value);
  std::size_t widest = 0;
  for (const auto& line : lines) widest = std::max(widest, width(line));
  for (auto& line : lines) line.insert(0, widest - width(line), ' ');
  return lines;
}

std::string model_text(const ClockScaling& s) {
  return fmt::format(
      "{:.0f} % ({:.0f} to {:.0f} %) of the time at {:.0f} MHz scales with the clock: time = {} + {:.0f} cycles / "
      "clock",
      100 * s.share.value, 100 * s.share.low, 100 * s.share.high, s.top_mhz, duration(Nanoseconds{s.fixed_ns}),
      s.cycles);
}

std::string verdict_text(const ClockScaling& s) {
  using Verdict = ClockScaling::Verdict;
  switch (s.verdict) {
    case Verdict::fits:
      return fmt::format("{}, within {} of every time", model_text(s), percent(s.misfit));
    case Verdict::untested:
      return model_text(s) + "; two clocks cannot show whether that holds, a third would";
    case Verdict::rises:
      return "the time is longer at a higher clock: no part of it is said to scale";
    case Verdict::misfits:
      return fmt::format(
          "time = a + b / clock does not describe these times (off by up to {}): no part is said to scale",
          percent(s.misfit));
    case Verdict::unknown:
      break;
  }
  return "the measured clocks do not differ: nothing can be said";
}

std::string bar(double value, double largest) {
  if (!(largest > 0) || !(value > 0)) return "";
  return std::string(static_cast<std::size_t>(std::lround(bar_width * value / largest)), '#');
}

std::vector<Cells> columns_of(const ClockScaling& s) {
  std::vector<std::optional<double>> times;
  for (const auto& p : s.points) times.emplace_back(p.time_ns.value);
  const auto unit = common_unit(times);
  for (auto& time : times) *time /= unit.nanoseconds;
  Cells asked, measured, spread, cycles;
  for (const auto& p : s.points) {
    asked.push_back(fmt::format("{:.0f}", p.locked_mhz));
    measured.push_back(p.measured_mhz ? fmt::format("{:.0f}", *p.measured_mhz) : "");
    spread.push_back(percent(p.time_ns.relative_half_width()));
    cycles.push_back(p.cycles ? fmt::format("{:.0f}", *p.cycles) : "");
  }
  return {column("asked", "MHz", asked), column("measured", "MHz", measured),
          column("time", std::string(unit.name), aligned(times, 4)), column("±", "", spread),
          column("cycles", "", cycles)};
}

std::string table(const ClockScaling& s) {
  double largest = 0;
  for (const auto& p : s.points) largest = std::max(largest, p.time_ns.value);
  const auto columns = columns_of(s);
  std::string out;
  for (std::size_t line = 0; line < s.points.size() + 2; ++line) {
    std::string text = "  ";
    for (const auto& cells : columns) text += "  " + cells[line];
    if (line >= 2) text += "  |" + bar(s.points[line - 2].time_ns.value, largest);
    while (text.ends_with(' ')) text.pop_back();
    out += text + '\n';
  }
  return out;
}

}  // namespace

std::string clock_scaling_text(std::span<const ClockScaling> scalings) {
  if (scalings.empty()) return "";
  std::string out = "\nlatency over clock\n";
  for (const auto& s : scalings) {
    const auto axes = to_string(s.point);
    const auto name = s.benchmark + (axes.empty() ? "" : " ") + axes;
    out += "  " + one_line(fmt::format("{}, {}, {}", name, s.regime, s.time)) + '\n';
    out += table(s);
    out += "    " + verdict_text(s) + '\n';
  }
  return out;
}

}  // namespace warpclock::report
