// From what was observed to what it means: estimates, speed of light, findings. Knows no device, only its description.
#pragma once

#include <string>
#include <vector>

#include "analyse/roofline.hpp"
#include "core/result.hpp"
#include "device/device.hpp"
#include "measure/measure.hpp"
#include "plan/protocol.hpp"

namespace warpclock {

struct AnalysisContext {
  const DeviceInfo& device;
  const Protocol& protocol;
  const Roofline& roofline;
};

[[nodiscard]] Result analyse(const std::string& benchmark, const Point& point, const Measurement& measured,
                             const AnalysisContext& context);

}  // namespace warpclock
