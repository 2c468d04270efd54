// The link between a run and the results database: what is kept, what a resumed run has already, and what happens
// where the file cannot be used.
#pragma once

#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <unordered_map>
#include <vector>

#include "cli/cli.hpp"
#include "cli/options.hpp"
#include "plan/sweep.hpp"
#include "store/recorder.hpp"

namespace warpclock::cli {

class Storage {
 public:
  /// Opens the database that `options` names, or the default one, before anything is measured.
  ///   throws UsageError where a named one cannot be used, or --resume has none; the default one is a warning on `err`
  Storage(const RunOptions& options, std::ostream& err, const CliEnvironment& environment);

  /// Starts a run, or goes on with the one that --resume finds.
  ///   items    in the order in which they are to be measured
  ///   reading  the same in the order in which a reader looks for them
  ///   return   all items, those first that have a result already: `earlier()` belongs to the first of them
  ///   throws   UsageError where there is nothing to resume or it was made under other conditions, and as above
  [[nodiscard]] std::vector<SweepItem> begin(const Environment& described, std::vector<SweepItem> items,
                                             const std::vector<SweepItem>& reading);
  [[nodiscard]] const std::vector<Result>& earlier() const { return earlier_; }

  // While it runs. Each throws DataError where it is not on the disk; the run must stop then.
  void starts(const SweepItem& item);
  void finished(const Result& result);
  /// The run has ended; `fatal` says why, where that was in the middle of a point.
  void ended(const std::string& fatal);

  /// "kept as run 12 in FILE"; empty where nothing is kept.
  [[nodiscard]] std::string note() const;

 private:
  void give_up(const std::string& why);
  void resume(const store::RunInfo& info, std::vector<SweepItem>& items);

  const RunOptions& options_;
  std::ostream& err_;
  const CliEnvironment& environment_;
  std::unique_ptr<store::Database> database_;
  std::unique_ptr<store::RunRecorder> recorder_;
  std::unordered_map<std::string, std::size_t> places_;  // in the plan, by label
  std::vector<Result> earlier_;
  std::optional<store::AttemptId> open_;
};

/// Opens the database of a command that reads: `named`, or the default one.
///   throws UsageError where it cannot be used
[[nodiscard]] std::unique_ptr<store::Database> open_database(const std::string& named, store::Access access,
                                                             const CliEnvironment& environment);

}  // namespace warpclock::cli
