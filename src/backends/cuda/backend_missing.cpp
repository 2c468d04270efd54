// backend.hpp for a build without CUDA: says what it lacked.
#include "backends/cuda/backend.hpp"
#include "core/errors.hpp"

namespace warpclock::cuda {

const std::string& missing_at_build_time() {
  static const std::string reason =
      "cuda: this warpclock was built without CUDA (" WARPCLOCK_CUDA_MISSING
      "); install the toolkit's compiler and headers, or name them by -DWARPCLOCK_CUDA_ROOT, and build again";
  return reason;
}

std::vector<std::string> device_ids() { throw DeviceError(missing_at_build_time()); }

std::unique_ptr<Device> open_device(const std::string&) { throw DeviceError(missing_at_build_time()); }

std::function<void(ClockDomain)> clock_reset(const std::string&) { throw DeviceError(missing_at_build_time()); }

}  // namespace warpclock::cuda
