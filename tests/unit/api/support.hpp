// One point of one benchmark on the CPU, as `run` measures it but quickly.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <warpclock/warpclock.hpp>

#include "api/benchmarks.hpp"
#include "backends/cpu/device.hpp"
#include "run/runner.hpp"

namespace warpclock {

/// A declaration that is in no list of the program.
inline Registration::Declared declaration(std::function<void(Case&)> function, std::string name = "mine") {
  Registration::Declared out;
  out.name = std::move(name);
  out.function = std::move(function);
  out.file = "mine.cpp";
  out.line = 12;
  out.backends = {"cpu"};
  return out;
}

inline Protocol quick() {
  Protocol protocol;
  protocol.samples = 12;
  protocol.min_samples = 5;
  protocol.max_time = seconds(2);
  protocol.settle_time = milliseconds(1);
  protocol.effective_clock = ClockSource::off;
  protocol.telemetry = false;
  protocol.flush_size.bytes = 1U << 16U;  // what is measured here is not the time
  return protocol;
}

inline Session& cpu_session() {
  static const auto device = cpu::make_device();
  static Session session(*device);
  return session;
}

inline Result run_declared(const Registration::Declared& declared, const Point& point = {},
                           const Protocol& protocol = quick()) {
  const std::deque<Registration::Declared> all{declared};
  const auto benchmarks = benchmarks_of(all, {});
  return run_point(cpu_session(), benchmarks.front(), point, protocol, {}, {});
}

inline Result run_function(std::function<void(Case&)> function, const Protocol& protocol = quick()) {
  return run_declared(declaration(std::move(function)), {}, protocol);
}

}  // namespace warpclock
