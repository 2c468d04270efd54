// Help and the page in docs/ come from the same table as the parser, so that none of them can go stale.
#include <algorithm>

#include "fixture.hpp"
#include "plan/settings.hpp"

namespace warpclock::cli {
namespace {

using ::testing::HasSubstr;

TEST_F(CliTest, EverySettingIsInTheHelpWithItsRangeAndDefault) {
  const auto help = run({"run", "--help"});
  EXPECT_EQ(help.code, 0);
  for (const auto& row : settings()) {
    EXPECT_THAT(help.out, HasSubstr(row.flag() + " " + row.placeholder));
    EXPECT_THAT(help.out, HasSubstr(row.default_text));
  }
}

TEST_F(CliTest, EverySettingIsAFlagThatTakesItsExample) {
  for (const auto& row : settings()) {
    const auto ran = run({"run", "empty", "--device", "sim", "--dry-run", row.flag(), row.example});
    EXPECT_EQ(ran.code, 0) << ran.err;
  }
}

TEST_F(CliTest, HelpFitsIntoAHundredColumns) {
  std::istringstream help(run({"run", "--help"}).out);
  for (std::string line; std::getline(help, line);) EXPECT_LE(line.size(), 100U) << line;
}

TEST_F(CliTest, TheExamplesOfTheHelpArePlansThatWork) {
  EXPECT_EQ(run({"run", "gemm", "--device", "cpu", "--axis", "M=1,16", "--axis", "N=256", "--axis", "K=256", "--json",
                 "result.json", "--dry-run"})
                .code,
            0);
  const auto ran = run({"run", "add", "copy", "--device", "cpu", "--axis", "n=2^10..2^24", "--cache", "warm",
                        "--filter", "n=(1024|1048576)$", "--dry-run"});
  EXPECT_THAT(ran.out, HasSubstr("4 points"));
}

TEST_F(CliTest, TheCommittedPageIsTheOneThatTheProgramPrints) {
  EXPECT_EQ(run({"docs"}).out, read(WARPCLOCK_SOURCE_DIR "/docs/cli.md"))
      << "write it anew: warpclock docs > docs/cli.md";
}

}  // namespace
}  // namespace warpclock::cli
