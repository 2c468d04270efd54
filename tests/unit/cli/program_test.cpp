// The program as a process: its streams, signals and pipes, and one real measurement from words to a valid document.
#include <fmt/format.h>
#include <sys/wait.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <thread>

#include "fixture.hpp"

namespace warpclock::cli {
namespace {

using ::testing::HasSubstr;

class Program : public CliTest {
 protected:
  /// Runs `command` in a shell with the program as $W and a cache of its own; stdout and stderr as given.
  Ran shell(const std::string& command) {
    const std::string script =
        fmt::format("export XDG_CACHE_HOME='{0}/cache' W='{1}'; cd '{0}'; {{ {2}\n}} >'{0}/out' 2>'{0}/err'",
                    folder_.string(), WARPCLOCK_PROGRAM, command);
    const int status = std::system(script.c_str());  // NOLINT(concurrency-mt-unsafe)
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read(at("out")), read(at("err"))};
  }
};

/// The whole way, for real: words, the CPU device, OpenBLAS, statistics, JSON, the published schema.
TEST_F(Program, ARealRunOnTheCpuGivesADocumentThatTheSchemaAccepts) {
  const auto ran =
      shell("\"$W\" run gemm --device cpu --axis M=1,16 --axis N=256 --axis K=256 --json - -q --max-time 200ms");
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.err, "");
  const auto document = nlohmann::json::parse(ran.out);
  ASSERT_EQ(document.at("results").size(), 2U);
  for (const auto& result : document.at("results")) {
    EXPECT_EQ(result.at("status"), "ok");
    EXPECT_EQ(result.at("check").at("state"), "passed");
  }
  put(at("doc.json"), ran.out);
  const auto valid = shell(fmt::format(
      "'{}' -c 'import json, jsonschema; "
      "jsonschema.validate(json.load(open(\"doc.json\")), json.load(open(\"{}/docs/result.schema.json\")))'",
      PYTHON, WARPCLOCK_SOURCE_DIR));
  EXPECT_EQ(valid.code, 0) << "needs python3-jsonschema\n" << valid.err;
}

/// What `| head` does once it has seen enough: nobody reads any more when the results are printed.
TEST_F(Program, AClosedPipeIsQuiet) {
  const auto ran =
      shell("{ \"$W\" run spin --device sim --ceilings off --samples 20 -q --json -; echo \"code $?\" >&2; } | true");
  EXPECT_EQ(ran.err, "code 0\n");
}

TEST_F(Program, AFullDiskBehindStdoutIsAnErrorAndNotSilence) {
  const auto ran = shell("\"$W\" list >/dev/full");
  EXPECT_EQ(ran.code, 4);
  EXPECT_THAT(ran.err, HasSubstr("cannot write to standard output: No space left on device"));
  EXPECT_EQ(lines(ran.err), 1);
}

/// Ctrl-C during a long run: what was measured is printed and written, and the code says so.
TEST_F(Program, ASignalKeepsWhatWasMeasured) {
  for (const char* signal : {"INT", "TERM", "HUP"}) {
    // Waits for the first finished point rather than for a time, which a busy machine would break. A shell starts
    // background jobs with SIGINT ignored, so python starts the program.
    const auto ran = shell(fmt::format(R"(exec '{}' -c '
import os, signal, subprocess
signal.signal(signal.SIGINT, signal.SIG_DFL)
p = subprocess.Popen([os.environ["W"], "run", "spin", "--device", "cpu", "--ceilings", "off", "--axis",
                      "ns=100000..100999", "--max-time", "50ms", "--json", "r.json"], stderr=subprocess.PIPE, text=True)
first = p.stderr.readline()
p.send_signal(signal.SIG{})
rest = p.stderr.read()
print("rest:", rest)
raise SystemExit(p.wait())')",
                                       PYTHON, signal));
    EXPECT_EQ(ran.code, 130) << ran.out << ran.err;
    EXPECT_THAT(ran.out, HasSubstr("interrupted after"));
    EXPECT_THAT(ran.out, HasSubstr("spin"));
    const auto results = nlohmann::json::parse(read(at("r.json"))).at("results");
    EXPECT_GE(results.size(), 1U);
    EXPECT_LT(results.size(), 1000U);
  }
}

/// Field case F06: the variables that change timings are recorded as the user set them; the program sets none itself.
TEST_F(Program, TheEnvironmentIsRecordedAndUntouched) {
  const auto ran =
      shell("CUDA_SCALE_LAUNCH_QUEUES=4x \"$W\" run empty --device sim --ceilings off --samples 20 --json - -q");
  ASSERT_EQ(ran.code, 0) << ran.err;
  const auto variables = nlohmann::json::parse(ran.out).at("environment").at("variables");
  EXPECT_EQ(variables.at("CUDA_SCALE_LAUNCH_QUEUES"), "4x");
  const auto unset =
      shell("unset CUDA_SCALE_LAUNCH_QUEUES; \"$W\" run empty --device sim --ceilings off --samples 20 --json - -q");
  EXPECT_FALSE(nlohmann::json::parse(unset.out).at("environment").at("variables").contains("CUDA_SCALE_LAUNCH_QUEUES"));
}

/// The same within one process: nothing that a run does may change the environment of whoever called it.
TEST_F(Program, ARunLeavesTheEnvironmentOfItsProcessAsItWas) {
  const auto all = [] {
    std::vector<std::string> out;
    for (char** entry = environ; *entry != nullptr; ++entry) out.emplace_back(*entry);
    return out;
  };
  const auto before = all();
  for (const char* device : {"sim", "cpu"}) {
    EXPECT_EQ(run({"run", "empty", "--device", device, "--ceilings", "off", "--samples", "6", "-q"}).code, 0);
  }
  EXPECT_EQ(all(), before);
}

}  // namespace
}  // namespace warpclock::cli
