// --lock-clocks and --clocks on the simulator, whose times at each clock are known.
#include <nlohmann/json.hpp>

#include "fixture.hpp"

namespace warpclock::cli {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class Clocks : public CliTest {
 protected:
  void simulate(const sim::SimConfig& config) {
    backend("sim").open = [config](const std::string&) -> std::unique_ptr<Device> { return sim::make_device(config); };
  }
  static sim::SimConfig quiet() {
    sim::SimConfig config;
    config.probe_noise = 0;
    return config;
  }
  static json results(const Ran& ran) { return json::parse(ran.out).at("results"); }
};

/// 99,000 cycles take 82.5, 66 and 50 us: the times are those of the clock, in the order that was asked for.
TEST_F(Clocks, ASweepMeasuresEveryPointAtEveryClock) {
  simulate(quiet());
  const auto all = results(run(quick({"cycles", "spin", "--axis", "cycles=99000", "--axis", "ns=20000", "--clocks",
                                      "1200,1500,1980", "--json", "-"})));
  ASSERT_EQ(all.size(), 6U);
  const std::vector<double> clocks{1200, 1500, 1980};
  for (std::size_t i = 0; i < 3; ++i) {
    const auto& cycles = all[2 * i];
    const auto& spin = all[2 * i + 1];
    EXPECT_EQ(cycles.at("clock").at("locked_mhz"), clocks[i]);
    EXPECT_NEAR(cycles.at("clock").at("reference_mhz").get<double>(), clocks[i], 1e-6);
    EXPECT_NEAR(cycles.at("kernel_time").at("value_ns").get<double>(), 99000e3 / clocks[i], 2);
    EXPECT_NEAR(spin.at("kernel_time").at("value_ns").get<double>(), 20'000, 2);
    EXPECT_THAT(cycles.at("findings").dump(), Not(HasSubstr("clock-")));
  }
}

TEST_F(Clocks, GemmScalesWithTheClockAndAnAddFromMemoryDoesNot) {
  simulate(quiet());
  const auto ran = run(quick({"gemm", "add", "--axis", "M=4096", "--axis", "n=2^24", "--clocks", "1200,1500,1980"}));
  ASSERT_EQ(ran.code, 0) << ran.err;
  const auto plot = ran.out.substr(ran.out.find("latency over clock"));
  EXPECT_THAT(plot, AllOf(HasSubstr("gemm M=4096"), HasSubstr("add n=16777216"), HasSubstr("|####")));
  EXPECT_THAT(plot, ::testing::ContainsRegex("(99|100) % \\(.*scales with the clock"));
  EXPECT_THAT(plot, ::testing::ContainsRegex(" 0 % \\(0 to 0 %\\) of the time"));
  EXPECT_THAT(ran.out, HasSubstr("SM clock locked to 1500 MHz"));
}

/// F37: without permission the run goes on, once for each point, and says what its figures are.
TEST_F(Clocks, F37WithoutPermissionEachPointIsMeasuredOnceAndLabelled) {
  auto config = quiet();
  config.locking = false;
  simulate(config);
  const auto ran = run(
      quick({"spin", "--axis", "ns=10000,20000", "--order", "random", "--clocks", "1200,1500,1980", "--json", "-"}));
  EXPECT_EQ(ran.code, 0) << ran.err;
  ASSERT_EQ(results(ran).size(), 2U);
  for (const auto& result : results(ran)) {
    EXPECT_TRUE(result.at("clock").at("locked_mhz").is_null());
    EXPECT_THAT(result.at("findings").dump(), HasSubstr("clock-not-locked"));
  }
  EXPECT_THAT(ran.err, HasSubstr("warning: the SM clock of sim is not locked to 1200 MHz"));
}

/// F37: the limiter goes below the lock while the call runs.
TEST_F(Clocks, F37AHotKernelBelowTheLockIsReported) {
  simulate(quiet());
  const std::vector<std::string> hot{"gemm",          "--axis", "M=4096", "--regime", "sustained",
                                     "--lock-clocks", "1800",   "--json", "-"};
  EXPECT_THAT(results(run(quick(hot))).dump(), HasSubstr("clock-below-lock"));
  const std::vector<std::string> light{"spin",          "--axis", "ns=10000", "--regime", "sustained",
                                       "--lock-clocks", "1800",   "--json",   "-"};
  EXPECT_THAT(results(run(quick(light))).dump(), Not(HasSubstr("clock-below-lock")));
}

TEST_F(Clocks, BaseAndMax) {
  simulate(quiet());
  const auto locked = [&](const std::string& clock) {
    return results(run(quick({"spin", "--axis", "ns=10000", "--lock-clocks", clock, "--json", "-"})))[0]
        .at("clock")
        .at("locked_mhz")
        .get<double>();
  };
  EXPECT_EQ(locked("base"), 1590);
  EXPECT_EQ(locked("max"), 1980);
}

/// Ceilings are kept for later runs: they must not be those of a locked clock.
TEST_F(Clocks, CeilingsAreMeasuredBeforeTheLock) {
  simulate(quiet());
  environment_.ceilings_folder = at("free");
  ASSERT_EQ(run({"run", "spin", "--axis", "ns=10000", "--device", "sim", "--samples", "20", "-q"}).code, 0);
  environment_.ceilings_folder = at("locked");
  ASSERT_EQ(
      run({"run", "spin", "--axis", "ns=10000", "--device", "sim", "--samples", "20", "-q", "--lock-clocks", "600"})
          .code,
      0);
  const auto kept = [&](const std::string& folder) {
    std::string all;
    if (!std::filesystem::exists(at(folder))) return all;
    for (const auto& entry : std::filesystem::directory_iterator(at(folder))) all += read(entry.path().string());
    return all;
  };
  EXPECT_EQ(kept("free"), kept("locked"));
}

TEST_F(Clocks, WordsThatAreNoClockAreRefused) {
  const auto refusal = [&](const std::vector<std::string>& words) {
    auto all = quick({"spin"});
    all.insert(all.end(), words.begin(), words.end());
    const auto ran = run(all);
    EXPECT_EQ(ran.code, 2);
    EXPECT_EQ(lines(ran.err), 1) << ran.err;
    return ran.err;
  };
  EXPECT_THAT(refusal({"--lock-clocks", "fast"}), HasSubstr("--lock-clocks: 'fast' is no clock"));
  EXPECT_THAT(refusal({"--lock-clocks", "-5"}), HasSubstr("no clock"));
  EXPECT_THAT(refusal({"--lock-memory-clock", "base"}), HasSubstr("no base clock"));
  EXPECT_THAT(refusal({"--clocks", "1200,,1500"}), HasSubstr("'' is no clock"));
  EXPECT_THAT(refusal({"--clocks", "1200,1200"}), HasSubstr("twice"));
  EXPECT_THAT(refusal({"--clocks", "1200,1201"}), HasSubstr("nearest is 1200"));
  EXPECT_THAT(refusal({"--clocks", "1200", "--lock-clocks", "max"}), HasSubstr("leave one of them out"));
}

TEST_F(Clocks, ADryRunLocksNothingAndShowsTheClocks) {
  backend("sim").open = [](const std::string&) -> std::unique_ptr<Device> { throw DeviceError("opened"); };
  const auto ran = run(quick({"spin", "--axis", "ns=10000", "--clocks", "1200,1500", "--dry-run"}));
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, AllOf(HasSubstr("2 points"), HasSubstr("1500 MHz")));
}

}  // namespace
}  // namespace warpclock::cli
