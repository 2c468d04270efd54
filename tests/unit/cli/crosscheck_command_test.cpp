// What crosscheck and profile refuse and print without a GPU; the whole of them runs in tests/unit/cuda.
#include "fixture.hpp"

namespace warpclock::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

/// Kernels on a CPU or on the simulator would be compared with nothing.
TEST_F(CliTest, CrosscheckOnADeviceThatIsNoGpuIsOneClearLine) {
  for (const char* device : {"cpu", "sim"}) {
    const auto ran = run({"crosscheck", "add", "--device", device});
    EXPECT_EQ(ran.code, 2);
    EXPECT_EQ(ran.out, "");
    EXPECT_EQ(lines(ran.err), 1);
    EXPECT_THAT(ran.err, AllOf(HasSubstr("needs an NVIDIA GPU"), HasSubstr(device), HasSubstr("--device cuda:0")));
  }
  const auto ran = run({"crosscheck", "add"});  // no device named, and none is there
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr("no driver in this test"));
}

TEST_F(CliTest, CrosscheckRefusesWordsThatMakeNoSense) {
  const auto refused = [&](std::vector<std::string> words, const std::string& why) {
    words.insert(words.begin(), {"crosscheck", "add", "--device", "cuda:0", "--dry-run"});
    const auto ran = run(words);
    EXPECT_EQ(ran.code, 2);
    EXPECT_THAT(ran.err, HasSubstr(why));
  };
  refused({"--repeat", "0"}, "--repeat: '0' is no whole number from 1 to 1000");
  refused({"--repeat", "many"}, "'many'");
  refused({"--ncu-args", "--kernel-name 'a"}, "--ncu-args: the quote ' is not closed");
  refused({"--ncu", "/nowhere/ncu"}, "is no executable file");
  refused({"--cache", "rotate", "--copies", "1"}, "--copies");
}

/// CLI11 takes a word that starts with dashes for an option; ours must reach ncu.
TEST_F(CliTest, WordsForNcuMayStartWithDashes) {
  for (const auto& words : {std::vector<std::string>{"--ncu-args", "--clock-control base"},
                            std::vector<std::string>{"--ncu-args=--clock-control base"}}) {
    std::vector<std::string> all{"crosscheck", "add", "--device", "cuda:0", "--axis", "n=1024", "--dry-run"};
    all.insert(all.end(), words.begin(), words.end());
    const auto ran = run(all);
    EXPECT_EQ(ran.code, 0) << ran.err;
    EXPECT_THAT(ran.out, HasSubstr("--clock-control base"));
  }
}

/// The words that ncu hands to `profile` are read back as the same point: another one would be compared with ours.
TEST_F(CliTest, TheProfiledPointIsTheMeasuredOne) {
  put(at("my.cu"), "__global__ void k(float*, int) {}");
  const auto check = run({"crosscheck", at("my.cu") + ":k",
                          "--device",   "cuda:0",
                          "--axis",     "n=1024",
                          "--grid",     "{n}//256",
                          "--block",    "256",
                          "--arg",      "inout:f32:{n}",
                          "--arg",      "i32:-5",
                          "--flops",    "2*{n}",
                          "--compute",  "fp32",
                          "--cache",    "rotate",
                          "--copies",   "7",
                          "--data",     "ints",
                          "--seed",     "9",
                          "--dry-run"});
  ASSERT_EQ(check.code, 0) << check.err;
  const auto start = check.out.find(" profile ");
  ASSERT_NE(start, std::string::npos) << check.out;
  std::vector<std::string> words;  // as a shell splits them
  bool quoted = false;
  std::string word;
  for (const char c : check.out.substr(start + 1)) {
    if (c == '\'') {
      quoted = !quoted;
    } else if (!quoted && (c == ' ' || c == '\n')) {
      if (!word.empty()) words.push_back(word);
      word.clear();
    } else {
      word += c;
    }
  }
  words.emplace_back("--dry-run");
  const auto profile = run(words);
  EXPECT_EQ(profile.code, 0) << profile.err;
  EXPECT_THAT(profile.out,
              AllOf(HasSubstr("1 point"), HasSubstr("my.cu:k n=1024"), HasSubstr("rotate"), HasSubstr("ints")));
  for (const char* part : {"'--grid={n}//256'", "--arg=i32:-5", "'--flops=2*{n}'", "--copies 7", "--seed 9"}) {
    EXPECT_THAT(check.out, HasSubstr(part));
  }
}

TEST_F(CliTest, ProfileOnADeviceWithoutMarksSaysSo) {
  for (const char* device : {"cpu", "sim"}) {
    const auto ran = run({"profile", "add", "--device", device, "--axis", "n=1024", "--calls", "2"});
    EXPECT_EQ(ran.code, 0) << ran.err;
    EXPECT_EQ(ran.out,
              std::string("add n=1024: 5 warm-up calls, 2 calls, not marked: no profiler can be told of work on ") +
                  device + "\n");
  }
}

/// A kernel that counts its calls, and throws at n = 13.
TEST_F(CliTest, ProfileMakesTheCallsThatItWasAskedForAndGoesOnAfterAFailure) {
  class Counted final : public Workload {
   public:
    Counted(std::int64_t n, int& calls) : n_(n), calls_(calls) {}
    [[nodiscard]] std::uint32_t copies() const override { return 1; }
    [[nodiscard]] Bytes footprint() const override { return 0; }
    [[nodiscard]] Work work() const override { return {}; }
    void prepare(std::uint32_t) override {}
    void call(std::uint32_t) override {
      if (n_ == 13) throw KernelError("broken on purpose");
      ++calls_;
    }
    [[nodiscard]] Check check(std::uint32_t) override { return {}; }

   private:
    std::int64_t n_;
    int& calls_;
  };
  int calls = 0;
  environment_.suite.push_back(
      {.name = "counted",
       .summary = "for tests",
       .backends = {"sim"},
       .axes = [](const std::string&) { return std::vector<AxisSpec>{{.name = "n", .defaults = {std::int64_t{1}}}}; },
       .footprint = [](const Point&) { return Bytes{0}; },
       .make = [&](Device&, const Point& point, const WorkloadOptions&) -> std::unique_ptr<Workload> {
         return std::make_unique<Counted>(point.integer("n"), calls);
       }});
  const auto ran =
      run({"profile", "counted", "--device", "sim", "--axis", "n=1,13,2", "--warmup", "3", "--calls", "2"});
  EXPECT_EQ(ran.code, 5);
  EXPECT_EQ(calls, 10);
  EXPECT_EQ(ran.err, "warpclock: counted n=13: broken on purpose\n");
  EXPECT_THAT(ran.out, AllOf(StartsWith("counted n=1:"), HasSubstr("\ncounted n=2:")));
}

}  // namespace
}  // namespace warpclock::cli
