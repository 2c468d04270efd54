#include "measure/effective_clock.hpp"

#include <algorithm>
#include <vector>

#include "stats/median.hpp"

namespace warpclock {
namespace {

constexpr std::size_t fewest = 5;
constexpr std::size_t most = 15;
constexpr double precise_enough = 0.003;
constexpr std::size_t failures_allowed = 2;
// Of the point's sampling time that this pass may add; a long call is metered once or twice.
constexpr double share_of_time = 0.1;
// The sentinel may outlast the call by this much before it gives its SM back.
constexpr double sentinel_margin = 4;
constexpr auto sentinel_least = milliseconds(1);

/// Readings of one meter.
struct Series {
  ClockMeter meter = ClockMeter::sentinel;
  std::vector<double> mhz;
  std::size_t failures = 0;

  [[nodiscard]] bool wants_more(double level) const {
    if (failures > failures_allowed || mhz.size() >= most) return false;
    return mhz.size() < fewest || median(mhz, level).relative_half_width() > precise_enough;
  }
};

std::optional<Estimate> estimate(const std::vector<Series>& all, ClockMeter meter, double level) {
  const auto found = std::ranges::find(all, meter, &Series::meter);
  if (found == all.end() || found->mhz.empty()) return std::nullopt;
  return median(found->mhz, level);
}

std::vector<ClockMeter> wanted_meters(ClockSource source) {
  switch (source) {
    case ClockSource::counters:
      return {ClockMeter::counters};
    case ClockSource::sentinel:
      return {ClockMeter::sentinel};
    case ClockSource::both:
      return {ClockMeter::counters, ClockMeter::sentinel};
    case ClockSource::automatic:
      return {ClockMeter::counters, ClockMeter::sentinel};
    case ClockSource::off:
      break;
  }
  return {};
}

const char* name_of(ClockMeter meter) { return meter == ClockMeter::counters ? "counters" : "sentinel"; }

void note(std::string& missing, ClockMeter meter, const std::string& why) {
  missing += std::string(missing.empty() ? "" : "; ") + name_of(meter) + ": " + why;
}

/// The meters that work here and are asked for; the reasons of those that do not go to `missing`.
std::vector<Series> usable_meters(Stream& stream, ClockSource source, std::string& missing) {
  std::vector<Series> out;
  for (const auto meter : wanted_meters(source)) {
    const auto problem = stream.meter_problem(meter);
    if (!problem.empty()) {
      note(missing, meter, problem);
      continue;
    }
    out.push_back({.meter = meter});
    if (source == ClockSource::automatic) break;
  }
  return out;
}

}  // namespace

EffectiveClock measure_effective_clock(Session& session, Sampler& sampler, Pacer& pacer, const Protocol& protocol,
                                       Nanoseconds duration, const Control& control) {
  EffectiveClock out;
  if (protocol.effective_clock == ClockSource::off) {
    out.missing = "switched off (--effective-clock off)";
    return out;
  }
  auto all = usable_meters(session.device().stream(), protocol.effective_clock, out.missing);
  const double level = protocol.confidence;
  const auto longest = std::max(sentinel_least, duration * protocol.batch * sentinel_margin);
  const auto worked = [&] { return session.device().host_now() - pacer.waited(); };  // waiting is counted apart
  const auto deadline = worked() + protocol.max_time * share_of_time;
  const auto wants_more = [&](const Series& series) {
    const bool late = worked() > deadline;
    return series.wants_more(level) && !(late && !series.mhz.empty());
  };
  while (std::ranges::any_of(all, wants_more) && !control.interrupted()) {
    control.progress({.phase = "clock"});
    const auto group = pacer.next(control);
    for (std::size_t i = 0; i < group.size; ++i) {
      for (auto& series : all) {
        if (!wants_more(series)) continue;
        const auto mhz = sampler.meter(series.meter, longest);
        if (mhz && *mhz > 0) {
          series.mhz.push_back(*mhz);
        } else {
          ++series.failures;
        }
      }
    }
  }
  out.counters_mhz = estimate(all, ClockMeter::counters, level);
  out.sentinel_mhz = estimate(all, ClockMeter::sentinel, level);
  out.mhz = out.counters_mhz ? out.counters_mhz : out.sentinel_mhz;
  if (out.mhz) out.source = name_of(out.counters_mhz ? ClockMeter::counters : ClockMeter::sentinel);
  for (const auto& series : all) {
    if (series.mhz.empty()) note(out.missing, series.meter, "gave no reading: it had to end before the call did");
  }
  return out;
}

}  // namespace warpclock
