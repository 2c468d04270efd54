// One command line in this process: no GPU whatever the machine has, the simulator, and a folder of its own.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "backends/sim/device.hpp"
#include "cli/cli.hpp"
#include "core/errors.hpp"

namespace warpclock::cli {

struct Ran {
  int code = -1;
  std::string out, err;
};

class CliTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "warpclock-cli-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
    environment_ = process_environment();
    environment_.out_is_terminal = false;
    environment_.err_is_terminal = false;
    environment_.interrupted = [] { return false; };
    environment_.variable = [](const std::string&) { return std::nullopt; };
    environment_.ceilings_folder = "";
    environment_.database = "";
    backend("cuda").list = []() -> std::vector<std::string> { throw DeviceError("no driver in this test"); };
    backend("cuda").open = [](const std::string&) -> std::unique_ptr<Device> {
      throw DeviceError("no driver in this test");
    };
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  Backend& backend(const std::string& name) { return *std::ranges::find(environment_.backends, name, &Backend::name); }

  Ran run(const std::vector<std::string>& words) {
    std::ostringstream out, err;
    Ran ran;
    ran.code = run_cli(words, out, err, environment_);
    ran.out = out.str();
    ran.err = err.str();
    return ran;
  }

  [[nodiscard]] std::string at(const std::string& name) const { return (folder_ / name).string(); }
  static std::string read(const std::string& path) {
    std::ifstream in(path);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  static void put(const std::string& path, const std::string& text) { std::ofstream(path) << text; }
  [[nodiscard]] std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator(folder_), std::filesystem::directory_iterator()));
  }

  std::filesystem::path folder_;
  CliEnvironment environment_;
};

/// Number of lines of `text`, all of them complete.
inline std::ptrdiff_t lines(const std::string& text) { return std::count(text.begin(), text.end(), '\n'); }

/// Words that make a run on the simulator quick and its table short.
inline std::vector<std::string> quick(std::vector<std::string> words) {
  words.insert(words.begin(), "run");
  for (const char* word : {"--device", "sim", "--ceilings", "off", "--samples", "20"}) words.emplace_back(word);
  return words;
}

}  // namespace warpclock::cli
