// list, devices, selftest, and the choice between words.
#include <nlohmann/json.hpp>

#include "core/version.hpp"
#include "fixture.hpp"

namespace warpclock::cli {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

class Commands : public CliTest {
 protected:
  void forbid_devices() {
    for (auto& each : environment_.backends) {
      each.open = [](const std::string&) -> std::unique_ptr<Device> {
        ADD_FAILURE() << "a device was opened";
        throw DeviceError("opened");
      };
      each.list = []() -> std::vector<std::string> {
        ADD_FAILURE() << "devices were listed";
        return {};
      };
    }
  }
};

TEST_F(Commands, ListNamesEveryKernelAndTouchesNoDevice) {
  forbid_devices();
  const auto ran = run({"list"});
  EXPECT_EQ(ran.code, 0);
  for (const auto& benchmark : environment_.suite) {
    EXPECT_THAT(ran.out, HasSubstr(benchmark.name));
    EXPECT_THAT(ran.out, HasSubstr(benchmark.summary));
  }
}

TEST_F(Commands, ListAsJsonHasTheDefaultsOfTheDeviceThatWasNamed) {
  forbid_devices();
  const auto kernels = json::parse(run({"list", "--json", "--device", "cpu"}).out).at("kernels");
  const auto gemm = *std::ranges::find(kernels, "gemm", [](const json& kernel) { return kernel.at("name"); });
  const auto axes = gemm.at("axes");
  const auto m = *std::ranges::find(axes, "M", [](const json& axis) { return axis.at("name"); });
  EXPECT_TRUE(m.at("defaults").contains("cpu"));
  EXPECT_FALSE(m.at("defaults").contains("cuda"));
  EXPECT_FALSE(m.at("defaults").at("cpu").empty());
}

/// A machine without a GPU is no error: one line says what is missing, the others are shown.
TEST_F(Commands, ADeviceThatCannotBeUsedIsOneLineWithItsReason) {
  const auto ran = run({"devices"});
  EXPECT_EQ(ran.code, 0);
  EXPECT_THAT(ran.out, HasSubstr("cuda  cannot be used: no driver in this test\n"));
  EXPECT_THAT(ran.out, HasSubstr("sim  simulated GPU"));
  EXPECT_THAT(ran.out, HasSubstr("ceilings"));
}

TEST_F(Commands, DevicesAsJson) {
  const auto devices = json::parse(run({"devices", "--json"}).out).at("devices");
  ASSERT_EQ(devices.size(), environment_.backends.size());
  EXPECT_EQ(devices[0].at("works"), false);
  EXPECT_EQ(devices[0].at("reason"), "no driver in this test");
  const auto sim = *std::ranges::find(devices, "sim", [](const json& device) { return device.at("id"); });
  EXPECT_EQ(sim.at("works"), true);
  EXPECT_EQ(sim.at("last_level_cache_bytes"), 60 << 20);
  EXPECT_FALSE(sim.at("abilities").empty());
}

TEST_F(Commands, TheSelftestPassesOnTheSimulator) {
  const auto ran = run({"selftest", "--device", "sim"});
  EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("pass  spin slope"));
  EXPECT_THAT(ran.out, HasSubstr("pass  flush on the plateau"));
  EXPECT_EQ(ran.out.find("FAIL"), std::string::npos);
}

/// A selftest that cannot fail would be worth nothing: timers that go backwards must be seen.
TEST_F(Commands, TheSelftestFailsOnADeviceWithBrokenStamps) {
  backend("sim").open = [](const std::string&) -> std::unique_ptr<Device> {
    sim::SimConfig config;
    config.bad_stamp_share = 0.3;
    config.bad_stamp = sim::BadStamp::reversed;
    return sim::make_device(config);
  };
  const auto ran = run({"selftest", "--device", "sim"});
  EXPECT_EQ(ran.code, 5) << ran.out;
  EXPECT_THAT(ran.out, HasSubstr("FAIL  call timer"));
}

TEST_F(Commands, VersionAndHelpGoToStdout) {
  const auto shown = run({"--version"});
  EXPECT_EQ(shown.code, 0);
  EXPECT_EQ(shown.out, "warpclock " + version() + "\n");
  const auto help = run({"--help"});
  EXPECT_EQ(help.code, 0);
  EXPECT_EQ(help.err, "");
  for (const char* word : {"run", "list", "devices", "selftest", "Exit codes", "130"}) {
    EXPECT_THAT(help.out, HasSubstr(word));
  }
}

}  // namespace
}  // namespace warpclock::cli
