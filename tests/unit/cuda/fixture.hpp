// The device under test on a machine of stand-ins.
#pragma once

#include <memory>
#include <string>

#include "backends/cuda/backend.hpp"
#include "backends/cuda/device.hpp"
#include "child.hpp"
#include "device/abilities.hpp"
#include "fakes/machine.hpp"

namespace warpclock::cuda {

inline fake::Machine& machine() { return fake::Machine::instance(); }

/// Runs `body` on the GPU `id` of such a machine.
inline void on_device(const Variables& variables, const std::function<void(CudaDevice&)>& body,
                      const std::string& id = "cuda:0") {
  in_child(variables, [&] {
    const auto device = open_device(id);
    body(as_cuda(*device));
  });
}

/// The message with which `call` throws an E; empty, with a failed test, where it does not.
template <class E, class Call>
std::string message_of(const Call& call) {
  try {
    call();
  } catch (const E& error) {
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return "";
}

/// A detail that `warpclock devices` prints; empty where there is none of that name.
inline std::string detail(const DeviceInfo& info, const std::string& name) {
  for (const auto& [key, value] : info.details) {
    if (key == name) return value;
  }
  return "";
}

/// Why an ability does not work; empty, with a failed test, where it does.
inline std::string problem(const DeviceInfo& info, const std::string& name) {
  EXPECT_FALSE(can(info, name)) << name;
  const Ability* found = ability(info, name);
  return found == nullptr ? "" : found->detail;
}

}  // namespace warpclock::cuda
