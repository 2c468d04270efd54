// For each finding one simulated run that fires it and a near miss that does not: a finding that always fires, or
// never, is worse than none.
#include "analyse/findings.hpp"

#include <gtest/gtest.h>

#include <set>

#include "support/sim_workload.hpp"

namespace warpclock {
namespace {

using testing::fixed_kernel;
using testing::quiet;
using testing::reading_kernel;
using testing::SimWorkload;

/// One simulated measurement; what is not named is the quiet default.
struct Script {
  sim::SimConfig config = quiet();
  Protocol protocol = {};
  std::function<void(sim::SimDevice&, std::uint32_t)> body = [](sim::SimDevice& d, std::uint32_t) {
    d.stream().launch(fixed_kernel(microseconds(100)));
  };
  Work work = {};
  Bytes footprint = 0;
  std::uint32_t copies = 1;
  Roofline roofline = {};
  std::vector<std::string> own_buffers = {};
};

Result run(const Script& script) {
  auto device = sim::make_device(script.config);
  Session session(*device);
  SimWorkload workload(*device, script.body);
  workload.work_ = script.work;
  workload.footprint_ = script.footprint;
  workload.copies_ = script.copies;
  workload.own_buffers_ = script.own_buffers;
  const auto measured = measure(session, workload, script.protocol);
  return analyse("scripted", {}, measured, {device->info(), script.protocol, script.roofline});
}

std::set<std::string> ids(const Script& script) {
  std::set<std::string> out;
  for (const auto& finding : run(script).findings) {
    EXPECT_FALSE(finding.message.empty());
    EXPECT_EQ(finding.message.find('\n'), std::string::npos);
    out.insert(finding.id);
  }
  return out;
}

struct Case {
  std::string id;
  Script fires;
  Script near_miss;
};

Script with_body(std::function<void(sim::SimDevice&, std::uint32_t)> body) {
  Script script;
  script.body = std::move(body);
  return script;
}

Script launching(const sim::SimKernel& kernel) {
  return with_body([kernel](sim::SimDevice& d, std::uint32_t) { d.stream().launch(kernel); });
}

Script changed(Script script, const std::function<void(Script&)>& change) {
  change(script);
  return script;
}

Script uncovered(Nanoseconds kernel) {
  return changed(launching(fixed_kernel(kernel)), [](Script& s) { s.protocol.cover = Cover::none; });
}

Script synchronising(std::uint64_t every) {
  return with_body([every, n = std::uint64_t{0}](sim::SimDevice& d, std::uint32_t) mutable {
    auto kernel = fixed_kernel(microseconds(50));
    if (every != 0 && ++n % every == 0) kernel.fault = sim::Fault::synchronises;
    d.stream().launch(kernel);
  });
}

Script chain(int launches, Nanoseconds each) {
  return with_body([=](sim::SimDevice& d, std::uint32_t) {
    for (int i = 0; i < launches; ++i) d.stream().launch(fixed_kernel(each));
  });
}

Script side(bool joined, Nanoseconds beside = microseconds(5)) {
  return with_body([=](sim::SimDevice& d, std::uint32_t) {
    d.stream().launch_on_side(fixed_kernel(milliseconds(1)), joined);
    d.stream().launch(fixed_kernel(beside));
  });
}

Script sized(double bytes, double peak_gb_per_s) {
  return changed(launching(reading_kernel(static_cast<Bytes>(bytes))), [=](Script& s) {
    s.work = {.flops = 0, .bytes_read = bytes, .bytes_written = 0, .compute_type = ""};
    s.footprint = static_cast<Bytes>(bytes);
    s.roofline.peaks = {{"memory", peak_gb_per_s, "GB/s", 0, "test"}};
  });
}

Script cached(CacheState cache, Bytes footprint, std::uint32_t copies) {
  return changed(sized(static_cast<double>(footprint), 4800), [=](Script& s) {
    s.protocol.cache = cache;
    s.copies = copies;
  });
}

Script noisy(const sim::SimNoise& noise, const Protocol& protocol = {}) {
  return changed({}, [&](Script& s) {
    s.config.noise = noise;
    s.protocol = protocol;
  });
}

Protocol short_time() {
  Protocol protocol;
  protocol.max_time = milliseconds(20);
  return protocol;
}

Protocol exactly(std::uint64_t samples) {
  Protocol protocol;
  protocol.samples = samples;
  return protocol;
}

/// A kernel of this power in the sustained state.
Script sustained(Nanoseconds soak_time, double power = 0.3) {
  return changed(launching({.name = "hot", .flops = 3e11, .compute_type = "bf16", .power = power}), [&](Script& s) {
    s.protocol.regime = Regime::sustained;
    s.protocol.soak_time = soak_time;
  });
}

/// Both meters, the sentinel with this noise. A seed for which its median is off by more than 2 %.
Script meters(double noise) {
  return changed({}, [&](Script& s) {
    s.config.meters.sentinel_noise = noise;
    s.protocol.effective_clock = ClockSource::both;
  });
}

/// Two long kernels a call: where they draw this power, the second meets the limiter that the first has brought in.
Script long_call(double power) {
  auto kernel = fixed_kernel(milliseconds(30));
  kernel.power = power;
  return changed(with_body([kernel](sim::SimDevice& d, std::uint32_t) {
                   d.stream().launch(kernel);
                   d.stream().launch(kernel);
                 }),
                 [](Script& s) { s.protocol.samples = 2; });
}

std::vector<Case> cases() {
  const Bytes l2 = quiet().l2;
  const auto batch = [](std::uint32_t copies) {
    return changed({}, [=](Script& s) {
      s.protocol.batch = 5;
      s.copies = copies;
    });
  };
  const auto data = [](Data kind) {
    return changed({}, [=](Script& s) {
      s.protocol.data = kind;
      s.work.flops = 1;
    });
  };
  const auto flush = [](double factor) {
    return changed({}, [=](Script& s) { s.protocol.flush_size = {.factor = factor}; });
  };
  const auto stamps = [](double share) { return changed({}, [=](Script& s) { s.config.bad_stamp_share = share; }); };
  const auto spin_over = [](double first_us, double later_us) {
    // The host is slower in the samples than in the calls by which the cover was sized.
    return changed(with_body([=, n = 0](sim::SimDevice& d, std::uint32_t) mutable {
                     d.host_wait(microseconds(n++ < 6 ? first_us : later_us));
                     d.stream().launch(fixed_kernel(microseconds(5)));
                   }),
                   [](Script& s) { s.protocol.cover = Cover::spin; });
  };
  const auto settle = [](double after_mhz) {
    return changed({}, [=](Script& s) {
      s.config.clock_steps = {{milliseconds(8), after_mhz}};  // after the session has read its reference
      s.protocol.settle_time = milliseconds(50);
    });
  };
  const auto busy_host = [](Nanoseconds wait) {
    return with_body([wait](sim::SimDevice& d, std::uint32_t) {
      d.host_wait(wait);
      d.stream().launch(fixed_kernel(microseconds(5)));
    });
  };
  return {
      {"no-device-work", with_body([](sim::SimDevice&, std::uint32_t) {}), {}},
      {"launch-bound", uncovered(microseconds(2)), uncovered(milliseconds(1))},
      {"cover-too-short", spin_over(5, 400), spin_over(5, 6)},
      {"hold-ended-early", synchronising(7), synchronising(0)},
      {"not-held", busy_host(milliseconds(300)), busy_host(milliseconds(100))},
      {"work-outside-marks", side(false), side(true)},
      {"passes-disagree", launching({.name = "draining", .fixed = microseconds(100), .drain = microseconds(20)}),
       launching({.name = "draining", .fixed = microseconds(100), .drain = microseconds(1)})},
      {"gaps-between-kernels", chain(20, microseconds(1)), chain(20, microseconds(50))},
      {"kernels-overlap", side(true, milliseconds(1)), chain(2, microseconds(50))},
      {"above-speed-of-light", sized(64e6, 4000), sized(64e6, 4800)},
      {"rotation-fits-in-cache", cached(CacheState::rotate, 8U << 20U, 4), cached(CacheState::rotate, 8U << 20U, 16)},
      {"fits-in-cache", cached(CacheState::warm, l2 / 2, 1), cached(CacheState::warm, 2 * l2, 1)},
      {"batch-reuses-operands", batch(1), batch(5)},
      {"flush-too-small", flush(0.5), flush(1)},
      {"not-settled", settle(1800), settle(1975)},
      {"drift", noisy({.sigma = 0.001, .drift_per_second = 3}, exactly(200)),
       noisy({.sigma = 0.001, .drift_per_second = 0.01}, exactly(200))},
      {"several-modes", noisy({.sigma = 0.002, .mode_share = 0.4, .mode_factor = 1.1}, exactly(200)),
       noisy({.sigma = 0.05}, exactly(200))},
      {"imprecise", noisy({.sigma = 0.3}, short_time()), noisy({.sigma = 0.001}, short_time())},
      {"too-few-samples", noisy({.sigma = 0.01}, exactly(4)), noisy({.sigma = 0.01}, exactly(40))},
      {"dependent-samples", noisy({.sigma = 0.01, .rho = 0.9}, exactly(400)), noisy({.sigma = 0.01}, exactly(400))},
      {"bad-stamps", stamps(0.1), stamps(0)},
      {"near-timer-step", changed({}, [](Script& s) { s.config.record_step = microseconds(20); }), {}},
      {"simple-data", data(Data::zeros), data(Data::normal)},
      {"own-buffers", changed({}, [](Script& s) { s.own_buffers = {"state"}; }), {}},
      {"not-steady", sustained(milliseconds(400)), sustained(seconds(5))},
      {"clock-meters-disagree", meters(0.2), meters(0)},
      {"clock-drops-in-call", long_call(1.0), long_call(0.3)},
      {"sustained-clock-low", sustained(seconds(5), 1.0), sustained(seconds(5), 0.3)},
  };
}

TEST(Findings, EachFiresWhereItShouldAndNotAtItsNearMiss) {
  for (const auto& c : cases()) {
    EXPECT_TRUE(ids(c.fires).contains(c.id)) << c.id << " did not fire";
    EXPECT_FALSE(ids(c.near_miss).contains(c.id)) << c.id << " fired at its near miss";
  }
}

TEST(Findings, EveryRuleHasACase) {
  std::set<std::string> covered;
  for (const auto& c : cases()) covered.insert(c.id);
  covered.insert({"clock-not-locked", "clock-below-lock", "clock-above-lock"});  // clock_findings_test.cpp
  covered.insert("shared-device");     // its own test below: the simulated device is nobody else's
  covered.insert("pulls-clock-down");  // its own test below: it needs a chip that gets hot
  for (const auto& rule : finding_rules()) EXPECT_TRUE(covered.contains(std::string(rule.id))) << rule.id;
}

// F94: a video wallpaper made a false regression of 42 %.
TEST(Findings, OtherProcessesOnTheDeviceAreNamed) {
  const auto device = sim::make_device(quiet());
  Session session(*device);
  SimWorkload workload(*device, fixed_kernel(microseconds(100)));
  const auto measured = measure(session, workload, {});
  auto info = device->info();
  const auto told = [&] {
    for (const auto& finding : analyse("scripted", {}, measured, {info, {}, {}}).findings) {
      if (finding.id == "shared-device") return finding.message;
    }
    return std::string();
  };
  EXPECT_EQ(told(), "");
  info.other_processes = {4711};
  EXPECT_NE(told().find("4711"), std::string::npos);
}

// A false alarm on a healthy kernel teaches people to ignore findings.
TEST(Findings, AHealthyKernelHasNone) { EXPECT_TRUE(ids(Script{}).empty()); }

TEST(Findings, AKernelThatHeatsTheChipIsNamed) {
  const auto heating = [](double power) {
    return changed(launching({.name = "hot", .flops = 4e12, .compute_type = "bf16", .power = power}),
                   [](Script& s) { s.protocol.samples = 60; });
  };
  EXPECT_TRUE(ids(heating(1.0)).contains("pulls-clock-down"));
  EXPECT_FALSE(ids(heating(0.3)).contains("pulls-clock-down"));
}

}  // namespace
}  // namespace warpclock
