// Host time that was read as kernel time.
#include <chrono>

#include "support.hpp"

namespace warpclock::field {
namespace {

World slow_launcher(double launch_us) {
  World world;
  world.sim.launch_cost = microseconds(launch_us);
  return world;
}

// Two kernels whose events gave the same 6 us, since both were waiting for their launch.
TEST(F01, ShortKernelsKeepTheirRankingAndTheLaunchBoundFigureIsFlagged) {
  const auto of = [](const std::string& ns, const std::string& cover) {
    return measure({"spin", "--device", "sim", "--axis", "ns=" + ns, "--cover", cover}, slow_launcher(20));
  };
  const auto bare_short = of("2000", "none");
  const auto bare_long = of("3000", "none");
  EXPECT_NEAR(us(bare_short, "call_time") / us(bare_long, "call_time"), 1, 0.05);  // the wrong number
  EXPECT_TRUE(found(bare_short, "launch-bound"));

  const auto held_short = of("2000", "hold");
  const auto held_long = of("3000", "hold");
  EXPECT_NEAR(us(held_short, "kernel_time") / us(held_long, "kernel_time"), 2.0 / 3, 0.01);
  EXPECT_NEAR(us(held_long, "call_time") - us(held_short, "call_time"), 1, 0.1);
  EXPECT_FALSE(found(held_short, "launch-bound"));
}

// A launcher that got slower was reported as a kernel that got slower.
TEST(F02, ASlowerHostDoesNotMoveTheKernel) {
  const auto of = [](int delay_us) {
    return measure(
        {"spin", "--device", "sim", "--axis", "ns=5000", "--axis", "host_delay=" + std::to_string(delay_us * 1000)});
  };
  const auto alone = of(0);
  for (const int delay_us : {5, 20, 50, 200}) {
    const auto delayed = of(delay_us);
    EXPECT_NEAR(us(delayed, "kernel_time"), us(alone, "kernel_time"), 0.15) << delay_us;
    EXPECT_NEAR(us(delayed, "call_time"), us(alone, "call_time"), 0.2) << delay_us;
    EXPECT_NEAR(us(delayed, "host_time") - us(alone, "host_time"), delay_us, 0.1 * delay_us);
  }
}

// A cover of fixed length hides a host that is quick enough and no other: that is said.
TEST(F02, AHostThatOutlastsItsCoverIsFlagged) {
  const auto bare =
      measure({"spin", "--device", "sim", "--axis", "ns=5000", "--axis", "host_delay=200000", "--cover", "none"});
  EXPECT_TRUE(found(bare, "launch-bound"));
  EXPECT_GT(us(bare, "call_time"), 150);  // the eviction before it hides a part
}

// With a faster flush the host overhead surfaced: the flush had been the cover.
TEST(F03, TheFlushIsNotTheCover) {
  std::vector<double> held;
  std::vector<double> bare;
  for (const Words& state : {Words{"--flush-size", "256MiB"}, Words{"--flush-size", "1x"}, Words{"--cache", "warm"}}) {
    for (const std::string cover : {"hold", "none"}) {
      Words words{"add", "--device", "sim", "--axis", "n=1", "--cover", cover};
      words.insert(words.end(), state.begin(), state.end());
      (cover == "hold" ? held : bare).push_back(us(measure(words, slow_launcher(20)), "call_time"));
    }
  }
  const auto [least, most] = std::minmax_element(held.begin(), held.end());
  EXPECT_LE(*most - *least, 0.3);
  EXPECT_GT(*std::max_element(bare.begin(), bare.end()), *most + 5);  // without one it does surface
}

// A synchronise for every sample costs as much as the kernel.
TEST(F09, ANaiveLoopWithAHostTimerIsOffByAFactorOfTwoAndTheKernelTimeIsNot) {
  auto device = sim::make_device();
  const auto start = device->host_now();
  constexpr int calls = 100;
  for (int i = 0; i < calls; ++i) {
    device->stream().launch_spin(microseconds(2));
    device->stream().synchronize();
  }
  const double naive_us = (device->host_now() - start).count() / calls / 1e3;
  const auto result = measure({"spin", "--device", "sim", "--axis", "ns=2000"});
  EXPECT_NEAR(us(result, "kernel_time"), 2, 0.1);
  EXPECT_GT(naive_us, 2 * us(result, "kernel_time"));
}

// Enqueueing returns at once: its time is no kernel time. On the real CPU a call of 20 ms cannot read shorter.
TEST(F55, ACallThatReturnsAtOnceTakesWhatTheDeviceTakes) {
  for (const std::string device : {"sim", "cpu"}) {
    const auto result =
        measure({"spin", "--device", device, "--axis", "ns=20000000", "--samples", "3", "--cache", "warm"});
    EXPECT_GE(us(result, "kernel_time"), 20'000 * 0.999) << device;
    EXPECT_LT(us(result, "host_time"), us(result, "kernel_time") / 2) << device;
  }
}

}  // namespace
}  // namespace warpclock::field
