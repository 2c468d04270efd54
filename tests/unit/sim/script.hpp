// What the tests of the simulated device share: a script without surprises, and a held sample taken by hand.
#pragma once

#include <cmath>
#include <functional>
#include <memory>

#include "backends/sim/device.hpp"

namespace warpclock::sim {

constexpr Bytes mebi = Bytes{1} << 20;

/// The default chip without noise, first-use costs or visible steps, so that expected times can be added up by hand.
inline SimConfig quiet() {
  SimConfig config;
  config.first_launch = Nanoseconds{0};
  config.first_traced_launch = Nanoseconds{0};
  config.probe_noise = 0;
  config.mark_step = Nanoseconds{0.001};
  config.record_step = Nanoseconds{0.001};
  config.trace_overhead = Nanoseconds{0};
  return config;
}

inline constexpr double exact = 0.01;  // ns: rounding of sums and two invisible steps

inline SimKernel kernel_of(Nanoseconds fixed, const std::string& name = "kernel") {
  SimKernel kernel;
  kernel.name = name;
  kernel.fixed = fixed;
  return kernel;
}

inline SimKernel reading(const Buffer& buffer) {
  SimKernel kernel;
  kernel.operands = {operand(buffer, Access::read)};
  return kernel;
}

inline SimKernel writing(const Buffer& buffer) {
  SimKernel kernel;
  kernel.operands = {operand(buffer, Access::write)};
  return kernel;
}

/// ns between two marks around `call`, enqueued under a hold.
inline double held_span(SimDevice& device, const std::function<void()>& call) {
  auto& stream = device.stream();
  stream.hold(milliseconds(250));
  const auto before = stream.mark();
  call();
  const auto after = stream.mark();
  stream.release();
  stream.synchronize();
  return stream.elapsed(before, after).count();
}

/// ns that `kernel` takes by itself.
inline double time_of(SimDevice& device, const SimKernel& kernel) {
  device.stream().launch(kernel);
  device.stream().synchronize();
  return device.stream().last_kernel_time().count();
}

/// ns to move `bytes` at `bandwidth` bytes/s.
inline double transfer_ns(Bytes bytes, double bandwidth) { return static_cast<double>(bytes) / bandwidth * 1e9; }

}  // namespace warpclock::sim
