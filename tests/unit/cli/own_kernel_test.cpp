// The options for a kernel of one's own: they reach the plan, and stand for nothing without such a kernel.
#include "fixture.hpp"

namespace warpclock::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class OwnKernel : public CliTest {
 protected:
  void SetUp() override {
    CliTest::SetUp();
    put(at("my.cu"), "__global__ void saxpy() {}\n");
    backend("cuda").list = [] { return std::vector<std::string>{"cuda:0"}; };
    backend("cuda").open = [](const std::string&) { return sim::make_device(); };
  }
  Ran plan(std::vector<std::string> words, const std::string& device = "cuda:0") {
    words.insert(words.begin(), "run");
    for (const std::string& word : {std::string("--device"), device, std::string("--dry-run")}) words.push_back(word);
    return run(words);
  }
};

TEST_F(OwnKernel, ItsAxesAreTakenFromItsWords) {
  const auto ran = plan({at("my.cu") + ":saxpy", "--grid", "{n}//256", "--block", "256", "--arg", "in:f32:{n}", "--arg",
                         "i32:{k}", "--axis", "n=1,2,3", "--axis", "k=7"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, AllOf(HasSubstr("3 points"), HasSubstr("my.cu:saxpy n=2 k=7")));
}

TEST_F(OwnKernel, StandsBesideABuiltInOne) {
  const auto ran = plan({"add", at("my.cu") + ":saxpy", "--grid", "1", "--block", "32", "--axis", "n=64"});
  EXPECT_THAT(ran.out, HasSubstr("2 points")) << ran.err;
}

TEST_F(OwnKernel, AnAxisWithoutValuesIsNamed) {
  const auto ran = plan({at("my.cu") + ":saxpy", "--grid", "{n}", "--block", "32"});
  EXPECT_EQ(ran.code, ExitCode::usage);
  EXPECT_THAT(ran.err, HasSubstr("--axis n="));
}

TEST_F(OwnKernel, ItsOptionsWithoutItAreAMistake) {  // else --flops would seem to count for gemm
  for (const char* option : {"--grid", "--arg", "--nvrtc", "--flops", "--shared"}) {
    const auto ran = plan({"gemm", option, "1"});
    EXPECT_EQ(ran.code, ExitCode::usage);
    EXPECT_THAT(ran.err, AllOf(HasSubstr(option), HasSubstr("my.cu:saxpy")));
  }
}

TEST_F(OwnKernel, WrongWordsAreOneLineAndTheUsersFault) {
  const auto ran = plan({at("my.cu") + ":saxpy", "--grid", "1", "--block", "32", "--arg", "float:2"});
  EXPECT_EQ(ran.code, ExitCode::usage);
  EXPECT_EQ(lines(ran.err), 1) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("--arg float:2"));
  EXPECT_THAT(plan({at("no.cu") + ":k", "--grid", "1", "--block", "1"}).err, HasSubstr("no.cu"));
}

TEST_F(OwnKernel, TheCpuCannotRunIt) {
  const auto ran = plan({at("my.cu") + ":saxpy", "--grid", "1", "--block", "32"}, "cpu");
  EXPECT_EQ(ran.code, ExitCode::usage);
  EXPECT_THAT(ran.err, HasSubstr("runs on cuda"));
}

}  // namespace
}  // namespace warpclock::cli
