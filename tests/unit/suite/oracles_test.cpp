// The oracles: their known durations, on virtual time exactly and on the CPU as relations.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "backends/cpu/device.hpp"
#include "backends/sim/device.hpp"
#include "suite/registry.hpp"

namespace warpclock {
namespace {

Point spin(std::int64_t ns, std::int64_t delay = 0) { return {{{"ns", ns}, {"host_delay", delay}}}; }

// Records of one call, made in a held stream or not.
std::vector<Record> trace(Device& device, Workload& workload, bool held) {
  auto& stream = device.stream();
  stream.start_trace();
  if (held) stream.hold(seconds(10));
  stream.open_window(0);
  workload.call(0);
  stream.close_window();
  if (held) stream.release();
  return stream.stop_trace();
}

Nanoseconds span(Device& device, Workload& workload, bool held) {
  auto& stream = device.stream();
  if (held) stream.hold(seconds(10));
  const auto a = stream.mark();
  workload.call(0);
  const auto b = stream.mark();
  if (held) stream.release();
  stream.synchronize();
  const auto time = stream.elapsed(a, b);
  stream.recycle();
  return time;
}

Nanoseconds best_span(Device& device, Workload& workload, bool held) {
  Nanoseconds shortest = seconds(1000);
  for (int i = 0; i < 15; ++i) shortest = std::min(shortest, span(device, workload, held));
  return shortest;
}

TEST(Oracles, SpinTakesItsTimeExactlyOnVirtualTime) {
  const auto device = sim::make_device();
  for (const std::int64_t ns : {10'000, 100'000, 1'000'000}) {
    const auto records = trace(*device, *find_benchmark("spin").make(*device, spin(ns), {}), true);
    ASSERT_EQ(records.size(), 1U);
    EXPECT_DOUBLE_EQ((records[0].end - records[0].start).count(), static_cast<double>(ns));
  }
}

TEST(Oracles, ChainIsThatManyLaunchesOfSpin) {
  const auto device = sim::make_device();
  const Point point{{{"launches", std::int64_t{7}}, {"ns", std::int64_t{5000}}}};
  const auto records = trace(*device, *find_benchmark("chain").make(*device, point, {}), true);
  ASSERT_EQ(records.size(), 7U);
  for (const auto& record : records) EXPECT_DOUBLE_EQ((record.end - record.start).count(), 5000);
}

TEST(Oracles, EmptyLeavesOneRecord) {
  const auto device = sim::make_device();
  EXPECT_EQ(trace(*device, *find_benchmark("empty").make(*device, {}, {}), true).size(), 1U);
}

// Virtual time: the host's delay is a part of the call's span if and only if nothing holds the device.
TEST(Oracles, HostDelayIsInAnUnheldCallTimeAndNotInAHeldOne) {
  const auto device = sim::make_device();
  auto& stream = device->stream();
  stream.synchronize();
  const auto plain = find_benchmark("spin").make(*device, spin(10'000), {});
  const auto late = find_benchmark("spin").make(*device, spin(10'000, 500'000), {});
  // Held, the two spans may differ by a step of the marks, since they fall on other places between two steps.
  EXPECT_LE(std::abs((span(*device, *plain, true) - span(*device, *late, true)).count()),
            device->info().mark_step.count());
  EXPECT_GE(span(*device, *late, false), microseconds(500));
  const auto records = trace(*device, *late, false);
  ASSERT_EQ(records.size(), 1U);
  EXPECT_DOUBLE_EQ((records[0].end - records[0].start).count(), 10'000) << "a host delay is no kernel time";
}

// On a real machine another program may take the core at any moment: a relation must hold in one of several attempts,
// and what is broken breaks all of them.
template <typename Relation>
bool in_one_attempt(Relation holds) {
  for (int i = 0; i < 10; ++i) {
    if (holds()) return true;
  }
  return false;
}

TEST(Oracles, HostDelayOnTheCpuToo) {
  const auto device = cpu::make_device();
  const auto late = find_benchmark("spin").make(*device, spin(50'000, 2'000'000), {});
  EXPECT_TRUE(in_one_attempt([&] { return span(*device, *late, false) >= milliseconds(2); }));
  EXPECT_TRUE(in_one_attempt([&] { return span(*device, *late, true) < milliseconds(1); }));
}

// A time in the wrong unit, or launches that were dropped, would break the proportion.
TEST(Oracles, OnTheCpuTimesAreProportional) {
  const auto device = cpu::make_device();
  const auto time = [&](const char* name, const Point& point) {
    return best_span(*device, *find_benchmark(name).make(*device, point, {}), true);
  };
  const auto is_ten = [](double ratio) { return ratio > 8 && ratio < 12; };
  EXPECT_TRUE(in_one_attempt([&] { return is_ten(time("spin", spin(1'000'000)) / time("spin", spin(100'000))); }));
  const auto cycles = [](std::int64_t n) { return Point{{{"cycles", n}}}; };
  EXPECT_TRUE(
      in_one_attempt([&] { return is_ten(time("cycles", cycles(2'000'000)) / time("cycles", cycles(200'000))); }));
  const auto chain = [](std::int64_t n) { return Point{{{"launches", n}, {"ns", std::int64_t{50'000}}}}; };
  EXPECT_TRUE(in_one_attempt([&] { return is_ten(time("chain", chain(20)) / time("chain", chain(2))); }));
}

TEST(Oracles, HaveNoOperandsAndCannotBeChecked) {
  const auto device = sim::make_device();
  const auto workload = find_benchmark("empty").make(*device, {}, {});
  EXPECT_EQ(workload->footprint(), 0U);
  EXPECT_EQ(workload->copies(), 1U);
  EXPECT_EQ(workload->check(0).state, Check::State::unchecked);
}

}  // namespace
}  // namespace warpclock
