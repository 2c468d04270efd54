// One pass over a point: samples with tracing on, or with tracing off, until their interval is narrow enough.
#pragma once

#include <optional>
#include <vector>

#include "measure/control.hpp"
#include "measure/measure.hpp"
#include "measure/pacing.hpp"
#include "measure/sampler.hpp"
#include "stats/stopping.hpp"

namespace warpclock {

struct PassPlan {
  Pass pass = Pass::untraced;
  StopRule rule;
  Nanoseconds time{0};                  // for sampling; waiting for the device to recover is counted apart
  std::optional<std::uint64_t> enough;  // stop here in any case, where another pass carries the headline
  std::size_t records_per_sample = 0;   // traced pass
  bool telemetry = true;                // read the chip's state after each block
  bool headline = true;                 // its time is the one whose interval decides and which progress shows
};

/// Takes samples and appends them to `out.samples` (`at` is the host's clock), kernels to `out.kernels`.
/// return: why it stopped.  throws what the call throws; tracing is off then
StopReason run_pass(Session& session, Sampler& sampler, Pacer& pacer, const PassPlan& plan, const Control& control,
                    Measurement& out);

}  // namespace warpclock
