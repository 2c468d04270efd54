// Plain result data: what measuring and analysing one point leaves behind, and the environment it came from.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/estimate.hpp"
#include "core/point.hpp"
#include "core/sample.hpp"
#include "core/telemetry.hpp"
#include "core/units.hpp"

namespace warpclock {

/// A figure of the benchmark's own about one call.
struct Counter {
  std::string name;         // "blocks"
  double value = 0;         // of one call
  std::string unit;         // may be empty
  bool per_second = false;  // shown over the headline time, as items and bytes are
};

/// What one call has to do at least. Counts are of the algorithm, not of an implementation.
struct Work {
  double flops = 0;
  double bytes_read = 0;
  double bytes_written = 0;
  std::string
      compute_type;  // "fp32", "bf16", ...: which row of the peak table the flops belong to; empty without flops
  double items = 0;  // a call works on this many; 0: not told
  std::string item;  // what one of them is: "token"
  std::vector<Counter> counters;  // of the benchmark's own

  [[nodiscard]] double bytes() const { return bytes_read + bytes_written; }
};

/// Something the reader must know, as a value: the table, the JSON and a test all see the same one.
struct Finding {
  enum class Severity : std::uint8_t { note, warning };
  std::string id;  // stable, lower case with hyphens: "launch-bound"
  Severity severity = Severity::warning;
  std::string message;  // one line: what was seen, with figures
  std::string remedy;   // one line: what to do about it; may be empty
};

enum class Status : std::uint8_t {
  ok,
  wrong,        // ran, and its outputs do not match the reference
  failed,       // raised an error
  skipped,      // could not be asked for on this device (size, dtype)
  interrupted,  // stopped by the user while it ran; what was measured is there
};

/// Why sampling stopped.
enum class StopReason : std::uint8_t {
  precision,    // the interval is as narrow as was asked for
  resolution,   // the interval is as narrow as the timer's step
  samples,      // the fixed number of samples was taken
  max_time,     // the time for one point was used up
  plateau,      // more samples no longer narrow the interval
  interrupted,  // the user asked to stop
};

enum class Headline : std::uint8_t { kernel_time, call_time };

/// State in which the samples were taken, as it was, not as it was asked for.
struct Conditions {
  std::string cache;             // "cold-clean", "cold-dirty", "warm", "rotated"
  Bytes flush_bytes = 0;         // 0 where nothing was flushed
  std::string cover;             // "hold", "spin", "matmul", "none"
  std::string regime = "burst";  // "burst", "sustained"; never blended
  std::uint32_t batch = 1;       // calls inside one pair of marks; times are divided by it
  std::uint32_t copies = 1;      // distinct copies of the operands
  std::string call_timer;        // what made the marks
  Nanoseconds call_timer_step{0};
  std::string kernel_timer;  // what made the records; empty where the device has no tracing
  Nanoseconds kernel_timer_step{0};
  Nanoseconds gap{0};          // idle time put between two blocks of samples
  Nanoseconds settle_wait{0};  // time waited for the device to recover, in all
  bool settled = true;
  std::optional<double> reference_clock_mhz;  // the device's recovered clock
  std::optional<double> locked_clock_mhz;     // to which warpclock has locked the SM clock: a ceiling, not a promise
  std::optional<double> locked_memory_clock_mhz;
  Nanoseconds soak_time{0};  // sustained: time the call ran back to back before the samples
  bool steady = true;        // sustained: clock, power and temperature stood still when sampling began
  std::string data;          // distribution of the inputs
  std::uint64_t seed = 0;
  std::vector<std::string>
      just_written;  // operands written again between flush and call, as the work before leaves them
  std::vector<std::string> own_buffers;  // memory of the benchmark's own: neither rotated nor restored nor guarded
};

/// One kernel (or copy, or fill) inside the call, over the traced samples.
struct KernelShare {
  std::string name;
  std::string kind;     // "kernel", "copy", "fill"
  double per_call = 0;  // launches of it in one call
  Estimate time_ns;     // of all its launches in one call
};

/// Speed of light: how close the measured time is to the floor that the hardware sets.
struct Sol {
  double percent = 0;                      // floor time / measured time
  std::string bound;                       // "compute" or "memory": which of the two set the floor
  double peak = 0;                         // of the bounding resource, in `unit`
  std::string unit;                        // "TFLOP/s" or "GB/s"
  std::string source;                      // where the peak comes from
  std::optional<double> percent_at_clock;  // at the effective clock instead of the nominal one; compute-bound only
};

/// Comparison of the outputs with the reference.
struct Check {
  enum class State : std::uint8_t { passed, failed, unchecked };
  State state = State::unchecked;
  double max_error = 0;  // largest error seen, relative to the scale of the output
  double tolerance = 0;  // what is allowed
  std::string detail;    // first wrong element, or why there was no check
};

struct Result {
  std::string benchmark;
  Point point;
  Status status = Status::ok;
  std::string error;  // one line; set where status is not ok

  Headline headline = Headline::kernel_time;
  std::optional<Summary> kernel_time_ns;  // sum over the records of a call
  std::optional<Summary> busy_ns;
  std::optional<Summary> call_time_ns;   // raw
  std::optional<double> call_offset_ns;  // calibrated on the oracles: call time of a kernel minus its kernel time
  std::optional<Summary> host_time_ns;
  std::optional<Nanoseconds> first_call;
  std::optional<Estimate> marginal_time_ns;  // null unless asked for

  EffectiveClock effective_clock;
  std::optional<double> cycles_per_call;  // headline time x effective clock
  std::vector<TelemetryBlock> telemetry;  // before the first block of samples and after each
  std::optional<Energy> energy;           // sustained only
  std::string energy_missing;             // why there is none
  std::optional<double> over_burst;       // sustained: headline time over that of the same point in regime burst

  Work work;
  std::optional<Sol> sol;
  Check check;
  Conditions conditions;
  double launches_per_call = 0;  // 0: nothing ran on the device
  std::vector<KernelShare> kernels;
  std::vector<Sample> samples;  // all, in run order
  std::size_t rejected_stamps = 0;
  StopReason stop_reason = StopReason::precision;
  Nanoseconds wall_time{0};  // host time this point took, everything included
  std::vector<Finding> findings;

  /// The time that is shown first: kernel time for a call of one kernel, call time for a call of several.
  [[nodiscard]] const Summary* headline_summary() const {
    const auto& chosen = headline == Headline::kernel_time ? kernel_time_ns : call_time_ns;
    return chosen ? &*chosen : nullptr;
  }
};

/// Where and with what the results were made. Pairs keep their order when printed.
struct Environment {
  std::vector<std::pair<std::string, std::string>> device;     // id, name, cache, clocks, ...
  std::vector<std::pair<std::string, std::string>> host;       // cpu, cores, kernel, ...
  std::vector<std::pair<std::string, std::string>> versions;   // warpclock, compiler, libraries
  std::vector<std::pair<std::string, std::string>> settings;   // every row of the settings table
  std::vector<std::pair<std::string, std::string>> variables;  // environment variables that change timings
  std::string started_utc;                                     // ISO 8601
};

/// Stable names, as they stand in JSON.
[[nodiscard]] std::string to_string(Status status);
[[nodiscard]] std::string to_string(StopReason reason);
[[nodiscard]] std::string to_string(Headline headline);
[[nodiscard]] std::string to_string(Check::State state);
[[nodiscard]] std::string to_string(Finding::Severity severity);

}  // namespace warpclock
