#include "run/selftest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "analyse/analyse.hpp"
#include "core/errors.hpp"
#include "device/abilities.hpp"
#include "device/oracle_workload.hpp"
#include "run/runner.hpp"

namespace warpclock {
namespace {

using State = SelftestItem::State;

constexpr std::uint64_t samples = 31;       // odd: the median is one of them
constexpr std::uint64_t flush_samples = 7;  // each of them also streams through up to 4 times the cache
constexpr std::array spin_lengths{5.0, 10.0, 20.0, 50.0, 100.0, 200.0};  // us
constexpr std::array flush_factors{0.25, 0.5, 1.0, 2.0, 4.0};            // of the last-level cache
constexpr std::array cycle_counts{20'000.0, 50'000.0, 100'000.0, 200'000.0};
constexpr std::uint32_t chain_length = 8;
constexpr double chain_link = 20;  // us
constexpr double slope_tolerance = 0.01;
constexpr double clock_tolerance = 0.03;  // the probe and the oracle are two programs, on a clock that moves
constexpr double plateau_tolerance = 0.02;
constexpr std::size_t mark_pairs = 200;
constexpr Bytes largest_small_read = Bytes{32} << 20U;

// A noisy machine may widen a tolerance so far; beyond it a wrong result could no longer fail.
constexpr double most_noise = 0.1;

struct Line {
  double slope = 0;
  double intercept = 0;
};

/// Least squares with weights 1/x^2: every length counts by its relative error.
Line fit(const std::vector<std::pair<double, double>>& points) {
  double w = 0, wx = 0, wy = 0, wxx = 0, wxy = 0;
  for (const auto& [x, y] : points) {
    const double weight = 1 / (x * x);
    w += weight;
    wx += weight * x;
    wy += weight * y;
    wxx += weight * x * x;
    wxy += weight * x * y;
  }
  const double slope = (w * wxy - wx * wy) / (w * wxx - wx * wx);
  return {slope, (wy - slope * wx) / w};
}

class Selftest {
 public:
  Selftest(Session& session, const std::vector<Benchmark>& suite, const Control& control)
      : session_(session), device_(session.device()), suite_(suite), control_(control) {
    protocol_.samples = samples;
    protocol_.verify = false;
    protocol_.cache = CacheState::warm;  // oracles have no operands: a flush would only take time
  }

  SelftestItem spin_slope() {
    std::vector<std::pair<double, double>> points;
    double noise = 0;
    for (const double us : spin_lengths) {
      const auto time = median(time_of([us](Device& on) { on.stream().launch_spin(microseconds(us)); }));
      points.emplace_back(us * 1e3, time.value);
      noise = std::max(noise, noise_of(time));
    }
    const auto line = fit(points);
    return judge(std::abs(line.slope - 1) <= slope_tolerance + noise,
                 fmt::format("{:.4f} ns per ns asked, from {} to {} us; intercept {:.0f} ns", line.slope,
                             spin_lengths.front(), spin_lengths.back(), line.intercept),
                 fmt::format("1.00 +- {:.3f}", slope_tolerance + noise),
                 "the timer and the device's clock disagree: let the machine idle and repeat");
  }

  SelftestItem cycles_against_probe() {
    if (!can(device_.info(), "clock probe")) return skip("this device has no clock probe");
    std::vector<std::pair<double, double>> points;
    std::vector<double> clocks;
    double noise = 0;
    for (const double cycles : cycle_counts) {
      const auto result =
          time_of([cycles](Device& on) { on.stream().launch_cycles(static_cast<std::uint64_t>(cycles)); });
      const auto time = median(result);
      points.emplace_back(cycles, time.value);
      noise = std::max(noise, noise_of(time));
      for (const auto& sample : result.samples) {
        if (sample.clock_mhz) clocks.push_back(*sample.clock_mhz);
      }
    }
    if (clocks.empty()) clocks.push_back(session_.read_clock());
    std::nth_element(clocks.begin(), clocks.begin() + static_cast<std::ptrdiff_t>(clocks.size() / 2), clocks.end());
    const double probed = clocks[clocks.size() / 2];
    const double counted = 1e3 / fit(points).slope;
    const double tolerance = clock_tolerance + 2 * device_.info().clock_tolerance + noise;
    return judge(std::abs(counted / probed - 1) <= tolerance,
                 fmt::format("{:.0f} MHz by known cycles, {:.0f} MHz by the probe", counted, probed),
                 fmt::format("equal within {:.1f} %", tolerance * 100),
                 "the clock changes while it is read: stop other work on the device and repeat");
  }

  SelftestItem chain_is_sum() {
    const auto result = time_of([](Device& on) {
      for (std::uint32_t i = 0; i < chain_length; ++i) on.stream().launch_spin(microseconds(chain_link));
    });
    const bool traced = result.kernel_time_ns.has_value();
    const auto time = traced ? result.kernel_time_ns->median : median(result);
    const double asked = chain_length * chain_link * 1e3;
    // Call time also has the gaps between the links, which have no bound that is known beforehand.
    const double tolerance = (traced ? slope_tolerance : 0.2) + noise_of(time) + floor_ns() / asked;
    const bool all_seen = !traced || result.launches_per_call == chain_length;
    return judge(all_seen && std::abs(time.value / asked - 1) <= tolerance,
                 fmt::format("{:.2f} us for {} launches of {} us, {} records", time.value / 1e3, chain_length,
                             chain_link, result.launches_per_call),
                 fmt::format("{} us +- {:.1f} %, a record each", asked / 1e3, tolerance * 100),
                 "records are missing or overlap: do not trust the time of calls of several kernels");
  }

  SelftestItem empty_is_floor() {
    const auto empty = time_of([](Device& on) { on.stream().launch_empty(); });
    const auto shortest = time_of([](Device& on) { on.stream().launch_spin(microseconds(spin_lengths.front())); });
    const double call = call_of(empty), shortest_call = call_of(shortest);
    const std::string kernel =
        empty.kernel_time_ns ? fmt::format("{:.0f} ns kernel, ", empty.kernel_time_ns->median.value) : "";
    const double added = shortest_call - call;
    const double asked = spin_lengths.front() * 1e3;
    return judge(
        call > 0 && added > 0 && added < 2 * asked,
        fmt::format("{}{:.0f} ns call; a spin of {} us adds {:.0f} ns", kernel, call, spin_lengths.front(), added),
        fmt::format("above 0; the spin adds 0 to {} us", 2 * spin_lengths.front()),
        "short kernels cannot be told apart here: measure in batches (--batch)");
  }

  SelftestItem flush_is_on_plateau() {
    const auto found = std::ranges::find(suite_, "read", &Benchmark::name);
    const auto& info = device_.info();
    if (found == suite_.end() || std::ranges::find(found->backends, info.backend) == found->backends.end()) {
      return skip("this device has no kernel 'read'");
    }
    if (info.last_level_cache == 0) return skip("the size of the last-level cache is not known");
    if (flush_factors.back() * static_cast<double>(info.last_level_cache) >
        static_cast<double>(device_.memory().free)) {
      return skip("there is not enough free memory to flush with 4x the cache");
    }
    std::vector<Estimate> times;
    std::string figures;
    for (const double factor : flush_factors) {
      times.push_back(read_after_flush(*found, factor));
      figures += fmt::format("{}{}x {:.1f}", figures.empty() ? "" : ", ", factor, times.back().value / 1e3);
    }
    const auto& chosen = times[3];  // 2x, the default
    const auto& largest = times[4];
    const double tolerance = plateau_tolerance + noise_of(chosen) + noise_of(largest);
    return judge(chosen.value >= largest.value * (1 - tolerance), figures + " us",
                 fmt::format("2x within {:.1f} % of 4x", tolerance * 100),
                 "the default flush leaves operands in the cache: use --flush-size 4x");
  }

  SelftestItem mark_timer() {
    auto& stream = device_.stream();
    const auto step = device_.info().mark_step.count();
    const bool holds = can(device_.info(), "hold");
    std::vector<double> gaps;
    for (std::size_t i = 0; i < mark_pairs && !control_.interrupted(); ++i) {
      if (holds) stream.hold(protocol_.watchdog);
      const auto a = stream.mark();
      const auto b = stream.mark();
      if (holds) static_cast<void>(stream.release());
      stream.synchronize();
      gaps.push_back(stream.elapsed(a, b).count());
      stream.recycle();
    }
    return judge_timer(std::move(gaps), step, "of two marks around nothing");
  }

  SelftestItem record_timer() {
    if (device_.info().record_timer.empty()) return skip("this device has no activity records");
    std::vector<double> times;
    for (const auto& sample : time_of([](Device& on) { on.stream().launch_empty(); }).samples) {
      if (sample.kernel && !sample.marks.has(Mark::bad_stamp)) times.push_back(sample.kernel->count());
    }
    return judge_timer(std::move(times), device_.info().record_step.count(), "of an empty kernel");
  }

  SelftestItem hold_against_none() {
    if (!can(device_.info(), "hold")) return skip("this device cannot be held");
    const auto empty = [](Device& on) { on.stream().launch_empty(); };
    const auto held = time_of(empty);
    auto bare_protocol = protocol_;
    bare_protocol.cover = Cover::none;
    const auto bare = time_of(empty, bare_protocol);
    const double a = call_of(held), b = call_of(bare);
    const double noise = noise_of(held.call_time_ns->median) + noise_of(bare.call_time_ns->median);
    return judge(a <= b * (1 + 0.05 + noise),
                 fmt::format("{:.2f} us held, {:.2f} us without cover, for an empty kernel", a / 1e3, b / 1e3),
                 "held is not slower", "the hold does not hold: compare with --cover spin");
  }

 private:
  Result time_of(const OracleWorkload::Call& call) { return time_of(call, protocol_); }

  Result time_of(const OracleWorkload::Call& call, const Protocol& protocol) {
    OracleWorkload workload(device_, call);
    const auto measured = measure(session_, workload, protocol, control_);
    return analyse("oracle", {}, measured, {device_.info(), protocol, {}});
  }

  static Estimate median(const Result& result) {
    const auto* summary = result.headline_summary();
    if (summary == nullptr) throw KernelError("no sample carries a time");
    return summary->median;
  }

  static double call_of(const Result& result) {
    if (!result.call_time_ns) throw KernelError("no sample carries a call time");
    return result.call_time_ns->median.value;
  }

  /// How far the median may be off by chance alone.
  static double noise_of(const Estimate& estimate) { return std::min(estimate.relative_half_width(), most_noise); }

  double floor_ns() {
    const auto empty = time_of([](Device& on) { on.stream().launch_empty(); });
    return chain_length * median(empty).value;
  }

  Estimate read_after_flush(const Benchmark& read, double factor) {
    auto protocol = protocol_;
    protocol.samples = flush_samples;
    protocol.cache = CacheState::cold;
    protocol.trace = false;  // call time shows the same plateau, in half the flushes
    protocol.flush_size = {.factor = factor, .bytes = 0};
    const auto bytes = std::min(device_.info().last_level_cache / 4, largest_small_read);
    Point point;
    for (const auto& axis : read.axes(device_.info().backend)) {
      point.values.emplace_back(
          axis.name, axis.name == "n" ? AxisValue(static_cast<std::int64_t>(bytes / 4)) : axis.defaults.front());
    }
    const auto result = run_point(session_, read, point, protocol, {}, control_);
    if (result.status != Status::ok)
      throw KernelError("kernel 'read' " + to_string(result.status) + ": " + result.error);
    return median(result);
  }

  static SelftestItem judge(bool good, std::string measured, std::string expected, std::string remedy) {
    return {"", good ? State::passed : State::failed, std::move(measured), std::move(expected),
            good ? "" : std::move(remedy)};
  }

  static SelftestItem skip(std::string why) { return {"", State::skipped, "", "", std::move(why)}; }

  /// Two different readings cannot be closer than the step that the device states.
  static SelftestItem judge_timer(std::vector<double> times, double step, const std::string& what) {
    if (times.empty()) return judge(false, "no readings", "some", "the timer does not work here");
    std::sort(times.begin(), times.end());
    double closest = 0;
    for (std::size_t i = 1; i < times.size(); ++i) {
      const double distance = times[i] - times[i - 1];
      // Sums of stamps in floating point differ by less than a hundredth of any step.
      if (distance > step / 100 && (closest == 0 || distance < closest)) closest = distance;
    }
    const double floor = times[times.size() / 2];
    const bool steps_right = closest == 0 || closest >= step * 0.9;
    const std::string seen = closest == 0 ? "all readings equal" : fmt::format("steps of {:.4g} ns", closest);
    return judge(times.front() >= 0 && floor >= 0 && steps_right,
                 fmt::format("floor {:.4g} ns {}; {}", floor, what, seen),
                 fmt::format("no reading below 0, no steps below {:.4g} ns", step),
                 "the timer runs backwards, or is finer than stated: do not trust intervals as narrow as its step");
  }

  Session& session_;
  Device& device_;
  const std::vector<Benchmark>& suite_;
  const Control& control_;
  Protocol protocol_;
};

struct Row {
  const char* name;
  SelftestItem (Selftest::*run)();
};

constexpr std::array rows{
    Row{"call timer", &Selftest::mark_timer},
    Row{"kernel timer", &Selftest::record_timer},
    Row{"empty is the floor", &Selftest::empty_is_floor},
    Row{"spin slope", &Selftest::spin_slope},
    Row{"cycles against probe", &Selftest::cycles_against_probe},
    Row{"chain is the sum", &Selftest::chain_is_sum},
    Row{"hold against none", &Selftest::hold_against_none},
    Row{"flush on the plateau", &Selftest::flush_is_on_plateau},
};

}  // namespace

std::vector<SelftestItem> selftest(Session& session, const std::vector<Benchmark>& suite, const Control& control,
                                   const std::function<void(const SelftestItem&)>& done) {
  Selftest test(session, suite, control);
  std::vector<SelftestItem> items;
  for (const auto& row : rows) {
    if (control.interrupted()) break;
    control.progress({.phase = row.name});
    SelftestItem item;
    try {
      item = (test.*row.run)();
    } catch (const KernelError& error) {
      item = {"", State::failed, error.what(), "a measurement", "see 'warpclock devices' for what works here"};
    }
    if (control.interrupted()) break;  // cut short: its figures mean nothing
    item.name = row.name;
    items.push_back(item);
    done(item);
  }
  return items;
}

}  // namespace warpclock
