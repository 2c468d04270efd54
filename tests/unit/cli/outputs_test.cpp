// Files first, and every one of them, whatever happens to the others.
#include "cli/outputs.hpp"

#include "fixture.hpp"

namespace warpclock::cli {
namespace {

TEST_F(CliTest, OutputsThatFailDoNotKeepOthersFromBeingWritten) {
  const auto content = [](std::string text) { return [text] { return text; }; };
  const Outputs outputs(
      {{"--json", "/dev/full", content("a")}, {"--csv", at("r.csv"), content("b")}, {"--md", "-", content("c")}});
  std::ostringstream out;
  const auto problems = outputs.write(out);
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_THAT(problems[0], ::testing::StartsWith("--json: "));
  EXPECT_EQ(read(at("r.csv")), "b");
  EXPECT_EQ(out.str(), "c");
  EXPECT_TRUE(outputs.take_stdout());
}

TEST_F(CliTest, CheckingOutputsRendersNothingAndLeavesNoFile) {
  const Outputs outputs({{"--csv", at("new/r.csv"), []() -> std::string {
                            ADD_FAILURE() << "rendered before anything was measured";
                            return "";
                          }}});
  EXPECT_FALSE(std::filesystem::exists(at("new/r.csv")));
  EXPECT_FALSE(outputs.take_stdout());
}

}  // namespace
}  // namespace warpclock::cli
