// A folder of its own for each test, and runs to put into databases there.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "../codec/random_result.hpp"
#include "../codec/same.hpp"
#include "store/recorder.hpp"

namespace warpclock::store {

class StoreTest : public ::testing::Test {
 protected:
  void SetUp() override;
  void TearDown() override;
  [[nodiscard]] std::string at(const std::string& name) const { return (folder_ / name).string(); }
  /// What the DataError of `what` says; empty where it throws none.
  static std::string message_of(const std::function<void()>& what);

  std::filesystem::path folder_;
  std::mt19937_64 random_{1};
};

/// A plan of `points` points of a benchmark "b", and an environment with a device, a driver and settings.
[[nodiscard]] RunInfo run_of(std::size_t points);
/// A random result of point `place` of run_of(), with this status.
[[nodiscard]] Result result_at(std::size_t place, std::mt19937_64& random, Status status = Status::ok);
/// Intends, starts and finishes it.
void record(RunRecorder& recorder, std::size_t place, const Result& result);
/// "ok" of PRAGMA integrity_check, or what is wrong.
[[nodiscard]] std::string integrity(const std::string& file);

}  // namespace warpclock::store
