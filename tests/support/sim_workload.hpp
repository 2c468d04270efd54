// A workload on the simulated device whose truth the test has written.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "backends/sim/device.hpp"
#include "device/workload.hpp"

namespace warpclock::testing {

/// Launches one scripted kernel a call, or whatever `body` does instead.
class SimWorkload : public Workload {
 public:
  SimWorkload(sim::SimDevice& device, sim::SimKernel kernel)
      : SimWorkload(device, [kernel](sim::SimDevice& d, std::uint32_t) { d.stream().launch(kernel); }) {}
  SimWorkload(sim::SimDevice& device, std::function<void(sim::SimDevice&, std::uint32_t)> body)
      : device_(device), body_(std::move(body)) {}

  [[nodiscard]] std::uint32_t copies() const override { return copies_; }
  [[nodiscard]] Bytes footprint() const override { return footprint_; }
  [[nodiscard]] Work work() const override { return work_; }
  void prepare(std::uint32_t) override {}
  void after_flush(std::uint32_t copy) override {
    if (after_flush_) after_flush_(device_, copy);
  }
  void describe(Conditions& conditions) const override { conditions.own_buffers = own_buffers_; }
  void call(std::uint32_t copy) override { body_(device_, copy); }
  [[nodiscard]] Check check(std::uint32_t) override { return check_; }

  std::uint32_t copies_ = 1;
  Bytes footprint_ = 0;
  Work work_;
  Check check_;
  std::function<void(sim::SimDevice&, std::uint32_t)> after_flush_;
  std::vector<std::string> own_buffers_;

 private:
  sim::SimDevice& device_;
  std::function<void(sim::SimDevice&, std::uint32_t)> body_;
};

/// A device without noise: every number is exact up to the steps of its timers.
inline sim::SimConfig quiet() {
  sim::SimConfig config;
  config.probe_noise = 0;
  return config;
}

inline sim::SimKernel fixed_kernel(Nanoseconds time) {
  return {.name = "fixed", .fixed = time};
}

/// Reads `bytes` of one operand per copy: warm or cold is up to what ran before.
inline sim::SimKernel reading_kernel(Bytes bytes, std::uint64_t id = 1) {
  return {.name = "reading", .operands = {{.id = id, .bytes = bytes, .access = sim::Access::read}}};
}

}  // namespace warpclock::testing
