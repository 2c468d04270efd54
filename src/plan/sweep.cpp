#include "plan/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <random>
#include <regex>
#include <utility>

#include "core/errors.hpp"
#include "plan/settings.hpp"
#include "plan/suggest.hpp"

namespace warpclock {
namespace {

void refuse_twice(const std::vector<AxisOverride>& overrides) {
  for (std::size_t i = 0; i < overrides.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (overrides[i].name != overrides[j].name) continue;
      throw UsageError(fmt::format("--axis {0} is given twice; write --axis {0}={1},{2}", overrides[i].name,
                                   overrides[j].values, overrides[i].values));
    }
  }
}

void refuse_unknown(const std::vector<SweepBenchmark>& benchmarks, const std::vector<AxisOverride>& overrides) {
  std::vector<std::string> known;
  for (const auto& benchmark : benchmarks) {
    for (const auto& axis : benchmark.axes) {
      if (std::find(known.begin(), known.end(), axis.name) == known.end()) known.push_back(axis.name);
    }
  }
  for (const auto& axis : overrides) {
    if (std::find(known.begin(), known.end(), axis.name) != known.end()) continue;
    const auto who = benchmarks.size() == 1 ? "'" + benchmarks.front().name + "' has no such axis"
                                            : std::string("no kernel of this run has such an axis");
    throw UsageError(fmt::format("--axis {}: {}; {}", axis.name, who, did_you_mean(axis.name, known)));
  }
}

std::vector<AxisValue> values_of(const AxisSpec& spec, const std::vector<AxisOverride>& overrides) {
  for (const auto& axis : overrides) {
    if (axis.name == spec.name) return axis_values(axis, spec);
  }
  return spec.defaults;
}

std::regex compile(const std::string& filter) {
  try {
    return std::regex(filter, std::regex::ECMAScript | std::regex::optimize);
  } catch (const std::regex_error& error) {
    throw UsageError(fmt::format("--filter: '{}' is not a regular expression ({}); try --filter 'gemm M=(2|16)'",
                                 filter, error.what()));
  }
}

void keep_matching(std::vector<SweepItem>& items, const std::string& filter) {
  if (items.empty()) return;
  const auto pattern = compile(filter);
  const auto example = label(items.front());
  const auto matches = [&](const SweepItem& item) {
    try {
      return std::regex_search(label(item), pattern);
    } catch (const std::regex_error& error) {
      throw UsageError(
          fmt::format("--filter: '{}' takes too long to match ({}); write a simpler one", filter, error.what()));
    }
  };
  std::erase_if(items, [&](const SweepItem& item) { return !matches(item); });
  if (items.empty())
    throw UsageError(fmt::format("--filter: no point matches '{}'; labels read '{}'", filter, example));
}

std::vector<SweepItem> in_regimes(std::vector<SweepItem> items, Regime regime) {
  const auto n = items.size();
  if (regime != Regime::burst) {
    if (regime == Regime::both) items.reserve(2 * n);
    for (std::size_t i = 0; regime == Regime::both && i < n; ++i) items.push_back(items[i]);
    for (auto item = items.end() - static_cast<std::ptrdiff_t>(n); item != items.end(); ++item) {
      item->regime = Regime::sustained;
    }
  }
  return items;
}

std::vector<SweepItem> at_clocks(std::vector<SweepItem> items, const std::vector<double>& clocks_mhz) {
  if (clocks_mhz.empty()) return items;
  std::vector<SweepItem> out;
  for (const double mhz : clocks_mhz) {
    for (auto item : items) {
      item.lock_clock_mhz = mhz;
      out.push_back(std::move(item));
    }
  }
  return out;
}

}  // namespace

std::string label(const SweepItem& item) {
  const auto axes = to_string(item.point);
  return axes.empty() ? item.benchmark : item.benchmark + ' ' + axes;
}

std::string full_label(const SweepItem& item) {
  auto out = label(item);
  if (item.regime != Regime::burst) out += ", " + to_string(item.regime);
  if (item.lock_clock_mhz) out += fmt::format(", {:.0f} MHz", *item.lock_clock_mhz);
  return out;
}

namespace {

/// Axes that go through their values together; most are alone.
struct Digit {
  std::vector<std::size_t> axes;
  std::size_t size = 0;  // values of each
};

std::vector<Digit> digits_of(const std::vector<AxisSpec>& axes, const std::vector<std::vector<AxisValue>>& values) {
  std::vector<Digit> out;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const auto same = [&](const Digit& digit) { return axes[digit.axes.front()].zip == axes[i].zip; };
    const auto at = axes[i].zip.empty() ? out.end() : std::find_if(out.begin(), out.end(), same);
    if (at == out.end()) {
      out.push_back({{i}, values[i].size()});
      continue;
    }
    at->axes.push_back(i);
    if (values[i].size() == at->size) continue;
    const auto& first = axes[at->axes.front()].name;
    throw UsageError(
        fmt::format("axes '{}' and '{}' go together and have {} and {} values; give --axis {}=... and "
                    "--axis {}=... with as many values each",
                    first, axes[i].name, at->size, values[i].size(), first, axes[i].name));
  }
  return out;
}

}  // namespace

std::vector<Point> points(const std::vector<AxisSpec>& axes, const std::vector<AxisOverride>& overrides) {
  refuse_twice(overrides);
  std::vector<std::vector<AxisValue>> values;
  for (const auto& spec : axes) {
    values.push_back(values_of(spec, overrides));
    if (values.back().empty()) {
      throw UsageError(fmt::format("axis '{0}' has no default; give its values, as in --axis {0}={1}", spec.name,
                                   spec.is_text() ? spec.choices.front() : std::to_string(spec.min)));
    }
  }
  const auto digits = digits_of(axes, values);
  std::size_t total = 1;
  for (const auto& digit : digits) {
    if (digit.size > most_points / total) {
      throw UsageError(fmt::format("the sweep has more than {} points; give axis '{}' or one before it fewer values",
                                   most_points, axes[digit.axes.front()].name));
    }
    total *= digit.size;
  }

  std::vector<Point> out(total);
  for (std::size_t i = 0; i < total; ++i) {
    out[i].values.resize(axes.size());
    auto rest = i;  // digits of i in a mixed base, the last axis being the lowest digit
    for (auto digit = digits.rbegin(); digit != digits.rend(); rest /= digit->size, ++digit) {
      for (const auto axis : digit->axes) out[i].values[axis] = {axes[axis].name, values[axis][rest % digit->size]};
    }
  }
  return out;
}

std::vector<SweepItem> sweep(const std::vector<SweepBenchmark>& benchmarks, const SweepRequest& request) {
  refuse_twice(request.axes);
  refuse_unknown(benchmarks, request.axes);
  std::vector<SweepItem> out;
  for (const auto& benchmark : benchmarks) {
    auto of_one = points(benchmark.axes, request.axes);
    if (benchmark.wanted) {
      const auto all = of_one.size();
      std::erase_if(of_one, [&](const Point& point) { return !benchmark.wanted(point); });
      if (of_one.empty()) {
        throw UsageError(fmt::format("{}: its own filter leaves none of its {} points; give other values with --axis",
                                     benchmark.name, all));
      }
    }
    if (of_one.size() > most_points - out.size()) {
      throw UsageError(fmt::format("the run has more than {} points; name fewer kernels or fewer values", most_points));
    }
    for (auto& point : of_one) out.push_back({benchmark.name, std::move(point), Regime::burst, std::nullopt});
  }
  if (!request.filter.empty()) keep_matching(out, request.filter);
  out = in_regimes(std::move(out), request.regime);
  if (request.order == Order::random) shuffle(out, request.seed);
  return at_clocks(std::move(out), request.clocks_mhz);
}

void shuffle(std::vector<SweepItem>& items, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  constexpr auto largest = std::numeric_limits<std::uint64_t>::max();
  for (std::size_t i = items.size(); i-- > 1;) {
    const std::uint64_t choices = i + 1;
    const std::uint64_t over = (largest % choices + 1) % choices;  // 2^64 mod choices
    std::uint64_t r = random();
    while (r > largest - over) r = random();
    std::swap(items[i], items[static_cast<std::size_t>(r % choices)]);
  }
}

}  // namespace warpclock
