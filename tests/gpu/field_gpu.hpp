// What the field cases on a GPU share: the first GPU with its session, opened once a process, and runs on it.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "analyse/analyse.hpp"
#include "backends/cuda/backend.hpp"
#include "backends/cuda/device.hpp"
#include "core/errors.hpp"
#include "measure/measure.hpp"
#include "run/runner.hpp"
#include "suite/registry.hpp"

namespace warpclock::field {

struct Opened {
  std::unique_ptr<Device> device;
  std::unique_ptr<Session> session;
  Roofline roofline;
  std::string reason;
};

inline Opened& opened() {
  static Opened instance = [] {
    Opened o;
    try {
      if (cuda::device_ids().empty()) throw DeviceError("the driver lists none");
    } catch (const DeviceError& error) {
      o.reason = error.what();
      return o;
    }
    o.device = cuda::open_device("cuda:0");
    o.session = std::make_unique<Session>(*o.device);
    o.roofline.peaks = nominal_peaks(o.device->info().name);
    return o;
  }();
  return instance;
}

inline Point point_of(const Benchmark& benchmark, const std::map<std::string, AxisValue>& values) {
  Point point;
  for (const auto& axis : benchmark.axes("cuda")) {
    const auto given = values.find(axis.name);
    point.values.emplace_back(axis.name, given == values.end() ? axis.defaults.front() : given->second);
  }
  return point;
}

inline AxisValue number(std::int64_t n) { return n; }

/// A call that is any function of the device.
class CallWorkload final : public Workload {
 public:
  explicit CallWorkload(std::function<void()> call) : call_(std::move(call)) {}
  [[nodiscard]] std::uint32_t copies() const override { return 1; }
  [[nodiscard]] Bytes footprint() const override { return 0; }
  [[nodiscard]] Work work() const override { return {}; }
  void prepare(std::uint32_t) override {}
  void call(std::uint32_t) override { call_(); }
  [[nodiscard]] Check check(std::uint32_t) override { return {}; }

 private:
  std::function<void()> call_;
};

class FieldCuda : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!opened().device) GTEST_SKIP() << "no usable GPU: " << opened().reason;
  }
  static cuda::CudaDevice& device() { return cuda::as_cuda(*opened().device); }
  static cuda::CudaStream& stream() { return device().cuda_stream(); }

  static Result run(const std::string& kernel, const std::map<std::string, AxisValue>& axes, Protocol protocol = {}) {
    protocol.verify = false;
    const auto& benchmark = find_benchmark(kernel);
    return run_point(*opened().session, benchmark, point_of(benchmark, axes), protocol, opened().roofline, {});
  }
  static Result run(const std::function<void()>& call, const Protocol& protocol = {}) {
    CallWorkload workload(call);
    const auto measured = measure(*opened().session, workload, protocol);
    return analyse("call", {}, measured, {device().info(), protocol, opened().roofline});
  }
  static double kernel_us(const Result& r) { return r.kernel_time_ns.value().median.value / 1e3; }
  static double call_us(const Result& r) { return r.call_time_ns.value().median.value / 1e3; }
  static bool found(const Result& r, const std::string& id) {
    return std::ranges::any_of(r.findings, [&](const Finding& f) { return f.id == id; });
  }
  /// What else is in the room: the records of oracles start and end about 0.6 us around what they were asked for.
  static double spin_us(double us) {
    return kernel_us(run("spin", {{"ns", number(static_cast<std::int64_t>(us * 1e3))}}));
  }
};

inline Protocol with(const std::function<void(Protocol&)>& change) {
  Protocol protocol;
  change(protocol);
  return protocol;
}

}  // namespace warpclock::field
