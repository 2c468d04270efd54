// What a person sees on stderr while points are measured.
#include "cli/progress.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace warpclock::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class ProgressLines : public ::testing::Test {
 protected:
  ProgressPrinter::Setup setup(bool terminal) {
    return {.points = 3, .terminal = terminal, .quiet = false, .columns = 60, .now = [this] { return now_; }};
  }
  static Result result(double ns) {
    Result out;
    out.kernel_time_ns = Summary{};
    out.kernel_time_ns->median = {.value = ns, .low = ns * 0.99, .high = ns * 1.01, .level = 0.95};
    out.samples.resize(20);
    return out;
  }
  static SweepItem item(std::int64_t n) { return {"add", {{{"n", n}}}}; }

  std::ostringstream err_;
  Nanoseconds now_{0};
};

TEST_F(ProgressLines, OneLineAPointWhereThereIsNoTerminal) {
  ProgressPrinter progress(err_, setup(false));
  progress.started(item(1024));
  progress.update({.phase = "settling", .samples = 0, .estimate = {}});
  progress.finished(result(28'340));
  EXPECT_EQ(err_.str(), "[1/3] add n=1024  28.34 us +-1.00 %  20 samples  precision\n");
}

TEST_F(ProgressLines, ATerminalLineIsRewrittenWithPhaseEstimateAndEtaAndIsWipedAtTheEnd) {
  {
    ProgressPrinter progress(err_, setup(true));
    progress.started(item(1));
    now_ = seconds(4);
    progress.finished(result(1000));
    progress.started(item(2));
    err_.str("");
    progress.update({.phase = "traced", .samples = 7, .estimate = Estimate{.value = 1000, .low = 990, .high = 1010}});
    EXPECT_THAT(err_.str(), HasSubstr("[2/3] add n=2  traced  1 us +-1.00 %  7 samples  ETA 8 s"));
    EXPECT_THAT(err_.str(), Not(HasSubstr("\n")));
    err_.str("");
  }
  EXPECT_EQ(err_.str(), "\r\x1b[K");
}

/// A line that wraps cannot be rewritten and would fill the screen.
TEST_F(ProgressLines, ALongLineIsCutToTheTerminal) {
  ProgressPrinter progress(err_, setup(true));
  progress.started({"a_kernel_with_a_name_that_is_much_longer_than_the_terminal_is_wide", {}});
  progress.update({.phase = "traced", .samples = 0, .estimate = {}});
  EXPECT_EQ(err_.str().find("\x1b[K"), 60U);  // \r and 59 characters
}

/// Drawing costs host time beside the samples: a phase is drawn at once, then ten times a second at most.
TEST_F(ProgressLines, DrawsAtMostTenTimesASecond) {
  ProgressPrinter progress(err_, setup(true));
  progress.started(item(1));
  for (int i = 0; i < 1000; ++i) {
    now_ += milliseconds(1);
    progress.update({.phase = "traced", .samples = 1, .estimate = {}});
  }
  const std::string drawn = err_.str();
  EXPECT_LE(std::count(drawn.begin(), drawn.end(), '\r'), 11);
  EXPECT_GE(std::count(drawn.begin(), drawn.end(), '\r'), 9);
}

TEST_F(ProgressLines, QuietDrawsNothing) {
  for (const bool terminal : {false, true}) {
    auto quiet = setup(terminal);
    quiet.quiet = true;
    ProgressPrinter progress(err_, quiet);
    progress.started(item(1));
    progress.update({.phase = "traced", .samples = 0, .estimate = {}});
    progress.finished(result(1000));
  }
  EXPECT_EQ(err_.str(), "");
}

}  // namespace
}  // namespace warpclock::cli
