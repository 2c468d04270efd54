// Figures that cannot be: nothing timed, nothing done, nothing there.
#include "support.hpp"

namespace warpclock::field {
namespace {

// A macro returned 2 to 4 us for kernels of seconds: time has to grow with the work, slope one.
TEST(F56, TimeIsLinearInTheWorkWithSlopeOne) {
  const auto all = document({"spin", "--device", "sim", "--axis", "ns=1000000,10000000,100000000"});
  const auto& results = all.at("results");
  ASSERT_EQ(results.size(), 3U);
  for (const std::string time : {"kernel_time", "call_time"}) {
    const double slope = (us(results[2], time) - us(results[0], time)) / (100'000 - 1'000);
    EXPECT_NEAR(slope, 1, 0.01) << time;
    EXPECT_NEAR((us(results[1], time) - us(results[0], time)) / 9'000, 1, 0.01) << time;
  }
}

// The shortest of the samples: a busy machine makes others longer, never shorter.
TEST(F56, OnTheRealCpuTimeGrowsWithTheWork) {
  const auto all =
      document({"spin", "--device", "cpu", "--axis", "ns=1000000,10000000", "--cache", "warm", "--samples", "15"});
  const auto& results = all.at("results");
  const auto shortest = [](const Json& result) {
    return result.at("kernel_time").at("spread_ns").at("min").get<double>();
  };
  EXPECT_GT(shortest(results[1]), 5 * shortest(results[0]));
}

TEST(F56, TheSelftestAsksTheSame) {
  const auto outcome = run_program({"selftest", "--device", "sim"});
  EXPECT_EQ(outcome.code, cli::ExitCode::ok) << outcome.out << outcome.err;
  EXPECT_NE(outcome.out.find("spin"), std::string::npos) << outcome.out;
}

// 100 PFLOP/s on a laptop chip: the compiler had removed the work.
TEST(F58, WorkThatWasNotDoneIsNoRecord) {
  const Work declared{.flops = 1e15, .bytes_read = 0, .bytes_written = 0, .compute_type = "fp32"};
  World world;
  world.extra = {benchmark(
      "removed", [](sim::SimDevice& device) { device.stream().launch_spin(microseconds(5)); }, declared)};
  const auto result = measure({"removed", "--device", "sim", "--peak", "fp32=67"}, world);
  ASSERT_TRUE(result.at("sol").is_object());
  EXPECT_GT(result.at("sol").at("percent").get<double>(), 100);
  ASSERT_TRUE(found(result, "above-speed-of-light"));
  EXPECT_NE(result.at("findings").dump().find("was not done"), std::string::npos);
}

// A call that only sleeps: there is no device time to report, and the host's sleep must show.
TEST(F59, ACallWithoutDeviceWorkHasNoDeviceTime) {
  World world;
  world.extra = {benchmark("sleeps", [](sim::SimDevice& device) { device.host_wait(milliseconds(100)); })};
  const auto result = measure({"sleeps", "--device", "sim", "--samples", "5"}, world);
  EXPECT_TRUE(found(result, "no-device-work"));
  EXPECT_TRUE(result.at("kernel_time").is_null());
  EXPECT_TRUE(result.at("call_time").is_null());
  EXPECT_NEAR(us(result, "host_time"), 100'000, 100);
  EXPECT_EQ(result.at("launches_per_call"), 0);
}

}  // namespace
}  // namespace warpclock::field
