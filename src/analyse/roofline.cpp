#include "analyse/roofline.hpp"

#include <algorithm>

namespace warpclock {
namespace {

const Peak* find_peak(const Roofline& roofline, const std::string& resource) {
  const auto found = std::ranges::find(roofline.peaks, resource, &Peak::resource);
  return found == roofline.peaks.end() ? nullptr : &*found;
}

/// A floor in nanoseconds and the roof that sets it.
struct Floor {
  double ns = 0;
  std::string bound;
  double peak = 0;
  std::string unit;
  std::string source;
  double clock_mhz = 0;
};

std::optional<Floor> compute_floor(const Work& work, const Roofline& roofline) {
  const auto* peak = work.flops > 0 ? find_peak(roofline, work.compute_type) : nullptr;
  if (peak == nullptr) return std::nullopt;
  return Floor{work.flops / (peak->value * 1e3), "compute", peak->value, peak->unit, peak->source, peak->clock_mhz};
}

std::optional<Floor> memory_floor(const Work& work, const Roofline& roofline) {
  if (work.bytes() <= 0) return std::nullopt;
  if (const auto* peak = find_peak(roofline, "memory")) {
    return Floor{work.bytes() / peak->value, "memory", peak->value, peak->unit, peak->source};
  }
  const auto ceiling = ceiling_for(roofline, work.bytes_read / work.bytes());
  if (!ceiling) return std::nullopt;
  return Floor{work.bytes() / ceiling->gb_per_s, "memory", ceiling->gb_per_s, "GB/s", ceiling->source};
}

}  // namespace

std::optional<Ceiling> ceiling_for(const Roofline& roofline, double read_share) {
  const auto& all = roofline.ceilings;
  if (all.empty()) return std::nullopt;
  const auto above = std::ranges::find_if(all, [&](const Ceiling& c) { return c.read_share >= read_share; });
  if (above == all.end()) return all.back();
  if (above == all.begin() || above->read_share == read_share) return *above;
  const auto& low = *(above - 1);
  const auto& high = *above;
  const double part = (read_share - low.read_share) / (high.read_share - low.read_share);
  // Times add up, bandwidths do not.
  const double ns_per_byte = (1 - part) / low.gb_per_s + part / high.gb_per_s;
  return Ceiling{read_share, 1 / ns_per_byte, low.source + ", " + high.source};
}

std::optional<Sol> speed_of_light(const Work& work, double measured_ns, const Roofline& roofline, bool memory_applies,
                                  std::optional<double> clock_mhz) {
  const auto compute = compute_floor(work, roofline);
  const auto memory = memory_applies ? memory_floor(work, roofline) : std::nullopt;
  // One known roof is no floor where the other one may lie higher: a skinny matmul without a memory roof has no SOL.
  const bool compute_missing = work.flops > 0 && !compute && !work.compute_type.empty();
  if (compute_missing && !memory) return std::nullopt;
  if (!compute && !memory) return std::nullopt;
  const auto& floor = !memory || (compute && compute->ns > memory->ns) ? *compute : *memory;
  Sol sol{.percent = 100 * floor.ns / measured_ns,
          .bound = floor.bound,
          .peak = floor.peak,
          .unit = floor.unit,
          .source = floor.source};
  if (floor.bound == "compute" && floor.clock_mhz > 0 && clock_mhz && *clock_mhz > 0) {
    sol.percent_at_clock = sol.percent * floor.clock_mhz / *clock_mhz;
  }
  return sol;
}

}  // namespace warpclock
