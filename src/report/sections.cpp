#include "report/sections.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include "report/derived.hpp"
#include "report/numbers.hpp"
#include "report/utf8.hpp"

namespace warpclock::report {
namespace {

using Results = std::vector<const Result*>;

void append(std::string& list, const std::string& item) { list += (list.empty() ? "" : ", ") + item; }

/// State in which the samples were taken; empty for a result that was never measured.
std::string state_line(const Conditions& c) {
  if (c.cache.empty() && c.cover.empty()) return "";
  std::string out;
  if (!c.cache.empty())
    append(out, "cache " + c.cache + (c.flush_bytes != 0 ? " (flush " + size(c.flush_bytes) + ")" : ""));
  if (!c.cover.empty()) append(out, "cover " + c.cover);
  if (!c.regime.empty()) append(out, c.regime);
  if (c.locked_clock_mhz) append(out, fmt::format("SM clock locked to {:.0f} MHz", *c.locked_clock_mhz));
  if (c.locked_memory_clock_mhz) append(out, fmt::format("memory to {:.0f} MHz", *c.locked_memory_clock_mhz));
  if (c.batch != 1) append(out, fmt::format("batch of {}", c.batch));
  if (!c.data.empty()) append(out, c.data + " data");
  return one_line(out);
}

std::string timer_text(const std::string& name, Nanoseconds step) {
  return step.count() > 0 ? name + " (step " + duration(step) + ")" : name;
}

/// What the figures of a section stand on: intervals, timers, offset, reference clock.
std::string measuring_line(const Results& results) {
  std::string out;
  double level = 1;
  bool any = false;
  for (const auto* result : results) {
    if (const auto* summary = result->headline_summary()) {
      level = std::min(level, summary->median.level);
      any = true;
    }
  }
  if (any) append(out, fmt::format("± half of the interval (level >= {:.1f} %)", level * 100));
  const auto first =
      std::find_if(results.begin(), results.end(), [](const auto* r) { return r->headline_summary() != nullptr; });
  if (first == results.end()) return out;
  const auto& c = (*first)->conditions;
  if (!c.kernel_timer.empty()) append(out, "kernel time: " + timer_text(c.kernel_timer, c.kernel_timer_step));
  if (!c.call_timer.empty()) append(out, "call time: " + timer_text(c.call_timer, c.call_timer_step));
  return one_line(out);
}

/// Which clock the column shows.
std::string clock_text(const Results& results) {
  const auto measured = std::ranges::find_if(results, [](const auto* r) { return r->effective_clock.mhz.has_value(); });
  if (measured != results.end()) return "clock during the call, by " + (*measured)->effective_clock.source;
  return std::ranges::any_of(results, [](const auto* r) { return start_clock_mhz(*r).has_value(); })
             ? "~ clock before the samples, by probe"
             : "";
}

std::string reference_line(const Results& results) {
  std::string out;
  std::vector<std::string> peaks;
  std::optional<double> offset, clock;
  for (const auto* result : results) {
    if (!offset) offset = result->call_offset_ns;
    if (!clock) clock = result->conditions.reference_clock_mhz;
    if (!result->sol) continue;
    auto peak = fmt::format("{} = {} {} ({})", bound_letter(*result->sol), significant(result->sol->peak, 4),
                            result->sol->unit, result->sol->source);
    if (std::find(peaks.begin(), peaks.end(), peak) == peaks.end()) peaks.push_back(std::move(peak));
  }
  if (offset) append(out, "raw call time holds an offset of " + duration(Nanoseconds{*offset}));
  if (const auto which = clock_text(results); !which.empty()) append(out, which);
  if (clock) append(out, fmt::format("recovered clock {:.0f} MHz", *clock));
  for (const auto& peak : peaks) append(out, "SOL " + peak);
  return one_line(out);
}

std::string without_figures(std::string_view message) {
  std::string out;
  for (const char c : message) {
    const bool figure = (c >= '0' && c <= '9') || c == '.';
    if (!figure) out += c;
    if (figure && !out.ends_with('#')) out += '#';
  }
  return out;
}

/// Puts the notes of all rows together; returns the numbers of each row's notes.
std::vector<std::vector<std::size_t>> add_notes(const Results& results, Section& section) {
  std::map<std::pair<std::string, std::string>, std::size_t> known;
  std::vector<std::vector<std::size_t>> out(results.size());
  for (std::size_t row = 0; row < results.size(); ++row) {
    for (const auto& finding : results[row]->findings) {
      const auto [place, is_new] =
          known.try_emplace({finding.id, without_figures(finding.message)}, section.notes.size());
      if (is_new) {
        section.notes.push_back(
            {one_line(finding.id), finding.severity, one_line(finding.message), one_line(finding.remedy), {}});
      }
      auto& numbers = out[row];
      if (std::find(numbers.begin(), numbers.end(), place->second + 1) != numbers.end()) continue;
      numbers.push_back(place->second + 1);
      section.notes[place->second].points.push_back(section.rows[row].point);
    }
  }
  return out;
}

/// Places of the axes that vary over the results; all of them where none does.
std::vector<std::size_t> varying_axes(const Results& results) {
  const auto& first = results.front()->point.values;
  std::vector<std::size_t> out, all(first.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  std::copy_if(all.begin(), all.end(), std::back_inserter(out), [&](std::size_t axis) {
    return std::any_of(results.begin(), results.end(),
                       [&](const Result* r) { return r->point.values[axis] != first[axis]; });
  });
  return out.empty() ? all : out;
}

/// The part of a point on some of its axes, or on the others.
std::string point_on(const Point& point, const std::vector<std::size_t>& axes, bool others = false) {
  Point part;
  for (std::size_t axis = 0; axis < point.values.size(); ++axis) {
    const bool among = std::find(axes.begin(), axes.end(), axis) != axes.end();
    if (among != others) part.values.push_back(point.values[axis]);
  }
  return one_line(to_string(part));
}

Section section_of(const Results& results) {
  Section out;
  const auto axes = varying_axes(results);
  out.fixed = point_on(results.front()->point, axes, true);
  out.benchmark = one_line(results.front()->benchmark);
  std::string state;
  for (const auto* result : results) {
    if (state.empty()) state = state_line(result->conditions);
    const auto& findings = result->findings;
    out.rows.push_back({result->status, point_on(result->point, axes), one_line(result->error),
                        result->headline_summary() != nullptr,
                        std::any_of(findings.begin(), findings.end(),
                                    [](const auto& f) { return f.severity == Finding::Severity::warning; })});
  }
  for (auto line : {state, measuring_line(results), reference_line(results)}) {
    if (!line.empty()) out.conditions.push_back(std::move(line));
  }
  std::vector<std::string> status;
  const auto numbers = add_notes(results, out);
  for (std::size_t row = 0; row < results.size(); ++row) {
    status.push_back(to_string(results[row]->status));
    if (!numbers[row].empty()) status.back() += fmt::format(" [{}]", fmt::join(numbers[row], ","));
  }
  out.columns = columns(results, axes, std::move(status));
  return out;
}

struct Group {
  std::string benchmark;
  std::vector<std::string> axes;
  std::string state;  // empty while no result of the group was measured
  Results results;
};

}  // namespace

std::vector<Section> sections(std::span<const Result> results) {
  std::vector<Group> groups;
  for (const auto& result : results) {
    std::vector<std::string> axes;
    for (const auto& [name, value] : result.point.values) axes.push_back(name);
    const auto state = state_line(result.conditions);
    auto place = std::find_if(groups.begin(), groups.end(), [&](const Group& group) {
      return group.benchmark == result.benchmark && group.axes == axes &&
             (group.state == state || state.empty() || group.state.empty());
    });
    if (place == groups.end()) place = groups.insert(place, {result.benchmark, axes, state, {}});
    if (place->state.empty()) place->state = state;
    place->results.push_back(&result);
  }
  std::vector<Section> out;
  for (const auto& group : groups) out.push_back(section_of(group.results));
  return out;
}

std::string listed(const std::vector<std::string>& points) {
  constexpr std::size_t most = 4;
  std::string out;
  for (std::size_t i = 0; i < std::min(points.size(), most); ++i) {
    if (!points[i].empty()) append(out, points[i]);
  }
  if (points.size() > most) out += fmt::format(" and {} more", points.size() - most);
  return out;
}

}  // namespace warpclock::report
