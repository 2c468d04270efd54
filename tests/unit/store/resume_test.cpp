// Points of two different programs, chips, drivers or settings in one table would be compared as if they were alike.
#include "store/resume.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include "core/errors.hpp"
#include "fixture.hpp"

namespace warpclock::store {
namespace {

using ::testing::HasSubstr;

class Resume : public StoreTest {
 protected:
  void SetUp() override {
    StoreTest::SetUp();
    database_ = std::make_unique<Database>(at("r.db"), Access::write);
  }
  /// A run of which the first `done` points are measured.
  std::int64_t make(const RunInfo& info, std::size_t done) {
    RunRecorder recorder(*database_, info);
    for (std::size_t i = 0; i < done; ++i) record(recorder, i, result_at(i, random_));
    return recorder.run();
  }
  std::string why(const RunInfo& info) {
    try {
      static_cast<void>(find_unfinished(*database_, info));
    } catch (const UsageError& error) {
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
      return error.what();
    }
    return "";
  }
  std::unique_ptr<Database> database_;
};

TEST_F(Resume, TheLatestUnfinishedRunWithThePlanIsTaken) {
  make(run_of(3), 1);
  const auto wanted = make(run_of(3), 2);
  make(run_of(3), 3);  // complete
  make(run_of(4), 1);  // another plan
  EXPECT_EQ(find_unfinished(*database_, run_of(3)).id, wanted);
}

TEST_F(Resume, ThePlanIsTheSetOfItsPointsAndNotTheirOrder) {
  const auto wanted = make(run_of(3), 1);
  auto info = run_of(3);
  std::ranges::reverse(info.plan);
  EXPECT_EQ(find_unfinished(*database_, info).id, wanted);
}

TEST_F(Resume, InterruptedAndLostPointsAreLeftOver) {
  const auto info = run_of(2);
  RunRecorder recorder(*database_, info);
  record(recorder, 0, result_at(0, random_, Status::interrupted));
  recorder.lost(recorder.intend(1), "gone");
  EXPECT_EQ(find_unfinished(*database_, info).done, 0);
  for (const auto status : {Status::wrong, Status::skipped}) {
    const std::size_t place = status == Status::wrong ? 0 : 1;
    record(recorder, place, result_at(place, random_, status));
  }
  EXPECT_THAT(why(info), HasSubstr("run 1, the last with this plan, is complete"));
}

TEST_F(Resume, WithoutARunOfThePlanItSaysSo) {
  make(run_of(4), 1);
  EXPECT_THAT(why(run_of(3)), HasSubstr("no run in '" + at("r.db") + "' has this plan"));
}

TEST_F(Resume, EachKindOfDifferenceIsNamedAndRefused) {
  make(run_of(3), 1);
  const auto original = run_of(3).identity;
  for (std::size_t i = 0; i < original.size(); ++i) {
    auto info = run_of(3);
    info.identity[i].second = "another";
    EXPECT_THAT(why(info), HasSubstr(original[i].first + " was " + original[i].second + " and is another"));
  }
  auto info = run_of(3);
  info.identity.emplace_back("--grid", "4");
  info.identity.erase(info.identity.begin() + 2);
  EXPECT_THAT(why(info), HasSubstr("--grid was not there and is 4"));
  EXPECT_THAT(why(info), HasSubstr("driver was 580.95.05 and is not there now"));
  EXPECT_THAT(why(info), HasSubstr("run 1 cannot be continued"));
}

// Two processes on one run would measure each point twice and disturb each other.
TEST_F(Resume, ARunThatIsBeingMeasuredIsLeftAlone) {
  const auto info = run_of(3);
  database_.reset();  // a connection must not go through a fork
  int ready[2], done[2];
  ASSERT_EQ(::pipe(ready), 0);
  ASSERT_EQ(::pipe(done), 0);
  const pid_t other = ::fork();
  if (other == 0) {
    ::close(done[1]);
    database_ = std::make_unique<Database>(at("r.db"), Access::write);
    make(info, 1);
    char byte = 'x';
    static_cast<void>(::write(ready[1], &byte, 1) + ::read(done[0], &byte, 1));
    ::_exit(0);
  }
  char byte = 0;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  database_ = std::make_unique<Database>(at("r.db"), Access::write);
  EXPECT_THAT(why(info), HasSubstr("run 1 is still being measured"));
  EXPECT_THAT(why(info), HasSubstr(std::to_string(other)));
  ::close(done[1]);
  ::waitpid(other, nullptr, 0);
  EXPECT_EQ(find_unfinished(*database_, info).id, 1);
}

TEST(Process, ALaterProcessWithTheSameIdIsAnotherOne) {
  EXPECT_TRUE(still_runs(this_process()));
  EXPECT_FALSE(still_runs(this_process() + "0"));
  EXPECT_FALSE(still_runs(""));
}

}  // namespace
}  // namespace warpclock::store
