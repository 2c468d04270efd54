#include "crosscheck/child.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>

#include "core/errors.hpp"

namespace warpclock {
namespace {

using ::testing::HasSubstr;

const auto never = [] { return false; };

ChildResult shell(const std::string& script, const std::function<bool()>& interrupted = never) {
  return run_child({"/bin/sh", "-c", script}, interrupted);
}

TEST(Child, BothStreamsAndTheExitCodeComeBack) {
  const auto ran = shell("echo out; echo err >&2; exit 3");
  EXPECT_EQ(ran.exit_code, 3);
  EXPECT_EQ(ran.signal, 0);
  EXPECT_EQ(ran.out, "out\n");
  EXPECT_EQ(ran.err, "err\n");
}

TEST(Child, ASignalIsNoExitCode) {
  const auto ran = shell("kill -SEGV $$");
  EXPECT_EQ(ran.signal, SIGSEGV);
}

/// More than a pipe holds, on both streams in turn: reading one after the other would never end.
TEST(Child, MuchOutputOnBothStreamsDoesNotBlock) {
  const auto ran = shell(
      "i=0; while [ $i -lt 4000 ]; do echo 0123456789012345678901234567890123456789; "
      "echo 0123456789012345678901234567890123456789 >&2; i=$((i+1)); done");
  EXPECT_EQ(ran.out.size(), 164000U);
  EXPECT_EQ(ran.err.size(), 164000U);
}

TEST(Child, ArgumentsArriveAsTheyAre) {
  EXPECT_EQ(run_child({"/bin/echo", "a b", "$HOME", "", "'"}, never).out, "a b $HOME  '\n");
}

TEST(Child, WhatCannotBeStartedIsSaid) {
  try {
    (void)run_child({"/nowhere/ncu"}, never);
    FAIL();
  } catch (const DeviceError& error) {
    EXPECT_THAT(error.what(), HasSubstr("cannot start /nowhere/ncu: No such file"));
  }
}

/// Ctrl-C must also end what the child has started: a profiled program that runs on would disturb the next measurement.
TEST(Child, AnInterruptEndsTheWholeGroup) {
  const auto ran = shell("sleep 1000 & wait", [] { return true; });
  EXPECT_TRUE(ran.interrupted);
  EXPECT_NE(ran.signal, 0);
}

TEST(Child, AGroupThatDoesNotListenIsEndedAllTheSame) {
  const auto ready = std::filesystem::temp_directory_path() / fmt::format("warpclock-child-{}", ::getpid());
  const auto ran = shell("trap '' TERM; touch " + ready.string() + "; while :; do sleep 1; done",
                         [&] { return std::filesystem::exists(ready); });
  std::filesystem::remove(ready);
  EXPECT_TRUE(ran.interrupted);
  EXPECT_EQ(ran.signal, SIGKILL);
}

/// This process ignores SIGPIPE while it runs; a child that inherited that would never learn that its reader has gone.
TEST(Child, IgnoredSignalsAreNotInherited) {
  const auto before = std::signal(SIGPIPE, SIG_IGN);
  const auto ran = shell("kill -PIPE $$; echo still here");
  std::signal(SIGPIPE, before);
  EXPECT_EQ(ran.signal, SIGPIPE);
  EXPECT_EQ(ran.out, "");
}

}  // namespace
}  // namespace warpclock
