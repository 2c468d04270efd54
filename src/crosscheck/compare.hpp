// Ours against Nsight Compute's on one point: the differences, and which of them mean something. Pure.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/result.hpp"
#include "crosscheck/ncu.hpp"
#include "crosscheck/ncu_point.hpp"

namespace warpclock {

/// ncu's gpu__time_duration is longer than the activity record of the same kernel, by where its stamps are taken:
/// 0.84 to 0.96 us on kernels of known length, 1.0 to 3.0 us on others (H200, driver 580.159.04, clocks free). A
/// difference within this range is expected and no disagreement.
inline constexpr double least_stamp_difference_ns = 800;
inline constexpr double most_stamp_difference_ns = 3000;
/// Beyond the stamps: two tools in two processes, each with its own clocks and its own moment.
inline constexpr double agreement = 0.02;

enum class Verdict {
  agree,
  within_spread,  // they differ by less than ncu differs from itself
  differ,
  not_comparable,  // a caveat says why
  missing,         // one of the two figures is not there
};

/// Why a pair of figures must not, or only with care, be compared. Those it makes incomparable are set.
struct Caveat {
  std::string id;       // "cache-state"
  std::string message;  // one line, with figures
  bool time = false;
  bool cycles = false;
  bool dram = false;
};

/// Which of our times is compared: not always the headline, since ncu times kernels and nothing around them.
enum class OurTime {
  kernel,
  kernels_only,  // of a call that also has copies or fills, which ncu does not profile
  call,          // where there are no activity records
};

struct OurSide {
  OurTime what = OurTime::kernel;
  Estimate time_ns;
  std::optional<double> clock_mhz;
  std::string clock_source;  // "sentinel", "counters"; "probe": beside the samples and not while the kernel ran
  std::optional<double> cycles;
};

struct Comparison {
  std::string benchmark;
  Point point;
  Status status = Status::ok;
  std::string error;
  Conditions conditions;
  Work work;                         // declared
  std::string bound;                 // "compute", "memory"; empty where it is not known
  std::vector<std::string> kernels;  // that our records name, in order

  std::optional<OurSide> ours;
  std::optional<NcuPoint> ncu;
  std::string ncu_missing;  // why there is none

  std::optional<double> time_difference_ns;              // ncu minus ours
  std::optional<std::pair<double, double>> expected_ns;  // between which it lies where nothing but the stamps differs
  std::optional<double> cycle_difference;                // ncu minus ours
  std::optional<double> read_ratio;                      // DRAM bytes over declared ones
  std::optional<double> written_ratio;
  Verdict time = Verdict::missing;
  Verdict cycles = Verdict::missing;
  Verdict dram = Verdict::missing;
  std::vector<Caveat> caveats;
};

/// Either side may be absent: a result without times, an ncu that failed (`missing` says why).
[[nodiscard]] Comparison compare(const Result& result, const std::optional<NcuPoint>& ncu, const std::string& missing,
                                 const NcuSettings& settings);

/// "kernel time", "kernel time without copies and fills", "call time".
[[nodiscard]] std::string to_string(OurTime time);

/// "agree", "within-spread", "differ", "not-comparable", "missing": as they stand in JSON.
[[nodiscard]] std::string to_string(Verdict verdict);

}  // namespace warpclock
