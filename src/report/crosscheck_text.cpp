#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "report/crosscheck.hpp"
#include "report/numbers.hpp"
#include "report/sections.hpp"
#include "report/utf8.hpp"
#include "report/writer.hpp"

namespace warpclock::report {
namespace {

using Rows = std::vector<const Comparison*>;
using Value = std::function<std::optional<double>(const Comparison&)>;

std::string verdict_word(Verdict verdict) {
  switch (verdict) {
    case Verdict::within_spread:
      return "in spread";
    case Verdict::not_comparable:
      return "no";
    case Verdict::missing:
      return "-";
    default:
      return to_string(verdict);
  }
}

/// What stands below the table: a message once, with the points that have it.
struct Remark {
  std::string id, message;
  std::vector<std::string> points;
};

/// Benchmark by benchmark in the order of their first points; those with other axes (a sweep cannot have them) apart.
std::vector<Rows> groups(const std::vector<Comparison>& comparisons) {
  std::vector<Rows> out;
  for (const auto& c : comparisons) {
    const auto same =
        std::ranges::find_if(out, [&](const Rows& rows) { return rows.front()->benchmark == c.benchmark; });
    auto& rows = same == out.end() ? out.emplace_back() : *same;
    rows.push_back(&c);
  }
  return out;
}

class Table {
 public:
  explicit Table(Rows rows) : rows_(std::move(rows)) {
    split_axes();
    collect_remarks();
    add_columns();
  }

  void put(Writer& out, const Crosscheck& crosscheck) const {
    out.end_line();
    out.put(one_line(rows_.front()->benchmark), Tone::bold);
    if (!fixed_.empty()) out.put("  " + fixed_);
    out.end_line();
    for (const auto& line : {our_conditions(), ncu_conditions(crosscheck), expectation()}) {
      if (line.empty()) continue;
      out.put(gap);
      out.wrapped(line, gap.size(), 4, Tone::dim);
    }
    out.end_line();
    const auto wide = widths();
    put_heading(out, columns_, wide);
    for (std::size_t row = 0; row < rows_.size(); ++row) put_row(out, row, wide);
    out.end_line();
    put_kernels(out);
    put_remarks(out);
  }

 private:
  void split_axes() {
    const auto& first = rows_.front()->point.values;
    for (std::size_t axis = 0; axis < first.size(); ++axis) {
      const bool varies = std::ranges::any_of(rows_, [&](const Comparison* c) {
        return c->point.values.size() != first.size() || c->point.values[axis] != first[axis];
      });
      if (varies) {
        varying_.push_back(axis);
      } else {
        fixed_ += (fixed_.empty() ? "" : " ") + first[axis].first + "=" + one_line(to_string(first[axis].second));
      }
    }
  }

  [[nodiscard]] std::string point_of(const Comparison& c) const {
    std::string out;
    for (const auto axis : varying_) {
      const auto& [name, value] = c.point.values.at(axis);
      out += (out.empty() ? "" : " ") + name + "=" + one_line(to_string(value));
    }
    return out;
  }

  void collect_remarks() {
    const auto add = [&](const Comparison& c, const std::string& id, const std::string& message) {
      auto found = std::ranges::find(remarks_, id, &Remark::id);
      if (found == remarks_.end()) found = remarks_.insert(found, {id, one_line(message), {}});
      found->points.push_back(point_of(c));
      return fmt::format("{}", found - remarks_.begin() + 1);
    };
    for (const auto* c : rows_) {
      std::vector<std::string> numbers;
      for (const auto& caveat : c->caveats) numbers.push_back(add(*c, caveat.id, caveat.message));
      if (!c->ncu_missing.empty()) numbers.push_back(add(*c, "no ncu", c->ncu_missing));
      numbers_.push_back(numbers.empty() ? "" : fmt::format("[{}]", fmt::join(numbers, ",")));
    }
  }

  void add_texts(const std::string& name, const std::string& unit,
                 const std::function<std::string(const Comparison&)>& of, bool left = false) {
    Column column{.name = name, .unit = unit, .left = left};
    for (const auto* c : rows_) column.cells.push_back(of(*c));
    columns_.push_back(std::move(column));
  }

  void add_numbers(const std::string& name, const std::string& unit, const Value& of, int digits, double per = 1) {
    std::vector<std::optional<double>> values;
    for (const auto* c : rows_) {
      const auto value = of(*c);
      values.push_back(value ? std::optional(*value / per) : std::nullopt);
    }
    Column column{.name = name, .unit = unit, .cells = aligned(values, digits)};
    for (auto& cell : column.cells) cell = cell.empty() ? "-" : cell;
    columns_.push_back(std::move(column));
  }

  /// A difference always has its sign.
  void add_signed(const std::string& name, const std::string& unit, const Value& of, int decimals, double per = 1) {
    add_texts(name, unit, [=](const Comparison& c) {
      const auto value = of(c);
      return value ? fmt::format("{:+.{}f}", *value / per, decimals) : std::string("-");
    });
  }

  [[nodiscard]] bool varies(const std::function<std::string(const Comparison&)>& of) const {
    return std::ranges::any_of(rows_, [&](const Comparison* c) { return of(*c) != of(*rows_.front()); });
  }

  void add_axes() {
    for (const auto axis : varying_) {
      const auto name = rows_.front()->point.values[axis].first;
      const bool text = std::holds_alternative<std::string>(rows_.front()->point.values[axis].second);
      add_texts(
          name, "", [axis](const Comparison& c) { return one_line(to_string(c.point.values.at(axis).second)); }, text);
      columns_.back().kind = Column::Kind::axis;
    }
    const auto regime = [](const Comparison& c) { return c.conditions.regime; };
    if (varies(regime)) add_texts("regime", "", regime, true);
  }

  void add_columns() {
    add_axes();
    add_times();
    add_cycles();
    add_bytes();
    const auto verdict = [&](const std::string& name, Verdict Comparison::*which) {
      add_texts(
          name, "", [which](const Comparison& c) { return verdict_word(c.*which); }, true);
    };
    verdict("time", &Comparison::time);
    verdict("cycles", &Comparison::cycles);
    verdict("DRAM", &Comparison::dram);
    columns_.push_back({.name = "notes", .left = true, .cells = numbers_});
  }

  void add_times() {
    const Value ours = [](const Comparison& c) { return c.ours ? std::optional(c.ours->time_ns.value) : std::nullopt; };
    std::vector<std::optional<double>> times;
    for (const auto* c : rows_) times.push_back(ours(*c));
    const auto unit = common_unit(times);
    const std::string name(unit.name);
    add_numbers("ours", name, ours, 4, unit.nanoseconds);
    add_texts("±", "%", [](const Comparison& c) {
      return c.ours ? fmt::format("{:.2f}", 100 * c.ours->time_ns.relative_half_width()) : std::string("-");
    });
    add_numbers(
        "ncu", name, [](const Comparison& c) { return c.ncu ? std::optional(c.ncu->time_ns.value) : std::nullopt; }, 4,
        unit.nanoseconds);
    add_numbers(
        "spread", name, [](const Comparison& c) { return c.ncu ? std::optional(c.ncu->spread_ns()) : std::nullopt; }, 2,
        unit.nanoseconds);
    const int decimals = unit.nanoseconds > 1 ? 2 : 0;
    add_signed(
        "diff", name, [](const Comparison& c) { return c.time_difference_ns; }, decimals, unit.nanoseconds);
    add_signed(
        "diff", "%",
        [ours](const Comparison& c) {
          return c.time_difference_ns ? std::optional(100 * *c.time_difference_ns / *ours(c)) : std::nullopt;
        },
        1);
  }

  void add_cycles() {
    add_numbers(
        "ours", "cycles", [](const Comparison& c) { return c.ours ? c.ours->cycles : std::nullopt; }, 1);
    add_numbers(
        "ncu", "cycles",
        [](const Comparison& c) { return c.ncu && c.ncu->cycles ? std::optional(c.ncu->cycles->value) : std::nullopt; },
        1);
    add_signed(
        "diff", "%",
        [](const Comparison& c) {
          return c.cycle_difference ? std::optional(100 * *c.cycle_difference / *c.ours->cycles) : std::nullopt;
        },
        1);
    add_numbers(
        "ours", "MHz", [](const Comparison& c) { return c.ours ? c.ours->clock_mhz : std::nullopt; }, 1);
    add_numbers(
        "ncu", "MHz",
        [](const Comparison& c) {
          return c.ncu && c.ncu->clock_mhz ? std::optional(c.ncu->clock_mhz->value) : std::nullopt;
        },
        1);
  }

  void add_bytes() {
    constexpr double megabyte = 1e6;
    const auto bytes = [](std::optional<Estimate> NcuPoint::*which) {
      return [which](const Comparison& c) {
        return c.ncu && *c.ncu.*which ? std::optional((*c.ncu.*which)->value) : std::optional<double>();
      };
    };
    add_numbers("read", "MB", bytes(&NcuPoint::dram_read_bytes), 3, megabyte);
    add_numbers(
        "of", "decl.", [](const Comparison& c) { return c.read_ratio; }, 3);
    add_numbers("written", "MB", bytes(&NcuPoint::dram_written_bytes), 3, megabyte);
    add_numbers(
        "of", "decl.", [](const Comparison& c) { return c.written_ratio; }, 3);
  }

  [[nodiscard]] std::vector<std::size_t> widths() const {
    std::vector<std::size_t> out;
    for (const auto& column : columns_) {
      auto widest = std::max(width(column.name), width(column.unit));
      for (const auto& cell : column.cells) widest = std::max(widest, width(cell));
      out.push_back(widest);
    }
    return out;
  }

  void put_row(Writer& out, std::size_t row, const std::vector<std::size_t>& wide) const {
    out.put(gap);
    std::size_t at = gap.size();
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const auto& column = columns_[i];
      if (!rows_[row]->ours && column.kind != Column::Kind::axis) {
        out.wrapped(
            to_string(rows_[row]->status) + (rows_[row]->error.empty() ? "" : ": " + one_line(rows_[row]->error)), at,
            at, Tone::bad);
        return;
      }
      const auto& cell = column.cells[row];
      const auto tone = cell == "differ" ? Tone::warn : cell == "agree" ? Tone::good : Tone::plain;
      out.put(padded(cell, wide[i], column.left), tone);
      out.put(gap);
      at += wide[i] + gap.size();
    }
    out.end_line();
  }

  [[nodiscard]] std::string our_conditions() const {
    const auto found = std::ranges::find_if(rows_, [](const Comparison* c) { return c->ours.has_value(); });
    if (found == rows_.end()) return "";
    const auto& c = **found;
    const auto& state = c.conditions;
    std::string times;
    for (const auto* row : rows_) {
      const auto what = row->ours ? to_string(row->ours->what) : "";
      if (times.find(what) == std::string::npos) times += (times.empty() ? what : " or " + what);
    }
    std::string line = fmt::format("ours: {}, cache {}, cover {}, {}, {} data", times, state.cache, state.cover,
                                   state.regime, state.data);
    if (c.ours->clock_mhz) line += ", clock by " + c.ours->clock_source;
    return line;
  }

  static std::string ncu_conditions(const Crosscheck& crosscheck) {
    if (crosscheck.ncu_words.empty()) return "ncu: not run";
    std::string options;
    for (std::size_t i = 0; i + 1 < crosscheck.ncu_words.size(); ++i) {
      const auto& word = crosscheck.ncu_words[i];
      const bool shown = word == "--clock-control" || word == "--cache-control" || word == "--replay-mode";
      if (shown) options += ", " + word.substr(2) + " " + one_line(crosscheck.ncu_words[i + 1]);
    }
    return fmt::format("ncu: {}{}, {} calls after {} unprofiled ones, spread is the largest minus the smallest of them",
                       crosscheck.ncu_version.empty() ? "unknown version" : one_line(crosscheck.ncu_version), options,
                       crosscheck.calls, crosscheck.warmup);
  }

  static std::string expectation() {
    return fmt::format(
        "expected: ncu {:.1f} to {:.1f} us longer for each kernel, since its stamps lie further apart; agree: "
        "that, give or take {:.0f} %",
        least_stamp_difference_ns * 1e-3, most_stamp_difference_ns * 1e-3, 100 * agreement);
  }

  /// "3 x a + b"
  static std::string kernels_in_words(const std::vector<std::string>& kernels) {
    std::vector<std::string> words;
    for (auto at = kernels.begin(); at != kernels.end();) {
      const auto next = std::find_if(at, kernels.end(), [&](const std::string& name) { return name != *at; });
      words.push_back(next - at == 1 ? *at : fmt::format("{} x {}", next - at, *at));
      at = next;
    }
    return fmt::format("{}", fmt::join(words, " + "));
  }

  /// Names as ncu has them, once for all points that have the same.
  void put_kernels(Writer& out) const {
    std::vector<std::pair<std::string, std::vector<std::string>>> seen;
    for (const auto* c : rows_) {
      if (!c->ncu) continue;
      const auto names = one_line(kernels_in_words(c->ncu->kernels));
      const auto at = std::ranges::find(seen, names, &std::pair<std::string, std::vector<std::string>>::first);
      (at == seen.end() ? seen.emplace_back(names, std::vector<std::string>{}) : *at).second.push_back(point_of(*c));
    }
    for (const auto& [names, points] : seen) {
      const auto where = listed(points);
      out.put("  kernel ", Tone::dim);
      out.wrapped(names + (where.empty() ? "" : "  (" + where + ")"), 9, 9);
    }
  }

  void put_remarks(Writer& out) const {
    for (std::size_t i = 0; i < remarks_.size(); ++i) {
      const auto& remark = remarks_[i];
      const auto where = listed(remark.points);
      const auto head = fmt::format("  [{}] {}: ", i + 1, remark.id);
      out.put(head, Tone::warn);
      out.wrapped(remark.message + (where.empty() ? "" : "  (" + where + ")"), width(head), 6);
    }
  }

  Rows rows_;
  std::vector<std::size_t> varying_;
  std::string fixed_;
  std::vector<Remark> remarks_;
  std::vector<std::string> numbers_;
  std::vector<Column> columns_;
};

}  // namespace

std::string crosscheck_text(const Crosscheck& crosscheck, const TextOptions& options) {
  Writer out(options);
  for (const auto& [key, value] : crosscheck.environment.device) {
    if (key == "id") out.put("device     " + one_line(value));
    if (key == "name") out.put(", " + one_line(value));
  }
  out.end_line();
  for (auto& rows : groups(crosscheck.comparisons)) Table(std::move(rows)).put(out, crosscheck);
  return out.take();
}

}  // namespace warpclock::report
