// Writes down one run while it is measured: what is about to be done, then what came of it, each on the disk before
// the next thing happens. Knows nothing of measuring; whoever drives the points calls it.
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "store/runs.hpp"

namespace warpclock::store {

enum class AttemptId : std::int64_t {};

using Clock = std::function<std::chrono::system_clock::time_point()>;

class RunRecorder {
 public:
  /// Starts a new run.  throws DataError
  RunRecorder(Database& database, const RunInfo& info, Clock now = std::chrono::system_clock::now);
  /// Goes on with a run of the database.  pre: its plan has the labels of `plan`
  RunRecorder(Database& database, const RunSummary& run, const std::vector<Item>& plan,
              Clock now = std::chrono::system_clock::now);

  [[nodiscard]] std::int64_t run() const { return run_; }
  [[nodiscard]] const std::string& uuid() const { return uuid_; }
  /// Points of this run that have an outcome on the disk, by this recorder.
  [[nodiscard]] std::size_t safe() const { return safe_; }

  /// Says that item `place` of the plan will be measured; on the disk when it returns.
  [[nodiscard]] AttemptId intend(std::size_t place);
  /// Says that it has begun. Survives the end of this process at once, a power cut once the next commit is through.
  void started(AttemptId attempt);
  /// Its result, whatever its status; on the disk when it returns.
  void finished(AttemptId attempt, const Result& result);
  /// There is no result: the process or the device that measured it is gone. The point counts as not measured.
  void lost(AttemptId attempt, const std::string& why);

  // Each of these throws DataError where the file cannot be written, saying how many points of the run are safe. No
  // other call may follow then.

 private:
  RunRecorder(Database& database, Clock now);
  template <class Write>
  void guarded(Write write);
  [[nodiscard]] std::int64_t now_ns() const;
  void insert_run(const RunInfo& info);
  void insert_samples_of(std::int64_t attempt, std::span<const std::span<const std::byte>> columns);

  Database& database_;
  Clock now_;
  std::int64_t run_ = 0;
  std::string uuid_;
  std::size_t safe_ = 0;
  std::vector<std::int64_t> places_;  // in the stored plan, by place in the caller's
  Statement intend_, start_, end_, result_, samples_;
};

/// "host 4711 123456": this process, so that it is told from a later one with the same id.
[[nodiscard]] std::string this_process();
/// True where `process` runs on this host now.
[[nodiscard]] bool still_runs(const std::string& process);

}  // namespace warpclock::store
