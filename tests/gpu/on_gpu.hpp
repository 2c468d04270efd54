// The first GPU, opened once a process, and spans of what runs on it.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "backends/cuda/backend.hpp"
#include "core/errors.hpp"
#include "device/device.hpp"

namespace warpclock {

/// cuda:0, opened once for all tests; empty with a reason where there is none.
struct Opened {
  std::unique_ptr<Device> device;
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
    o.device = cuda::open_device("cuda:0");  // with a GPU there, failing to open it is a failure
    return o;
  }();
  return instance;
}

inline double median(std::vector<double> x) {
  std::sort(x.begin(), x.end());
  return x.at(x.size() / 2);
}

class OnGpu : public testing::Test {
 protected:
  void SetUp() override {
    if (!opened().device) GTEST_SKIP() << "no usable GPU: " << opened().reason;
  }
  static Device& device() { return *opened().device; }
  static Stream& stream() { return device().stream(); }
  static bool can(const std::string& name) {
    for (const Ability& ability : device().info().abilities) {
      if (ability.name == name) return ability.works;
    }
    return false;
  }

  /// Median span between marks around what `call` enqueues, in ns, held where that works.
  template <class Before, class Call>
  static double span(const Before& before, const Call& call, int samples = 21) {
    std::vector<double> spans;
    for (int i = 0; i < samples; ++i) {
      before();
      if (can("hold")) stream().hold(milliseconds(500));
      const MarkTicket a = stream().mark();
      call();
      const MarkTicket b = stream().mark();
      if (can("hold")) {
        EXPECT_TRUE(stream().release());
      }
      stream().synchronize();
      spans.push_back(stream().elapsed(a, b).count());
      stream().recycle();
    }
    return median(spans);
  }
};

}  // namespace warpclock
