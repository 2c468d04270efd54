// A workload without operands: the oracles of the suite, of the selftest and of the calibration.
#pragma once

#include <functional>
#include <utility>

#include "device/device.hpp"
#include "device/workload.hpp"

namespace warpclock {

class OracleWorkload final : public Workload {
 public:
  using Call = std::function<void(Device&)>;
  OracleWorkload(Device& device, Call call) : device_(device), call_(std::move(call)) {}

  [[nodiscard]] std::uint32_t copies() const override { return 1; }
  [[nodiscard]] Bytes footprint() const override { return 0; }
  [[nodiscard]] Work work() const override { return {}; }
  void prepare(std::uint32_t) override {}
  void call(std::uint32_t) override { call_(device_); }
  [[nodiscard]] Check check(std::uint32_t) override { return {.detail = "an oracle has no output"}; }

 private:
  Device& device_;
  Call call_;
};

}  // namespace warpclock
