// `run ./program`: what may be handed over to, and what is refused before anything runs.
#include "cli/handshake.hpp"

#include <sys/stat.h>

#include <chrono>
#include <nlohmann/json.hpp>

#include "core/version.hpp"
#include "fixture.hpp"

namespace warpclock::cli {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Handshake : public CliTest {
 protected:
  std::string program(const std::string& script) {
    const auto path = at("program");
    put(path, "#!/bin/sh\n" + script + "\n");
    ::chmod(path.c_str(), 0755);
    return path;
  }
  std::string refusal(const std::string& path, std::chrono::milliseconds patience = std::chrono::seconds(20)) {
    try {
      static_cast<void>(ask_program(path, patience));
    } catch (const UsageError& error) {
      return error.what();
    }
    return "nothing was refused";
  }
};

TEST_F(Handshake, AProgramTellsItsBenchmarks) {
  const auto path = program("test \"$1\" = --warpclock-handshake && echo '" + handshake_text({"a", "b/c"}) + "'");
  EXPECT_THAT(ask_program(path), ElementsAre("a", "b/c"));
}

TEST_F(Handshake, APathToAFileIsAProgramAndNothingElseIs) {
  const auto path = program("true");
  EXPECT_EQ(program_among({"gemm", path, "add"}), path);
  EXPECT_EQ(program_among({"gemm", "op/variant"}), "");  // a benchmark's name with a slash, and no such file
  put(at("k.cu"), "");
  EXPECT_EQ(program_among({at("k.cu") + ":saxpy"}), "");
}

TEST_F(Handshake, WhatIsNoProgramOfWarpclockIsRefusedInOneLine) {
  EXPECT_THAT(refusal(program("echo hello")), HasSubstr("program: it is no program linked with warpclock::main"));
  EXPECT_THAT(refusal(program("exit 3")), HasSubstr("no program linked"));
  EXPECT_THAT(refusal(program("echo '{\"version\": 1}'")), HasSubstr("no program linked"));
  EXPECT_THAT(refusal(program("head -c 100000000 /dev/zero")), HasSubstr("no program linked"));
  put(at("text"), "no program");
  EXPECT_THAT(refusal(at("text")), HasSubstr("neither a kernel nor a program that can be run"));
}

// A program that takes no notice of its arguments, as a server would.
TEST_F(Handshake, AProgramThatDoesNotAnswerIsNotWaitedFor) {
  EXPECT_THAT(refusal(program("exec sleep 600"), std::chrono::milliseconds(300)), HasSubstr("did not answer in time"));
}

TEST_F(Handshake, AnotherVersionIsRefusedAndNamed) {
  auto other = nlohmann::json::parse(handshake_text({}));
  other["version"] = "0.0.9";
  EXPECT_THAT(refusal(program("echo '" + other.dump() + "'")), AllOf(HasSubstr("0.0.9"), HasSubstr(version())));
  other["version"] = version();
  other["warpclock_handshake"] = handshake_version + 1;
  EXPECT_THAT(refusal(program("echo '" + other.dump() + "'")), HasSubstr("build it again"));
}

TEST_F(Handshake, RunRefusesItBeforeAnythingIsMeasured) {
  const auto ran = run({"run", program("echo hello"), "--device", "sim"});
  EXPECT_EQ(ran.code, ExitCode::usage);
  EXPECT_EQ(ran.out, "");
  EXPECT_EQ(lines(ran.err), 1);
}

}  // namespace
}  // namespace warpclock::cli
