// Oracles: kernels whose time is known beforehand, on every device.
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "device/oracle_workload.hpp"
#include "suite/kernels.hpp"
#include "suite/point_check.hpp"

namespace warpclock {
namespace {

constexpr std::int64_t ten_seconds = 10'000'000'000;

using OracleCall = OracleWorkload::Call;

Benchmark oracle(const std::string& name, std::string summary, const std::vector<AxisSpec>& axes,
                 std::function<OracleCall(const Point&)> call_of) {
  Benchmark benchmark;
  benchmark.name = name;
  benchmark.summary = std::move(summary);
  benchmark.backends = {"cpu", "sim", "cuda"};
  benchmark.axes = [axes](const std::string&) { return axes; };
  benchmark.footprint = [](const Point&) { return Bytes{0}; };
  benchmark.make = [name, axes, call_of = std::move(call_of)](Device& device, const Point& point,
                                                              const WorkloadOptions&) -> std::unique_ptr<Workload> {
    check_point(name, axes, point);
    return std::make_unique<OracleWorkload>(device, call_of(point));
  };
  return benchmark;
}

Nanoseconds nanoseconds(const Point& point, const char* axis) {
  return Nanoseconds{static_cast<double>(point.integer(axis))};
}

}  // namespace

Benchmark empty_oracle() {
  return oracle("empty", "a kernel that does nothing: the floor of the method", {},
                [](const Point&) -> OracleCall { return [](Device& device) { device.stream().launch_empty(); }; });
}

Benchmark spin_oracle() {
  return oracle(
      "spin", "takes ns nanoseconds whatever the clock is",
      {number_axis("ns", "ns", "time on the device", {1'000, 10'000, 100'000, 1'000'000}, 1, ten_seconds),
       number_axis("host_delay", "ns", "time the host is busy in the call before the launch", {0}, 0, ten_seconds)},
      [](const Point& point) -> OracleCall {
        const auto time = nanoseconds(point, "ns");
        const auto delay = nanoseconds(point, "host_delay");
        return [time, delay](Device& device) {
          if (delay.count() > 0) device.host_wait(delay);
          device.stream().launch_spin(time);
        };
      });
}

Benchmark cycles_oracle() {
  return oracle(
      "cycles", "takes this many cycles of the device's clock",
      {number_axis("cycles", "cycles", "cycles on the device", {1'000, 10'000, 100'000, 1'000'000}, 1, ten_seconds)},
      [](const Point& point) -> OracleCall {
        const auto cycles = static_cast<std::uint64_t>(point.integer("cycles"));
        return [cycles](Device& device) { device.stream().launch_cycles(cycles); };
      });
}

Benchmark chain_oracle() {
  return oracle("chain", "launches of spin one after the other in one call: takes launches x ns and the gaps",
                {number_axis("launches", "", "launches in one call", {1, 10, 100}, 1, 1'000'000),
                 number_axis("ns", "ns", "time of each on the device", {10'000}, 1, ten_seconds)},
                [](const Point& point) -> OracleCall {
                  const auto launches = point.integer("launches");
                  const auto time = nanoseconds(point, "ns");
                  return [launches, time](Device& device) {
                    for (std::int64_t i = 0; i < launches; ++i) device.stream().launch_spin(time);
                  };
                });
}

}  // namespace warpclock
