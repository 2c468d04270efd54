// Environment and files: nothing changed behind the user's back, nothing half written, nothing lost.
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "support.hpp"

namespace warpclock::field {
namespace {

namespace fs = std::filesystem;

class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "warpclock-field-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~Folder() { fs::remove_all(path_); }
  [[nodiscard]] std::string operator/(const std::string& name) const { return (path_ / name).string(); }
  [[nodiscard]] std::size_t files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(path_), fs::directory_iterator()));
  }

 private:
  fs::path path_;
};

std::string content(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

// A launch-queue variable that deadlocked some boards: the user's own value is recorded, and never touched.
TEST(F06, TheQueueVariableIsRecordedAndLeftAlone) {
  const auto* name = "CUDA_SCALE_LAUNCH_QUEUES";
  ASSERT_EQ(::setenv(name, "4x", 1), 0);
  const auto with = document({"chain", "--device", "sim", "--axis", "launches=2000", "--axis", "ns=1000"});
  EXPECT_EQ(with.at("environment").at("variables").value(name, ""), "4x");
  EXPECT_STREQ(std::getenv(name), "4x");
  ASSERT_EQ(::unsetenv(name), 0);
  const auto without = document({"chain", "--device", "sim", "--axis", "launches=2000", "--axis", "ns=1000"});
  EXPECT_FALSE(without.at("environment").at("variables").contains(name));
  EXPECT_EQ(std::getenv(name), nullptr);
}

// Console fine, file full of nonsense: what is not known is null, also beside a kernel that failed.
TEST(F76, ResultsWithAFailedKernelAreStrictJsonAndNothingIsNan) {
  World world;
  world.extra = {benchmark("fails", [](sim::SimDevice& device) {
    device.stream().launch({.name = "bad, \"quoted\"\nname \xc3\xa9", .fault = sim::Fault::throw_at_launch});
  })};
  const auto outcome = run_program({"run", "fails", "empty", "--device", "sim", "--json", "-", "-q"}, world);
  EXPECT_EQ(outcome.code, cli::ExitCode::kernel_bad);
  const auto all = Json::parse(outcome.out);  // strict: throws on NaN, a trailing comma, broken UTF-8
  ASSERT_EQ(all.at("results").size(), 2U);
  EXPECT_EQ(all.at("results").at(0).at("status"), "failed");
  EXPECT_TRUE(all.at("results").at(0).at("kernel_time").is_null());
  EXPECT_EQ(all.at("results").at(1).at("status"), "ok");
}

TEST(F79, AnOutputThatCannotBeWrittenIsFoundBeforeAnythingIsMeasured) {
  std::size_t calls = 0;
  World world;
  world.extra = {benchmark("counts", [&](sim::SimDevice& device) {
    ++calls;
    device.stream().launch_empty();
  })};
  const Folder folder;
  std::ofstream(folder / "file") << "not a folder";
  for (const auto& path : {folder / "file/result.json", folder / ""}) {
    const auto outcome = run_program({"run", "counts", "--device", "sim", "--json", path}, world);
    EXPECT_EQ(outcome.code, cli::ExitCode::usage) << path;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    EXPECT_NE(outcome.err.find(path), std::string::npos) << outcome.err;
  }
  EXPECT_EQ(calls, 0U);
  EXPECT_EQ(folder.files(), 1U);
}

TEST(F79, AnExistingFileIsReplacedWholeAndNothingElseIsLeftBehind) {
  const Folder folder;
  const auto path = folder / "result.json";
  std::ofstream(path) << "old";
  EXPECT_EQ(run_program({"run", "empty", "--device", "sim", "--ceilings", "off", "--json", path, "-q"}).code, 0);
  EXPECT_EQ(Json::parse(content(path)).at("results").size(), 1U);
  EXPECT_EQ(folder.files(), 1U);
}

}  // namespace
}  // namespace warpclock::field
