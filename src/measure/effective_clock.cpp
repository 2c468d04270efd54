#include "measure/effective_clock.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
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
// What the sentinel sees beside the call: its own least span for short ones, and the edges.
constexpr auto sentinel_edges = microseconds(25);
constexpr double slowing_allowed = 0.05;

/// Readings of one meter.
struct Series {
  ClockMeter meter = ClockMeter::sentinel;
  std::vector<double> mhz;
  std::vector<double> span_ns;
  std::size_t failures = 0;
};

const char* name_of(ClockMeter meter) { return meter == ClockMeter::counters ? "counters" : "sentinel"; }

class ClockPass {
 public:
  ClockPass(Session& session, Sampler& sampler, Pacer& pacer, const Protocol& protocol, Nanoseconds call,
            const Control& control)
      : session_(session),
        stream_(session.device().stream()),
        sampler_(sampler),
        pacer_(pacer),
        protocol_(protocol),
        sample_(call * protocol.batch),
        control_(control) {}

  EffectiveClock run() {
    switch (protocol_.effective_clock) {
      case ClockSource::off:
        out_.missing = "switched off (--effective-clock off)";
        break;
      case ClockSource::counters:
        out_.counters_mhz = by(ClockMeter::counters);
        break;
      case ClockSource::sentinel:
        out_.sentinel_mhz = by(ClockMeter::sentinel);
        break;
      case ClockSource::automatic:
        out_.sentinel_mhz = by(ClockMeter::sentinel);
        // Setting up the counters lets the chip rest for some 10 ms: no clock of a sustained state.
        if (protocol_.regime == Regime::burst && (!out_.sentinel_mhz || in_the_way_))
          out_.counters_mhz = by(ClockMeter::counters);
        break;
      case ClockSource::both:
        out_.sentinel_mhz = by(ClockMeter::sentinel);
        out_.counters_mhz = by(ClockMeter::counters);
        break;
    }
    out_.mhz = out_.counters_mhz ? out_.counters_mhz : out_.sentinel_mhz;
    if (out_.mhz) out_.source = name_of(out_.counters_mhz ? ClockMeter::counters : ClockMeter::sentinel);
    return std::move(out_);
  }

 private:
  /// The clock by one meter; why there is none goes to `missing`.
  std::optional<Estimate> by(ClockMeter meter) {
    if (const auto problem = stream_.meter_problem(meter); !problem.empty()) {
      note(meter, problem);
      return std::nullopt;
    }
    Series series{.meter = meter};
    deadline_.reset();
    if (meter == ClockMeter::sentinel) set_deadline();
    while (wants_more(series) && !control_.interrupted()) {
      control_.progress({.phase = "clock"});
      const auto group = pacer_.next(control_);
      for (std::size_t i = 0; i < group.size && wants_more(series); ++i) take(series);
    }
    if (series.mhz.empty()) {
      note(meter, "it had to end before the call did");
      return std::nullopt;
    }
    if (meter == ClockMeter::sentinel) look_whether_in_the_way(series);
    return median(series.mhz, protocol_.confidence);
  }

  void take(Series& series) {
    const auto longest = std::max(sentinel_least, sample_ * sentinel_margin);
    const auto reading = sampler_.meter(series.meter, longest);
    if (!deadline_) set_deadline();  // the first reading of the counters sets them up
    if (!reading || reading->mhz <= 0) {
      ++series.failures;
      return;
    }
    series.mhz.push_back(reading->mhz);
    series.span_ns.push_back(reading->span.count());
  }

  void set_deadline() { deadline_ = worked() + protocol_.max_time * share_of_time; }

  [[nodiscard]] bool wants_more(const Series& series) const {
    if (series.failures > failures_allowed || series.mhz.size() >= most) return false;
    if (!series.mhz.empty() && deadline_ && worked() > *deadline_) return false;
    return series.mhz.size() < fewest ||
           median(series.mhz, protocol_.confidence).relative_half_width() > precise_enough;
  }

  /// Time that was not waited for the chip.
  [[nodiscard]] Nanoseconds worked() const {
    return session_.device().host_now() - pacer_.waited() - sampler_.heated();
  }

  /// A kernel that fills the shared memory of each SM runs partly after the others where the sentinel sits, and draws
  /// less power meanwhile: measured on an H200, a matmul of 173 us took 213 us and ran at a clock 5 % higher.
  void look_whether_in_the_way(const Series& series) {
    const double slower = median(series.span_ns).value / (sample_ + sentinel_edges).count();
    in_the_way_ = slower > 1 + slowing_allowed;
    if (!in_the_way_) return;
    note(ClockMeter::sentinel,
         fmt::format("in the way of the call, which took {:.0f} % longer beside it", 100 * (slower - 1)));
  }

  void note(ClockMeter meter, const std::string& why) {
    out_.missing += std::string(out_.missing.empty() ? "" : "; ") + name_of(meter) + ": " + why;
  }

  Session& session_;
  Stream& stream_;
  Sampler& sampler_;
  Pacer& pacer_;
  const Protocol& protocol_;
  Nanoseconds sample_;  // the calls of one sample, alone
  const Control& control_;
  std::optional<Nanoseconds> deadline_;
  bool in_the_way_ = false;
  EffectiveClock out_;
};

}  // namespace

EffectiveClock measure_effective_clock(Session& session, Sampler& sampler, Pacer& pacer, const Protocol& protocol,
                                       Nanoseconds call, const Control& control) {
  return ClockPass(session, sampler, pacer, protocol, call, control).run();
}

}  // namespace warpclock
