// Measures one point in one regime: first call, check, count, settle or heat, traced pass, untraced pass, effective
// clock, check (measuring.md, part 2).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/result.hpp"
#include "device/workload.hpp"
#include "measure/control.hpp"
#include "measure/energy.hpp"
#include "measure/session.hpp"
#include "plan/protocol.hpp"

namespace warpclock {

/// Time of one kernel of the call in every traced sample, in run order.
struct KernelSeries {
  std::string name;
  std::string kind;
  std::vector<double> time_ns;  // sum over its launches in one call
  std::size_t launches = 0;     // in all traced calls together
};

/// Time of `length` calls in a row between one pair of marks.
struct ChainSample {
  std::uint32_t length = 0;
  Nanoseconds time{0};
};

/// Everything that was observed, nothing concluded.
struct Measurement {
  std::vector<Sample> samples;  // traced pass, then untraced pass
  std::vector<KernelSeries> kernels;
  std::vector<ChainSample> chains;
  std::size_t traced_calls = 0;
  Nanoseconds first_call{0};
  std::optional<std::size_t> launches_per_call;  // records of one call; empty without tracing
  std::optional<CallOffset> call_offset;
  Headline headline = Headline::kernel_time;
  StopReason stop_reason = StopReason::precision;
  bool held_allowed = true;  // false: the call has more launches than the device's queue takes behind a hold
  Conditions conditions;
  std::string lock_problem;  // why a clock lock that was asked for is not in force; empty where it is, or none was
  Check check_before, check_after;
  EffectiveClock effective_clock;
  std::vector<TelemetryBlock> telemetry;
  EnergyReading energy;
  Bytes footprint = 0;
  Work work;
  Nanoseconds wall_time{0};
};

///   protocol  its regime is burst or sustained; both are two measurements
/// throws KernelError, DeviceError as the workload and the device do; stream and tracing are left clean either way.
/// Interruption is not an error: what was taken so far is returned with StopReason::interrupted.
[[nodiscard]] Measurement measure(Session& session, Workload& workload, const Protocol& protocol,
                                  const Control& control = {});

}  // namespace warpclock
