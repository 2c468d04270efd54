// How ncu is found and called, and each way in which it may fail: one line that says what to do.
#include "crosscheck/ncu.hpp"

#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace warpclock {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

namespace fs = std::filesystem;

TEST(NcuWords, QuotesKeepBlanks) {
  EXPECT_THAT(split_words("  --set full\t--kernel-name 'regex:a b' \"\" x\"y z\" "),
              ElementsAre("--set", "full", "--kernel-name", "regex:a b", "", "xy z"));
  EXPECT_THAT(split_words(""), IsEmpty());
  EXPECT_THROW((void)split_words("--kernel-name 'regex:a"), UsageError);
}

TEST(NcuCommand, DefaultsAreThoseOfTheComparison) {
  const auto command = ncu_command("/opt/ncu", {});
  const auto& words = command.words;
  const auto value = [&](const std::string& option) {
    const auto at = std::ranges::find(words, option);
    return at == words.end() ? "" : *(at + 1);
  };
  EXPECT_EQ(words.front(), "/opt/ncu");
  EXPECT_EQ(value("--clock-control"), "none");
  EXPECT_EQ(value("--cache-control"), "all");
  EXPECT_EQ(value("--profile-from-start"), "off");
  EXPECT_THAT(value("--metrics"), AllOf(HasSubstr("gpu__time_duration.sum"), HasSubstr("sm__cycles_elapsed.max"),
                                        HasSubstr("dram__bytes_read.sum"), HasSubstr("dram__bytes_write.sum")));
  EXPECT_EQ(command.settings.clock_control, "none");
  EXPECT_EQ(command.settings.cache_control, "all");
}

/// An option that is given twice is an error of ncu; and what was overridden decides what may be compared.
TEST(NcuCommand, WhatTheUserSaysTakesTheDefaultsPlace) {
  const auto command =
      ncu_command("ncu", {"--clock-control", "base", "--cache-control=none", "--replay-mode", "range"});
  EXPECT_EQ(std::ranges::count(command.words, "--clock-control"), 1);
  EXPECT_EQ(std::ranges::count(command.words, "--cache-control"), 0);
  EXPECT_THAT(command.words, Not(testing::Contains("none")));
  EXPECT_EQ(command.words.back(), "range");
  EXPECT_EQ(command.settings.clock_control, "base");
  EXPECT_EQ(command.settings.cache_control, "none");
}

class FindNcu : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "warpclock-ncu-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string put(const std::string& path, bool executable = true) {
    const auto file = folder_ / path;
    fs::create_directories(file.parent_path());
    std::ofstream(file) << "#!/bin/sh\n";
    fs::permissions(file, executable ? fs::perms::owner_all : fs::perms::owner_read);
    return file.string();
  }
  fs::path folder_;
};

TEST_F(FindNcu, TheFirstOnPathThatCanBeRun) {
  put("one/ncu", false);
  const auto second = put("two/ncu");
  put("three/ncu");
  const auto path = (folder_ / "one").string() + ":" + (folder_ / "two").string() + ":" + (folder_ / "three").string();
  EXPECT_EQ(find_ncu("", path, ""), second);
  EXPECT_EQ(find_ncu("", (folder_ / "two").string(), ""), second);
  const auto toolkit = put("cuda/bin/ncu");
  EXPECT_EQ(find_ncu("", "", (folder_ / "cuda").string()), toolkit);
}

TEST_F(FindNcu, AGivenPathIsTakenOrRefused) {
  const auto file = put("own/ncu");
  EXPECT_EQ(find_ncu(file, "", ""), file);
  for (const auto& bad : {std::string("/nowhere/ncu"), folder_.string(), put("data", false)}) {
    EXPECT_THROW((void)find_ncu(bad, "", ""), UsageError) << bad;
  }
}

/// The message with which `child` is refused, and whether the next point may still be tried.
struct Refusal {
  std::string message;
  bool for_good = false;
};

Refusal refusal(const ChildResult& child) {
  try {
    (void)launches_of(child);
  } catch (const NcuRefused& error) {
    return {error.what(), true};
  } catch (const Error& error) {
    return {error.what(), false};
  }
  ADD_FAILURE() << "nothing was thrown";
  return {};
}

TEST(NcuOutcome, NoPermissionSaysWhatToDoAndEndsTheTrying) {
  const auto [message, for_good] = refusal(
      {.exit_code = 1,
       .out =
           "==PROF== Connected to process 1\n==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access "
           "NVIDIA GPU Performance Counters on the target device 0.\n"});
  EXPECT_TRUE(for_good);
  EXPECT_THAT(message, AllOf(HasSubstr("ERR_NVGPUCTRPERM"), HasSubstr("NVreg_RestrictProfilingToAdminUsers=0")));
  EXPECT_EQ(std::ranges::count(message, '\n'), 0);
}

TEST(NcuOutcome, AProfilerThatCannotStartEndsTheTrying) {
  const auto [message, for_good] =
      refusal({.exit_code = 1, .out = "==ERROR== Failed to initialize the profiler: LibraryNotLoaded\n"});
  EXPECT_TRUE(for_good);
  EXPECT_EQ(message, "ncu refused: Failed to initialize the profiler: LibraryNotLoaded");
}

TEST(NcuOutcome, WhatEndsOnePointAlone) {
  const auto expect = [](const ChildResult& child, const std::string& words) {
    const auto [message, for_good] = refusal(child);
    EXPECT_FALSE(for_good) << message;
    EXPECT_THAT(message, HasSubstr(words));
  };
  expect({.out = "==PROF== Connected\n==WARNING== No kernels were profiled.\n"}, "saw no kernel");
  expect({.signal = 11}, "signal 11 (Segmentation fault)");
  expect({.exit_code = 5,
          .out = "==ERROR== The application returned an error code (5).\n",
          .err = "warpclock: add n=1: illegal address\n"},
         "(exit code 5): warpclock: add n=1: illegal address");
  expect({.exit_code = 9, .out = "==ERROR== The application returned an error code (9).\n"},
         "returned an error code (9)");
  expect({.out = "==ERROR== Unknown Error on device 0.\n"}, "ncu failed: Unknown Error on device 0.");
  expect({.out = "all is well\n"}, "printed no table");
  expect({.out = "\"ID\",\"Kernel Name\"\n\"\",\"\"\n"}, "cannot be read");
}

TEST(NcuOutcome, ATableOfAProgramThatThenFailedIsNotTaken) {
  const std::string table = "\"ID\",\"Kernel Name\",\"gpu__time_duration.sum\"\n\"\",\"\",\"ns\"\n\"0\",\"k\",\"1\"\n";
  EXPECT_EQ(launches_of({.out = table}).size(), 1U);
  EXPECT_THAT(refusal({.exit_code = 5, .out = table}).message, HasSubstr("exit code 5"));
}

}  // namespace
}  // namespace warpclock
