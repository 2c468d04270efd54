#include "backends/registry.hpp"

#include "backends/cpu/device.hpp"
#include "backends/cuda/backend.hpp"
#include "backends/sim/device.hpp"
#include "core/errors.hpp"
#include "plan/suggest.hpp"

namespace warpclock {
namespace {

/// A backend that has one device, called like the backend.
template <class Make>
Backend single_device(const std::string& name, const std::string& summary, Make make) {
  return {name, summary, [name] { return std::vector{name}; },
          [name, make](const std::string& id) -> std::unique_ptr<Device> {
            if (id != name) throw UsageError("unknown device '" + id + "'; there is only one " + name + ": " + name);
            return make();
          },
          nullptr};
}

}  // namespace

const std::vector<Backend>& builtin_backends() {
  static const std::vector<Backend> backends{
      {"cuda", "NVIDIA GPUs, as CUDA_VISIBLE_DEVICES orders them", cuda::device_ids, cuda::open_device,
       cuda::clock_reset},
      single_device("cpu", "this machine's processor, one thread", [] { return cpu::make_device(); }),
      single_device("sim", "a simulated GPU in virtual time, whose truth is known", [] { return sim::make_device(); }),
  };
  return backends;
}

const Backend& backend_of(const std::vector<Backend>& backends, const std::string& id) {
  const std::string prefix = id.substr(0, id.find(':'));
  std::vector<std::string> names;
  for (const auto& backend : backends) {
    if (backend.name == prefix) return backend;
    names.push_back(backend.name);
  }
  throw UsageError("unknown device '" + id + "'; " + did_you_mean(prefix, names));
}

}  // namespace warpclock
