// What the field cases share: the whole program in one process, on the simulated device or the CPU, read back as JSON.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "backends/sim/device.hpp"
#include "cli/cli.hpp"

namespace warpclock::field {

using Json = nlohmann::json;
using Words = std::vector<std::string>;

/// What is in the place of the built-in rows.
struct World {
  sim::SimConfig sim;            // behind --device sim
  std::vector<Benchmark> extra;  // beside the suite
};

struct Outcome {
  int code = 0;
  std::string out, err;
};

inline Outcome run_program(const Words& words, const World& world = {}) {
  auto environment = cli::process_environment();
  environment.ceilings_folder.clear();
  for (auto& backend : environment.backends) {
    if (backend.name != "sim") continue;
    backend.open = [config = world.sim](const std::string&) -> std::unique_ptr<Device> {
      return sim::make_device(config);
    };
  }
  environment.suite.insert(environment.suite.end(), world.extra.begin(), world.extra.end());
  std::ostringstream out, err;
  Outcome outcome;
  outcome.code = cli::run_cli(words, out, err, environment);
  outcome.out = out.str();
  outcome.err = err.str();
  return outcome;
}

/// `warpclock run WORDS --json - -q` without ceilings; the whole document.
inline Json document(Words words, const World& world = {}) {
  words.insert(words.begin(), "run");
  for (const auto* word : {"--ceilings", "off", "--json", "-", "-q"}) words.emplace_back(word);
  const auto outcome = run_program(words, world);
  EXPECT_EQ(outcome.code, cli::ExitCode::ok) << outcome.err;
  return Json::parse(outcome.out);
}

/// The only result of such a run.
inline Json measure(const Words& words, const World& world = {}) {
  const auto all = document(words, world);
  EXPECT_EQ(all.at("results").size(), 1U);
  return all.at("results").at(0);
}

/// Median in us of "kernel_time", "call_time" or "host_time".
inline double us(const Json& result, const std::string& time) {
  return result.at(time).at("value_ns").get<double>() / 1e3;
}

inline bool found(const Json& result, const std::string& id) {
  for (const auto& finding : result.at("findings")) {
    if (finding.at("id") == id) return true;
  }
  return false;
}

/// A benchmark without axes, whose call is a function.
class FunctionWorkload final : public Workload {
 public:
  FunctionWorkload(std::function<void()> call, Work work) : call_(std::move(call)), work_(std::move(work)) {}
  [[nodiscard]] std::uint32_t copies() const override { return 1; }
  [[nodiscard]] Bytes footprint() const override { return 0; }
  [[nodiscard]] Work work() const override { return work_; }
  void prepare(std::uint32_t) override {}
  void call(std::uint32_t) override { call_(); }
  [[nodiscard]] Check check(std::uint32_t) override { return {}; }

 private:
  std::function<void()> call_;
  Work work_;
};

/// Runs on sim under the name `name`.
inline Benchmark benchmark(const std::string& name, std::function<void(sim::SimDevice&)> call, const Work& work = {}) {
  Benchmark out;
  out.name = name;
  out.summary = "field case";
  out.backends = {"sim"};
  out.axes = [](const std::string&) { return std::vector<AxisSpec>{}; };
  out.footprint = [](const Point&) { return Bytes{0}; };
  out.make = [call = std::move(call), work](Device& device, const Point&, const WorkloadOptions&) {
    auto& simulated = dynamic_cast<sim::SimDevice&>(device);
    return std::unique_ptr<Workload>(std::make_unique<FunctionWorkload>([&simulated, call] { call(simulated); }, work));
  };
  return out;
}

}  // namespace warpclock::field
