// backend.hpp for a build with CUDA.
#include "backends/cuda/backend.hpp"

#include <fmt/format.h>

#include <charconv>

#include "backends/cuda/device.hpp"
#include "core/errors.hpp"

namespace warpclock::cuda {

const std::string& missing_at_build_time() {
  static const std::string nothing;
  return nothing;
}

std::vector<std::string> device_ids() {
  const auto driver = load_driver();
  int count = 0;
  check(*driver, driver->device_count(&count), "cuDeviceGetCount", driver->path);
  std::vector<std::string> ids;
  for (int i = 0; i < count; ++i) ids.push_back(fmt::format("cuda:{}", i));
  return ids;
}

std::unique_ptr<Device> open_device(const std::string& id) {
  int ordinal = 0;
  constexpr std::string_view prefix = "cuda:";
  const bool numbered = id.rfind(prefix, 0) == 0;
  const char* const begin = id.data() + (numbered ? prefix.size() : 0);
  const char* const end = id.data() + id.size();
  if (numbered) {
    const auto [stop, error] = std::from_chars(begin, end, ordinal);
    if (error != std::errc{} || stop != end || ordinal < 0) ordinal = -1;
  }
  if ((!numbered && id != "cuda") || ordinal < 0) {
    throw UsageError(fmt::format("device {}: a GPU is named cuda or cuda:N, N from 0", id));
  }
  return std::make_unique<CudaDevice>(ordinal);
}

std::function<void(ClockDomain)> clock_reset(const std::string& identity) {
  const auto dash = identity.find('-');
  const std::string uuid = dash == std::string::npos ? identity : identity.substr(dash + 1);
  const auto nvml = std::make_shared<NvmlDevice>(uuid, "");
  return [nvml](ClockDomain domain) { nvml->reset_clock(domain); };
}

}  // namespace warpclock::cuda
