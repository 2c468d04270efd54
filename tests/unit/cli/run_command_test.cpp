// What a run prints, where, and what it keeps when it ends early.
#include <nlohmann/json.hpp>

#include "fixture.hpp"

namespace warpclock::cli {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

/// A kernel on the simulator that takes `n` microseconds and fails as scripted at n = 13.
Benchmark scripted(std::function<void(Device&, std::int64_t)> body) {
  class Scripted final : public Workload {
   public:
    Scripted(Device& device, std::int64_t n, std::function<void(Device&, std::int64_t)> body)
        : device_(device), n_(n), body_(std::move(body)) {}
    [[nodiscard]] std::uint32_t copies() const override { return 1; }
    [[nodiscard]] Bytes footprint() const override { return 0; }
    [[nodiscard]] Work work() const override { return {}; }
    void prepare(std::uint32_t) override {}
    void call(std::uint32_t) override {
      body_(device_, n_);
      device_.stream().launch_spin(microseconds(static_cast<double>(n_)));
    }
    [[nodiscard]] Check check(std::uint32_t) override { return {.state = Check::State::unchecked, .detail = "none"}; }

   private:
    Device& device_;
    std::int64_t n_;
    std::function<void(Device&, std::int64_t)> body_;
  };
  Benchmark benchmark;
  benchmark.name = "scripted";
  benchmark.summary = "for tests";
  benchmark.backends = {"sim"};
  benchmark.axes = [](const std::string&) {
    return std::vector<AxisSpec>{{.name = "n", .unit = "us", .help = "time", .defaults = {std::int64_t{5}}}};
  };
  benchmark.footprint = [](const Point&) { return Bytes{0}; };
  benchmark.make = [body](Device& device, const Point& point, const WorkloadOptions&) -> std::unique_ptr<Workload> {
    return std::make_unique<Scripted>(device, point.integer("n"), body);
  };
  return benchmark;
}

class RunCommand : public CliTest {
 protected:
  void add_scripted(std::function<void(Device&, std::int64_t)> body) {
    environment_.suite.push_back(scripted(std::move(body)));
  }
};

TEST_F(RunCommand, TheTableGoesToStdoutAndALineAPointToStderr) {
  const auto ran = run(quick({"spin", "--axis", "ns=10000,20000"}));
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("spin"));
  EXPECT_THAT(ran.err, HasSubstr("[1/2] spin ns=10000"));
  EXPECT_THAT(ran.err, HasSubstr("[2/2] spin ns=20000"));
  EXPECT_THAT(ran.out, Not(HasSubstr("\x1b[")));
}

TEST_F(RunCommand, QuietSaysNothingOnStderr) {
  const auto ran = run(quick({"spin", "--axis", "ns=10000", "-q"}));
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(ran.err, "");
  EXPECT_NE(ran.out, "");
}

/// A program that reads stdout must find JSON there and nothing else.
TEST_F(RunCommand, JsonOnStdoutIsAlone) {
  const auto ran = run(quick({"spin", "--axis", "ns=10000,20000", "--json", "-"}));
  EXPECT_EQ(ran.code, 0) << ran.err;
  const auto parsed = json::parse(ran.out);
  EXPECT_EQ(parsed.at("results").size(), 2U);
}

TEST_F(RunCommand, FilesAreWrittenBesideTheTable) {
  const auto ran = run(quick({"spin", "--axis", "ns=10000", "--json", at("new/r.json"), "--csv", at("r.csv")}));
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("spin"));
  EXPECT_EQ(json::parse(read(at("new/r.json"))).at("results").size(), 1U);
  EXPECT_THAT(read(at("r.csv")), HasSubstr("spin"));
}

TEST_F(RunCommand, AnAxisAfterKernelsDoesNotSwallowThem) {
  const auto ran = run(quick({"--axis", "ns=10000", "spin", "empty"}));
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("spin"));
  EXPECT_THAT(ran.out, HasSubstr("empty"));
}

TEST_F(RunCommand, DryRunPrintsThePlanAndOpensNothing) {
  backend("sim").open = [](const std::string&) -> std::unique_ptr<Device> { throw DeviceError("opened"); };
  const auto ran = run(quick({"spin", "--axis", "ns=1..3", "--dry-run", "--json", at("never/r.json")}));
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("3 points"));
  EXPECT_THAT(ran.out, HasSubstr("spin ns=2"));
  EXPECT_THAT(ran.out, ::testing::ContainsRegex("samples +20"));
  EXPECT_EQ(files(), 0U);
}

TEST_F(RunCommand, WithoutAGpuTheCpuIsTakenAndSaidSo) {
  const auto ran = run({"run", "--dry-run"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("device cpu"));
  EXPECT_THAT(ran.out, HasSubstr("gemm"));
}

TEST_F(RunCommand, AGpuThatIsListedButCannotBeOpenedGivesWayToTheCpu) {
  backend("cuda").list = [] { return std::vector<std::string>{"cuda:0"}; };
  const auto ran = run({"run", "empty", "--ceilings", "off", "--samples", "6"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("no GPU can be used"));
  EXPECT_THAT(ran.err, HasSubstr("no driver in this test"));
}

/// A kernel that fails costs its own row: the others are measured, printed and written.
TEST_F(RunCommand, AFailedKernelCostsItsOwnRowOnly) {
  add_scripted([](Device&, std::int64_t n) {
    if (n == 13) throw KernelError("the kernel wrote outside its buffers");
  });
  const auto ran = run(quick({"scripted", "--axis", "n=12,13,14", "--json", at("r.json"), "-q"}));
  EXPECT_EQ(ran.code, 5);
  EXPECT_EQ(lines(ran.err), 1) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("warpclock: scripted n=13 failed: the kernel wrote outside its buffers"));
  const auto results = json::parse(read(at("r.json"))).at("results");
  ASSERT_EQ(results.size(), 3U);
  EXPECT_EQ(results[0].at("status"), "ok");
  EXPECT_EQ(results[1].at("status"), "failed");
  EXPECT_EQ(results[2].at("status"), "ok");
}

TEST_F(RunCommand, AnInterruptKeepsWhatWasMeasured) {
  bool stop = false;
  add_scripted([&stop](Device&, std::int64_t n) { stop = n == 13; });
  environment_.interrupted = [&stop] { return stop; };
  put(at("r.json"), "old");
  const auto ran = run(quick({"scripted", "--axis", "n=11,12,13,14", "--json", at("r.json"), "-q"}));
  EXPECT_EQ(ran.code, 130);
  EXPECT_THAT(ran.err, HasSubstr("interrupted"));
  EXPECT_THAT(ran.out, HasSubstr("scripted"));
  const auto results = json::parse(read(at("r.json"))).at("results");
  ASSERT_GE(results.size(), 2U);
  EXPECT_LE(results.size(), 3U);  // the third was being measured
  EXPECT_EQ(results[1].at("status"), "ok");
}

/// The device is lost at the third point: the first two must not be.
TEST_F(RunCommand, ALostDeviceKeepsWhatWasMeasured) {
  add_scripted([](Device& device, std::int64_t n) {
    if (n == 13) {
      auto& stream = dynamic_cast<sim::SimDevice&>(device).stream();
      stream.launch({.name = "bad", .fixed = microseconds(1), .fault = sim::Fault::sticky_error});
    }
  });
  const auto ran = run(quick({"scripted", "--axis", "n=11,12,13,14", "--json", at("r.json"), "-q"}));
  EXPECT_EQ(ran.code, 4) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("scripted"));
  EXPECT_EQ(json::parse(read(at("r.json"))).at("results").size(), 2U);
}

/// One point too large is a row that says so; the others are measured. A sweep up to the limit is how people find it.
TEST_F(RunCommand, APointBeyondMemoryCostsItsOwnRowOnly) {
  const auto ran = run(quick({"add", "--axis", "n=1024,2^40", "--json", at("r.json"), "-q"}));
  EXPECT_EQ(ran.code, 4);
  EXPECT_EQ(lines(ran.err), 1) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("free"));
  const auto results = json::parse(read(at("r.json"))).at("results");
  EXPECT_EQ(results.at(0).at("status"), "ok");
  EXPECT_EQ(results.at(1).at("status"), "skipped");
}

/// Field case F79: a run that measures nothing must not cost the results of an earlier one.
TEST_F(RunCommand, AnExistingFileIsKeptWhenTheRunFails) {
  put(at("r.json"), "old results");
  EXPECT_EQ(run({"run", "--device", "cuda:0", "--json", at("r.json")}).code, 4);
  EXPECT_EQ(run(quick({"add", "--axis", "n=2^40", "--json", at("r.json")})).code, 4);
  environment_.interrupted = [] { return true; };
  EXPECT_EQ(run(quick({"spin", "--axis", "ns=10000", "--json", at("r.json")})).code, 130);
  EXPECT_EQ(read(at("r.json")), "old results");
  EXPECT_EQ(files(), 1U);
}

/// Field case F79, a full disk: the table is still printed, the other file still written, and the code says so.
TEST_F(RunCommand, AFullDiskCostsOneFileAndNotTheResults) {
  const auto ran = run(quick({"spin", "--axis", "ns=10000", "--json", "/dev/full", "--csv", at("r.csv"), "-q"}));
  EXPECT_EQ(ran.code, 4);
  EXPECT_THAT(ran.err, HasSubstr("No space left on device"));
  EXPECT_THAT(ran.out, HasSubstr("spin"));
  EXPECT_THAT(read(at("r.csv")), HasSubstr("spin"));
}

TEST_F(RunCommand, EverySettingIsInTheEnvironmentAsItWasUsed) {
  const auto ran = run(quick({"spin", "--axis", "ns=10000", "--precision", "2%", "--json", "-", "-q"}));
  const auto settings = json::parse(ran.out).at("environment").at("settings");
  EXPECT_EQ(settings.at("precision"), "2%");
  EXPECT_EQ(settings.at("samples"), "20");
  EXPECT_EQ(settings.at("cache"), "cold");
}

TEST_F(RunCommand, ColoursAreForTerminalsUnlessNoColorOrTheUserSaysOtherwise) {
  const auto colored = [&](const std::string& choice) {
    return run(quick({"spin", "--axis", "ns=10000", "-q", "--color", choice})).out.find("\x1b[") != std::string::npos;
  };
  EXPECT_FALSE(colored("auto"));
  EXPECT_TRUE(colored("always"));
  environment_.out_is_terminal = true;
  EXPECT_TRUE(colored("auto"));
  EXPECT_FALSE(colored("never"));
  environment_.variable = [](const std::string& name) {
    return name == "NO_COLOR" ? std::optional<std::string>("1") : std::nullopt;
  };
  EXPECT_FALSE(colored("auto"));
  EXPECT_TRUE(colored("always"));
}

TEST_F(RunCommand, APeakOverridesTheDocumentedOne) {
  const auto ran = run(quick({"add", "--axis", "n=2^26", "--peak", "memory=4800", "--json", "-", "-q"}));
  const auto result = json::parse(ran.out).at("results").at(0);
  EXPECT_THAT(result.at("sol").at("source"), HasSubstr("--peak memory=4800"));
}

}  // namespace
}  // namespace warpclock::cli
