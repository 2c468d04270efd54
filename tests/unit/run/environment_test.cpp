// What a later reader needs to judge a run, recorded and never changed (field case F06).
#include "run/environment.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "core/version.hpp"
#include "plan/settings.hpp"

namespace warpclock {
namespace {

std::string value_of(const std::vector<std::pair<std::string, std::string>>& pairs, const std::string& name) {
  const auto found = std::ranges::find(pairs, name, [](const auto& pair) { return pair.first; });
  return found == pairs.end() ? "(missing)" : found->second;
}

DeviceInfo some_device() {
  DeviceInfo info;
  info.id = "cuda:3";
  info.name = "A GPU";
  info.last_level_cache = 62914560;
  info.mark_timer = "CUDA event";
  info.mark_step = Nanoseconds{32};
  info.details = {{"driver", "580.1"}};
  return info;
}

Environment capture(const VariableLookup& lookup) {
  Protocol protocol;
  set(protocol, "batch", "5");
  return capture_environment(some_device(), protocol, std::chrono::system_clock::time_point(std::chrono::seconds(0)),
                             lookup);
}

TEST(CapturedEnvironment, HasDeviceHostVersionsAndStart) {
  const auto environment = capture([](const std::string&) { return std::nullopt; });
  EXPECT_EQ(value_of(environment.device, "id"), "cuda:3");
  EXPECT_EQ(value_of(environment.device, "last_level_cache_bytes"), "62914560");
  EXPECT_EQ(value_of(environment.device, "mark_step_ns"), "32");
  EXPECT_EQ(value_of(environment.device, "driver"), "580.1");
  for (const char* name : {"cpu", "cores", "usable_cores", "kernel"}) {
    EXPECT_NE(value_of(environment.host, name), "(missing)") << name;
  }
  EXPECT_EQ(value_of(environment.versions, "warpclock"), version());
  EXPECT_NE(value_of(environment.versions, "compiler"), "(missing)");
  EXPECT_EQ(environment.started_utc, "1970-01-01T00:00:00Z");
}

TEST(CapturedEnvironment, HasEverySettingAsItWasUsed) {
  const auto environment = capture([](const std::string&) { return std::nullopt; });
  EXPECT_EQ(environment.settings.size(), settings().size());
  EXPECT_EQ(value_of(environment.settings, "batch"), "5");
  EXPECT_EQ(value_of(environment.settings, "max_time"), "1s");
}

/// An empty value is not the same as none: CUDA_VISIBLE_DEVICES= hides every GPU.
TEST(CapturedEnvironment, HasTheVariablesThatAreSetAndNoOthers) {
  const auto environment = capture([](const std::string& name) -> std::optional<std::string> {
    if (name == "CUDA_SCALE_LAUNCH_QUEUES") return "4x";
    if (name == "CUDA_VISIBLE_DEVICES") return "";
    return std::nullopt;
  });
  EXPECT_THAT(environment.variables,
              ::testing::UnorderedElementsAre(std::pair<std::string, std::string>("CUDA_SCALE_LAUNCH_QUEUES", "4x"),
                                              std::pair<std::string, std::string>("CUDA_VISIBLE_DEVICES", "")));
}

/// The JSON of a result keys by name: a name that occurs twice would lose one of them.
TEST(CapturedEnvironment, NoNameOccursTwice) {
  const auto environment = capture([](const std::string&) { return "1"; });
  for (const auto* pairs :
       {&environment.device, &environment.host, &environment.versions, &environment.settings, &environment.variables}) {
    std::set<std::string> names;
    for (const auto& [name, value] : *pairs) EXPECT_TRUE(names.insert(name).second) << name;
  }
}

}  // namespace
}  // namespace warpclock
