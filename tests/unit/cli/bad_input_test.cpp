// Each way in which a request can make no sense: one line on stderr that helps, the right exit code, nothing on stdout,
// and no measurement that would have to be thrown away.
#include "fixture.hpp"

namespace warpclock::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using Words = std::vector<std::string>;

struct BadInput {
  std::string name;
  Words words;
  int code;
  std::vector<std::string> told;  // what the line has to contain
};

Words sim(Words words) {
  words.insert(words.begin(), "run");
  words.insert(words.end(), {"--device", "sim"});
  return words;
}

/// How a failed row is called in the test's output.
void PrintTo(const BadInput& row, std::ostream* out) { *out << row.name; }

std::vector<BadInput> bad_inputs() {
  return {
      {"NoCommand", {}, 2, {"no command", "--help"}},
      {"UnknownCommand", {"rnu"}, 2, {"'rnu'", "did you mean 'run'?"}},
      {"UnknownOption", {"run", "--presicion", "1%"}, 2, {"'--presicion'", "did you mean '--precision'?"}},
      {"UnknownOptionWithEquals", {"run", "--presicion=1%"}, 2, {"did you mean '--precision'?"}},
      {"UnknownKernel", sim({"gem"}), 2, {"'gem'", "did you mean 'gemm'?"}},
      {"KernelOfAnotherCommand", {"list", "gemm"}, 2, {"gemm", "list"}},
      {"UnknownAxis", sim({"gemm", "--axis", "m=1"}), 2, {"--axis m", "did you mean 'M'?"}},
      {"AxisOfNoChosenKernel", sim({"empty", "--axis", "M=1"}), 2, {"M"}},
      {"UnknownDevice", {"run", "--device", "cdua:0"}, 2, {"'cdua:0'", "did you mean 'cuda'?"}},
      {"NoSuchSimulator", {"run", "--device", "sim:1"}, 2, {"'sim:1'"}},
      {"ListOfUnknownDevice", {"list", "--device", "cppu"}, 2, {"did you mean 'cpu'?"}},
      {"AxisWithoutValues", sim({"gemm", "--axis", "M="}), 2, {"M"}},
      {"AxisWithoutName", sim({"gemm", "--axis", "=1"}), 2, {"=1"}},
      {"AxisWithoutEquals", sim({"gemm", "--axis", "M"}), 2, {"M"}},
      {"AxisWithAnEmptyPiece", sim({"gemm", "--axis", "M=1,,2"}), 2, {"M"}},
      {"AxisMalformed", sim({"gemm", "--axis", "M=1..x"}), 2, {"M", "x"}},
      {"AxisTwice", sim({"gemm", "--axis", "M=1", "--axis", "M=2"}), 2, {"M"}},
      {"SizeZero", sim({"gemm", "--axis", "M=0"}), 2, {"M", "0"}},
      {"SizeNegative", sim({"gemm", "--axis", "M=-4"}), 2, {"M", "-4"}},
      {"SizeOverflows", sim({"gemm", "--axis", "M=99999999999999999999"}), 2, {"M", "99999999999999999999"}},
      {"PowerOverflows", sim({"add", "--axis", "n=2^64"}), 2, {"n", "2^64"}},
      {"TooManyPoints", sim({"add", "--axis", "n=1..9999999"}), 2, {"n"}},
      {"DtypeTheDeviceLacks", {"run", "gemm", "--device", "cpu", "--axis", "dtype=bf16"}, 2, {"dtype", "bf16", "fp32"}},
      {"FilterMatchesNothing", sim({"gemm", "--filter", "softmax"}), 2, {"softmax"}},
      {"FilterIsNoRegex", sim({"gemm", "--filter", "("}), 2, {"filter"}},
      {"PrecisionWithoutUnit", sim({"--precision", "0.5"}), 2, {"--precision", "0.5%"}},
      {"PrecisionNegative", sim({"--precision", "-1%"}), 2, {"--precision", "-1%"}},
      {"PrecisionTooWide", sim({"--precision", "200%"}), 2, {"--precision"}},
      {"TimeWithoutUnit", sim({"--max-time", "1"}), 2, {"--max-time"}},
      {"TimeZero", sim({"--max-time", "0s"}), 2, {"--max-time"}},
      {"SamplesZero", sim({"--samples", "0"}), 2, {"--samples"}},
      {"BatchNegative", sim({"--batch", "-5"}), 2, {"--batch", "-5"}},
      {"UnknownCache", sim({"--cache", "luke"}), 2, {"--cache", "luke", "cold"}},
      {"ContradictingSettings", sim({"--cache", "warm", "--copies", "3"}), 2, {"--copies", "warm"}},
      {"OptionWithoutValue", {"list", "--device"}, 2, {"--device"}},
      {"OptionInPlaceOfAFile", {"run", "--json"}, 2, {"--json", "'-q'"}},
      {"UnknownColor", sim({"--color", "red"}), 2, {"--color", "red", "never"}},
      {"UnknownCeilings", sim({"--ceilings", "maybe"}), 2, {"--ceilings", "off"}},
      {"PeakWithoutValue", sim({"--peak", "memory"}), 2, {"--peak", "memory=4800"}},
      {"PeakZero", sim({"--peak", "memory=0"}), 2, {"--peak"}},
      {"PeakOfUnknownResource", sim({"--peak", "disk=5"}), 2, {"disk", "memory"}},
      {"TwoOutputsOnStdout", sim({"--json", "-", "--csv", "-"}), 2, {"--json", "--csv"}},
      {"TwoOutputsInOneFile", sim({"--json", "/tmp/x", "--csv", "/tmp/../tmp/x"}), 2, {"--json", "--csv"}},
      {"OutputIsAFolder", sim({"--json", "/tmp"}), 2, {"--json", "/tmp", "folder"}},
      {"OutputInAReadOnlyPlace", sim({"--csv", "/proc/warpclock.csv"}), 2, {"--csv", "/proc/warpclock.csv"}},
      {"OutputBelowAFile", sim({"--md", "/etc/passwd/x.md"}), 2, {"--md", "/etc/passwd/x.md"}},
      {"OutputWithoutName", sim({"--json", ""}), 2, {"--json"}},
      {"SizeBeyondMemory",
       sim({"add", "--ceilings", "off", "--axis", "n=2^40"}),
       4,
       {"add n=1099511627776", "needs 12 TiB", "free"}},
      {"DeviceThatCannotBeOpened", {"run", "--device", "cuda:0"}, 4, {"no driver"}},
      {"SelftestOfADeviceThatCannotBeOpened", {"selftest", "--device", "cuda:0"}, 4, {"no driver"}},
  };
}

class BadInputs : public CliTest, public ::testing::WithParamInterface<BadInput> {};

TEST_P(BadInputs, OneLineThatHelpsAndTheRightCode) {
  auto words = GetParam().words;
  if (words.size() > 1 && words[0] == "run") words.emplace_back("-q");  // leaves errors alone
  const auto ran = run(words);
  EXPECT_EQ(ran.code, GetParam().code);
  EXPECT_EQ(ran.out, "");
  EXPECT_EQ(lines(ran.err), 1) << ran.err;
  EXPECT_THAT(ran.err, StartsWith("warpclock: "));
  for (const auto& word : GetParam().told) EXPECT_THAT(ran.err, HasSubstr(word));
}

std::string name_of(const ::testing::TestParamInfo<BadInput>& row) { return row.param.name; }

INSTANTIATE_TEST_SUITE_P(, BadInputs, ::testing::ValuesIn(bad_inputs()), name_of);

/// Words that are wrong must be found before a device is touched, which may take seconds or be in use.
TEST_F(CliTest, AWrongRequestOpensNoDevice) {
  backend("sim").open = [](const std::string&) -> std::unique_ptr<Device> {
    ADD_FAILURE() << "the device was opened";
    throw DeviceError("opened");
  };
  EXPECT_EQ(run(sim({"gemm", "--axis", "M=0"})).code, 2);
  EXPECT_EQ(run(sim({"gemm", "--json", "/proc/x.json"})).code, 2);
  EXPECT_EQ(run(sim({"gemm", "--cache", "warm", "--copies", "3"})).code, 2);
}

}  // namespace
}  // namespace warpclock::cli
