// The record of a lock: what can be undone is what is written there, so nothing else may be read out of it.
#include "run/clock_record.hpp"

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "backends/sim/device.hpp"
#include "core/errors.hpp"
#include "run/clock_lock.hpp"

namespace warpclock {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class ClockRecords : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "warpclock-clock-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::string path() const { return clock_record_path(folder_, "GPU-1"); }
  std::vector<std::string> recover() {
    return recover_clocks(folder_, [this](const std::string& backend, const std::string& identity) {
      return [this, backend, identity](ClockDomain domain) {
        if (refuse_) throw DeviceError("refused");
        undone_.push_back(backend + " " + identity + " " + to_string(domain));
      };
    });
  }
  static ClockRecord locked_sm() {
    auto record = new_clock_record("cuda", "GPU-1");
    record.locks[ClockDomain::sm] = "1500 MHz";
    return record;
  }

  std::string folder_;
  std::vector<std::string> undone_;
  bool refuse_ = false;
};

TEST_F(ClockRecords, WhatIsWrittenIsRead) {
  auto record = locked_sm();
  record.guard = 4711;
  record.locks[ClockDomain::memory] = "max";
  write_clock_record(path(), record);
  const auto again = read_clock_record(path());
  ASSERT_TRUE(again);
  EXPECT_EQ(again->identity, "GPU-1");
  EXPECT_EQ(again->guard, 4711);
  EXPECT_EQ(again->owner, ::getpid());
  EXPECT_EQ(again->locks, record.locks);
  EXPECT_TRUE(again->of_this_boot());
  EXPECT_FALSE(read_clock_record(path() + "x"));
}

TEST_F(ClockRecords, OnlyTheDomainsThatAreWrittenDownAreUndone) {
  write_clock_record(path(), locked_sm());
  EXPECT_THAT(recover(), ElementsAre(HasSubstr("SM clock (1500 MHz)")));
  EXPECT_THAT(undone_, ElementsAre("cuda GPU-1 SM clock"));
  EXPECT_FALSE(std::filesystem::exists(path()));
  EXPECT_THAT(recover(), IsEmpty());  // once
  EXPECT_EQ(undone_.size(), 1U);
}

TEST_F(ClockRecords, OneOfALivingProcessIsLeftAlone) {
  write_clock_record(path(), locked_sm());
  {
    const auto claim = ClockClaim::take(folder_, "GPU-1");
    ASSERT_TRUE(claim);
    EXPECT_FALSE(ClockClaim::take(folder_, "GPU-1"));
    EXPECT_THAT(recover(), IsEmpty());
    EXPECT_THAT(undone_, IsEmpty());
  }
  EXPECT_EQ(recover().size(), 1U);
}

TEST_F(ClockRecords, OneOfAnotherBootIsDeletedUnlessAnotherMachineWroteIt) {
  auto record = locked_sm();
  record.boot = "another";
  record.host = "elsewhere.example";
  write_clock_record(path(), record);
  EXPECT_THAT(recover(), IsEmpty());
  EXPECT_TRUE(std::filesystem::exists(path())) << "a home folder is shared: that lock may be in force over there";
  record.host = locked_sm().host;
  write_clock_record(path(), record);
  EXPECT_THAT(recover(), IsEmpty());
  EXPECT_FALSE(std::filesystem::exists(path()));
  EXPECT_THAT(undone_, IsEmpty());
}

TEST_F(ClockRecords, OneThatCannotBeUndoneStaysForTheNextStart) {
  write_clock_record(path(), locked_sm());
  refuse_ = true;
  EXPECT_THAT(recover(), ElementsAre(HasSubstr("could not be undone: refused")));
  EXPECT_TRUE(std::filesystem::exists(path()));
  refuse_ = false;
  EXPECT_EQ(recover().size(), 1U);
}

TEST_F(ClockRecords, GarbageUndoesNothingAndIsSaid) {
  for (const char* text : {"", "{}", "[1]", R"({"backend": 3})", "\xff\xfe"}) {
    std::ofstream(path()) << text;
    EXPECT_THAT(recover(), ElementsAre(HasSubstr("is no record"))) << text;
    EXPECT_THAT(undone_, IsEmpty());
  }
}

TEST_F(ClockRecords, NoFolderIsNoError) {
  EXPECT_THAT(recover_clocks("", nullptr), IsEmpty());
  EXPECT_THAT(recover_clocks(folder_ + "/none", nullptr), IsEmpty());
}

/// A simulated device whose locks are looked after as a GPU's are.
class ClockLocks : public ClockRecords {
 protected:
  bool lock(const ClockKeeping& keeping) {
    ClockLock clocks(*device_, keeping, [this](const std::string& warning) { warnings_.push_back(warning); });
    const bool locked = clocks.lock(ClockDomain::sm, {ClockWish::Kind::mhz, 1500});
    EXPECT_EQ(clocks.state().problem.empty(), locked);
    EXPECT_EQ(device_->true_clock_mhz(), locked ? 1500 : 1980);
    return locked;
  }

  std::unique_ptr<sim::SimDevice> device_ = sim::make_device();
  std::vector<std::string> warnings_;
};

TEST_F(ClockLocks, WithoutAGuardNothingIsLocked) {
  for (const char* program : {"/bin/false", "/nowhere/warpclock", "/bin/true"}) {
    EXPECT_FALSE(lock({.outlive = true, .folder = folder_, .program = program})) << program;
    EXPECT_FALSE(std::filesystem::exists(clock_record_path(folder_, device_->info().identity))) << program;
  }
  EXPECT_THAT(warnings_, ::testing::Each(HasSubstr("the process that would undo the lock could not be started")));
}

TEST_F(ClockLocks, WithoutAFolderNothingIsLocked) {
  EXPECT_FALSE(lock({.outlive = true, .folder = "", .program = "/bin/false"}));
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("XDG_STATE_HOME")));
}

TEST_F(ClockLocks, ALockThatEndsWithTheProcessNeedsNeitherAndIsUndoneInTheEnd) {
  EXPECT_TRUE(lock({.outlive = false}));
  EXPECT_EQ(device_->true_clock_mhz(), 1980);
  EXPECT_THAT(warnings_, IsEmpty());
}

TEST_F(ClockLocks, ARefusalIsToldOnceAndASuccessForgetsIt) {
  sim::SimConfig config;
  config.locking = false;
  const auto device = sim::make_device(config);
  ClockLock clocks(*device, {.outlive = false}, [this](const std::string& warning) { warnings_.push_back(warning); });
  EXPECT_FALSE(clocks.lock(ClockDomain::sm, {ClockWish::Kind::max, 0}));
  EXPECT_FALSE(clocks.lock(ClockDomain::sm, {ClockWish::Kind::max, 0}));
  EXPECT_EQ(warnings_.size(), 1U);
  EXPECT_FALSE(clocks.lock(ClockDomain::memory, {ClockWish::Kind::max, 0}));
  EXPECT_THAT(clocks.state().problem, ::testing::AllOf(HasSubstr("SM clock"), HasSubstr("memory clock")));
  EXPECT_FALSE(clocks.state().sm_mhz);
}

}  // namespace
}  // namespace warpclock
