#include "crosscheck/caveats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <string_view>

namespace warpclock {
namespace {

// Two clocks that are closer than this are one: the agreement that is asked for (compare.hpp).
constexpr double same_clock = agreement;
// Kernels whose union is shorter than their sum by more than this overlap; stamps alone make up to one step each.
constexpr double overlap = 0.02;
constexpr double all_bytes = 0.97;
constexpr double more_bytes = 1.1;

/// Everything that a rule may look at.
struct Case {
  const Comparison& c;
  const Result& result;
  const NcuSettings& settings;

  [[nodiscard]] bool memory_bound() const { return c.bound == "memory"; }
  [[nodiscard]] bool several() const { return c.ncu->kernels.size() > 1; }
};

using Found = std::optional<Caveat>;

Caveat both(std::string id, std::string message) {
  return {.id = std::move(id), .message = std::move(message), .time = true, .cycles = true};
}

/// Another clock changes the time of what the SMs limit, and the cycles of what memory limits.
Caveat by_clock(const Case& at, std::string id, const std::string& message) {
  return {.id = std::move(id),
          .message = message + ": times are no pair, cycles are one unless memory sets the pace",
          .time = true,
          .cycles = at.memory_bound()};
}

Found cache_state(const Case& at) {
  const auto& ours = at.c.conditions.cache;
  const bool cleared = at.settings.cache_control == "all";
  if (cleared && ours != "cold-clean") {
    return both("cache-state",
                fmt::format("ours is {}, and ncu clears the caches before each kernel; measure with --cache "
                            "cold, or give --ncu-args '--cache-control none' beside --cache warm",
                            ours));
  }
  if (!cleared && ours != "warm") {
    return both("cache-state",
                fmt::format("ours is {}, and ncu leaves the caches as the call before left them; measure "
                            "with --cache warm",
                            ours));
  }
  return std::nullopt;
}

Found cache_not_cleared(const Case& at) {
  if (at.settings.cache_control == "all") return std::nullopt;
  return Caveat{.id = "dram-warm",
                .message = "ncu does not clear the caches, so its DRAM bytes prove no cold start",
                .dram = true};
}

Found cache_within_call(const Case& at) {
  if (!at.several() || at.settings.cache_control != "all") return std::nullopt;
  return both("cache-within-call",
              fmt::format("a call is {} kernels, and ncu clears the caches before each of them: ours "
                          "finds what the kernel before it has left",
                          at.c.ncu->kernels.size()));
}

Found clock_control(const Case& at) {
  if (at.settings.clock_control == "none") return std::nullopt;
  return by_clock(
      at, "clock-control",
      fmt::format("ncu ran with --clock-control {}, ours with the clocks as they are", at.settings.clock_control));
}

Found locked_clock(const Case& at) {
  if (!at.c.conditions.locked_clock_mhz) return std::nullopt;
  return by_clock(at, "locked-clock",
                  fmt::format("ours ran with the SM clock locked to {:.0f} MHz, ncu without the lock",
                              *at.c.conditions.locked_clock_mhz));
}

Found regime(const Case& at) {
  if (at.c.conditions.regime == "burst") return std::nullopt;
  return by_clock(at, "regime",
                  fmt::format("ours is {}, on a chip at its power limit; ncu profiles single calls with pauses between",
                              at.c.conditions.regime));
}

/// ncu's clock is its cycles over its time, whose stamps lie further apart than its counters count: the true one lies
/// between that and the cycles over the time without the stamps.
bool same_clocks(double ours, const NcuPoint& ncu) {
  const double least = ncu.clock_mhz->value;
  const double counted = ncu.time_ns.value - most_stamp_difference_ns * static_cast<double>(ncu.kernels.size());
  if (ours < least * (1 - same_clock)) return false;
  return counted <= 0 || ours <= least * ncu.time_ns.value / counted * (1 + same_clock);
}

Found clocks_differ(const Case& at) {
  const auto& ours = at.c.ours->clock_mhz;
  if (!ours || !at.c.ncu->clock_mhz || at.c.ours->clock_source == "probe") return std::nullopt;
  if (same_clocks(*ours, *at.c.ncu)) return std::nullopt;
  const std::string clocks =
      fmt::format("the SMs ran at {:.0f} MHz in ours and at {:.0f} MHz in ncu", *ours, at.c.ncu->clock_mhz->value);
  if (at.memory_bound()) {
    return Caveat{.id = "clocks-memory-bound", .message = clocks + ": cycles are no pair, times are", .cycles = true};
  }
  if (at.c.bound == "compute") {
    return Caveat{.id = "clocks-compute-bound", .message = clocks + ": times are no pair, cycles are", .time = true};
  }
  return Caveat{
      .id = "clocks",
      .message = clocks + ", and nothing says which of time and cycles that changes: one of the pairs is off"};
}

Found probe_clock(const Case& at) {
  if (at.c.ours->clock_source != "probe") return std::nullopt;
  return Caveat{
      .id = "probe-clock",
      .message = fmt::format("our clock ({:.0f} MHz) is the probe beside the samples, not the clock while the "
                             "kernel ran",
                             *at.c.ours->clock_mhz),
      .cycles = true};
}

Found overlapping(const Case& at) {
  const auto& busy = at.result.busy_ns;
  const auto& sum = at.result.kernel_time_ns;
  if (!at.several() || !busy || !sum || busy->median.value >= (1 - overlap) * sum->median.value) return std::nullopt;
  return both("overlap",
              fmt::format("the kernels of a call overlap (their sum is {:.2f} times their union), and ncu runs "
                          "them one by one",
                          sum->median.value / busy->median.value));
}

double launches_of_kind(const Result& result, bool kernels) {
  double count = 0;
  for (const auto& kernel : result.kernels) count += (kernel.kind == "kernel") == kernels ? kernel.per_call : 0;
  return count;
}

Found copies(const Case& at) {
  if (at.c.ours->what != OurTime::kernels_only) return std::nullopt;
  return Caveat{
      .id = "copies",
      .message = fmt::format("ours is without the call's copies and fills ({:.3g} a call, {:.2f} us), which ncu does "
                             "not profile",
                             launches_of_kind(at.result, false),
                             (at.result.kernel_time_ns->median.value - at.c.ours->time_ns.value) * 1e-3)};
}

Found launch_count(const Case& at) {
  const double ours = launches_of_kind(at.result, true);
  const auto ncu = static_cast<double>(at.c.ncu->kernels.size());
  if (ours == 0 || std::abs(ours - ncu) < 0.5) return std::nullopt;
  return both("launches", fmt::format("ours saw {:.3g} kernels a call and ncu {:.0f}: a CUDA graph, or a filter in "
                                      "--ncu-args",
                                      ours, ncu));
}

Found whole_graph(const Case& at) {
  if (at.settings.graph_profiling != "graph") return std::nullopt;
  return both("graph", "ncu profiled a CUDA graph as one: its time holds what lies between the kernels");
}

/// "Kernel2" of "void cutlass::Kernel2<...>(T1::Params)": the part that also occurs in the mangled name.
std::string core_of(std::string_view name) {
  name = name.substr(0, name.find_first_of("<("));
  while (!name.empty() && name.back() == ' ') name.remove_suffix(1);
  const auto last = name.find_last_of(" :");
  return std::string(last == std::string_view::npos ? name : name.substr(last + 1));
}

/// Our names are mangled, and those of our own kernels lack their prefix.
bool same_kernel(const std::string& ours, const std::string& ncu) {
  return ours.find(ncu) != std::string::npos || ncu.find(core_of(ours)) != std::string::npos;
}

Found other_kernel(const Case& at) {
  for (const auto& name : at.c.ncu->kernels) {
    const auto ncu = core_of(name);
    const bool seen = std::ranges::any_of(at.c.kernels, [&](const auto& ours) { return same_kernel(ours, ncu); });
    if (seen || at.c.kernels.empty()) continue;
    return both("other-kernel",
                fmt::format("ncu profiled {}, which ours did not run ({})", ncu, core_of(at.c.kernels.front())));
  }
  return std::nullopt;
}

Found batch(const Case& at) {
  if (at.c.conditions.batch == 1) return std::nullopt;
  return both("batch",
              fmt::format("ours is the mean over {} calls in a row, which start warm and overlap at their ends",
                          at.c.conditions.batch));
}

Found call_time(const Case& at) {
  if (at.c.ours->what != OurTime::call) return std::nullopt;
  if (!at.result.call_offset_ns) {
    return both("call-time", "ours is a raw call time without a calibrated offset: no activity records here");
  }
  return Caveat{.id = "call-time",
                .message = fmt::format(
                    "ours is a raw call time, whose offset on the oracles is {:.2f} us: ncu is expected "
                    "from {:+.1f} to {:+.1f} us away",
                    *at.result.call_offset_ns * 1e-3, at.c.expected_ns->first * 1e-3, at.c.expected_ns->second * 1e-3)};
}

Found spread(const Case& at) {
  const double spread = at.c.ncu->spread_ns();
  if (spread <= std::abs(*at.c.time_difference_ns)) return std::nullopt;
  return Caveat{
      .id = "ncu-spread",
      .message = fmt::format("ncu's own {} calls differ by {:.2f} us, more than it differs from ours; --repeat "
                             "takes more of them",
                             at.c.ncu->calls.size(), spread * 1e-3)};
}

Found bytes(const Case& at) {
  if (!at.c.read_ratio || at.settings.cache_control != "all") return std::nullopt;
  if (*at.c.read_ratio < all_bytes) {
    return Caveat{
        .id = "fewer-bytes",
        .message = fmt::format("{:.0f} % of the declared reads came from DRAM: the rest was still in a cache, or the "
                               "declared count is too high",
                               100 * *at.c.read_ratio)};
  }
  if (*at.c.read_ratio > more_bytes || at.c.written_ratio.value_or(0) > more_bytes) {
    return Caveat{
        .id = "more-bytes",
        .message = fmt::format("reads {:.2f} and writes {:.2f} times the declared bytes: operands do not stay in "
                               "the cache, or the declared counts are too low",
                               *at.c.read_ratio, at.c.written_ratio.value_or(0))};
  }
  return std::nullopt;
}

constexpr std::array rules{cache_state,
                           cache_not_cleared,
                           cache_within_call,
                           clock_control,
                           locked_clock,
                           regime,
                           clocks_differ,
                           probe_clock,
                           overlapping,
                           copies,
                           launch_count,
                           whole_graph,
                           other_kernel,
                           batch,
                           call_time,
                           spread,
                           bytes};

}  // namespace

std::vector<Caveat> caveats_of(const Comparison& comparison, const Result& result, const NcuSettings& settings) {
  const Case at{comparison, result, settings};
  std::vector<Caveat> found;
  for (const auto rule : rules) {
    if (auto caveat = rule(at)) found.push_back(std::move(*caveat));
  }
  return found;
}

}  // namespace warpclock
