// The script of the simulated device: every figure of its model. The defaults look like an H200-class GPU; figures
// called "measured" were taken on one (driver 580, CUDA 13.0).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "backends/sim/kernel.hpp"
#include "backends/sim/noise.hpp"
#include "core/units.hpp"
#include "device/device.hpp"

namespace warpclock::sim {

/// Dense floating-point operations that one SM does per clock in one type.
struct ComputeRate {
  std::string type;  // "fp32", "bf16", ...
  double flops_per_clock = 0;
};

/// From this virtual time on the unlimited clock is `mhz`.
struct ClockStep {
  Nanoseconds at{0};
  double mhz = 0;
};

/// The clock some idle time after the limiter was last engaged.
struct RecoveryPoint {
  Nanoseconds idle{0};
  double mhz = 0;
};

/// A power limiter. Energy above what can be sustained fills a bucket and drains from it; a full bucket pulls the clock
/// down to `recovery.front().mhz`, from where it returns along the recovery curve as soon as the bucket is not full.
struct LimiterConfig {
  bool enabled = true;
  double sustainable = 0.6;               // power at which the bucket neither fills nor drains, 1 is the power limit
  Nanoseconds bucket = milliseconds(10);  // of full power: full after 25 ms at power 1
  /// Ascending in both; the first entry is the clock while engaged. Measured after 0.7 s of a matmul.
  std::vector<RecoveryPoint> recovery = {{milliseconds(0), 1365},   {milliseconds(20), 1485},
                                         {milliseconds(50), 1694},  {milliseconds(100), 1889},
                                         {milliseconds(300), 1965}, {milliseconds(1000), 1980}};
};

/// What the management library of the simulated chip tells.
struct TelemetryConfig {
  std::vector<std::string> missing{};   // fields (core/telemetry.hpp) that it does not tell
  double limit_watts = 700;             // power 1
  double idle_watts = 80;               // beside what kernels draw
  Nanoseconds step = milliseconds(20);  // of the energy counter and of the mean power
  double idle_celsius = 30;
  double celsius_per_watt = 0.06;  // above idle_watts, at once: the model has no heat capacity
};

/// The meters of the effective clock.
struct MeterConfig {
  bool sentinel = true;  // false: that meter does not work
  bool counters = true;
  bool sentinel_starves = false;  // it always has to end before the call
  double sentinel_noise = 0.001;  // relative standard deviation of a reading
  double counters_noise = 0;
  double sentinel_slows = 1;   // by which the sentinel, in the way of the call, makes it longer
  double sentinel_factor = 1;  // and what it reads of the clock then
};

/// Another process takes this share of the device's time between two moments.
struct Contamination {
  Nanoseconds from{0};
  Nanoseconds until{0};
  double share = 0.5;  // in [0, 1)
};

/// A fault at one launch. Launches of SimKernels (not of oracles) are counted from 0, side streams included.
struct ScriptedFault {
  std::uint64_t launch = 0;
  Fault fault = Fault::throw_at_launch;
};

enum class BadStamp : std::uint8_t {
  zero,      // elapsed() from or to it is 0
  reversed,  // elapsed() from or to it is -1 us
};

/// A wrong stamp at one mark. Marks are counted from 0 since the device was made.
struct ScriptedStamp {
  std::uint64_t mark = 0;
  BadStamp bad = BadStamp::zero;
};

struct SimConfig {
  std::uint64_t seed = 1;
  std::string id = "sim";
  std::string name = "simulated GPU";

  // Chip
  std::uint32_t multiprocessors = 132;
  double nominal_clock_mhz = 1980;
  std::vector<ComputeRate> compute = {
      {"fp32", 256}, {"tf32", 2048}, {"fp16", 4096}, {"bf16", 4096}, {"fp8", 8192}};  // of an sm_90 multiprocessor
  Bytes memory = 80'000'000'000;
  double memory_bandwidth = 4.583e12;  // bytes/s that a kernel reaches; measured read ceiling
  double nominal_bandwidth = 4.8e12;   // bytes/s of the data sheet: the peak in peaks()
  Bytes l2 = Bytes{60} << 20;
  double l2_bandwidth = 9.8e12;                // bytes/s; from a 32 MiB read, 12.3 us cold and 8.4 us warm
  double write_back_bandwidth = 9.6e12;        // bytes/s; from the same read after a memset, 15.8 us
  double link_bandwidth = 50e9;                // bytes/s between host and device
  Nanoseconds kernel_floor = microseconds(1);  // no record is shorter

  // Stream
  Nanoseconds launch_cost = microseconds(2);       // host time to enqueue anything
  Nanoseconds release_cost = Nanoseconds{100};     // host time of release()
  Nanoseconds launch_latency = Nanoseconds{1500};  // from enqueued, or released, to started
  Nanoseconds mark_floor = Nanoseconds{1250};      // two marks around nothing, held; measured 1.25 to 1.31 us
  Nanoseconds call_offset = Nanoseconds{2400};  // two marks around one kernel minus its record; measured 2.3 to 2.5 us
  Nanoseconds kernel_gap = Nanoseconds{970};    // between kernels back to back; measured 0.97 us
  Nanoseconds mark_step = Nanoseconds{32};      // measured
  Nanoseconds record_step = Nanoseconds{1};
  Nanoseconds mark_jitter{0};                     // standard deviation of a stamp
  std::size_t queue_limit = 1024;                 // commands in the queue before the host has to wait; 0: no limit
  Nanoseconds trace_overhead = Nanoseconds{200};  // host time of a launch on top of launch_cost while tracing
  bool tracing = true;                            // false: a device without activity records
  bool holding = true;                            // false: "hold" is listed as not working and hold() throws

  // First use. Both wait for the device, so a hold around them ends by its watchdog. 0: none.
  Nanoseconds first_launch = microseconds(300);         // host time to load a SimKernel of a name not seen before
  Nanoseconds first_traced_launch = microseconds(100);  // host time at the first SimKernel after start_trace()

  // Clock
  std::vector<ClockStep> clock_steps{};  // ascending; before the first one the nominal clock holds
  LimiterConfig limiter{};               // goes below a lock as below any other clock
  bool locking = true;                   // false: a lock is refused, as without permission
  double lowest_clock_mhz = 345;         // clocks to lock are from here to the nominal one in steps
  double clock_step_mhz = 15;
  double base_clock_mhz = 1590;
  Nanoseconds probe_time = microseconds(20);
  double probe_noise = 0.001;  // relative standard deviation of what a probe reads
  MeterConfig meters{};
  TelemetryConfig telemetry{};

  // Noise and faults
  SimNoise noise{};         // of SimKernels
  SimNoise oracle_noise{};  // of the oracles, drawn from another sequence
  std::vector<Contamination> contamination{};
  std::vector<ScriptedFault> faults{};
  std::vector<ScriptedStamp> bad_stamps{};
  double bad_stamp_share = 0;  // beside those: part of the marks that are bad, in [0, 1]
  BadStamp bad_stamp = BadStamp::zero;
};

/// Nominal peaks of the simulated chip at its nominal clock: memory bandwidth and one row a compute type.
[[nodiscard]] std::vector<Peak> peaks(const SimConfig& config);

/// throws UsageError for a script that makes no sense (rates or steps not positive, shares outside [0, 1], unsorted)
void require_valid(const SimConfig& config);

}  // namespace warpclock::sim
