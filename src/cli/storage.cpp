#include "cli/storage.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/errors.hpp"
#include "plan/settings.hpp"
#include "store/hash.hpp"
#include "store/resume.hpp"

namespace warpclock::cli {
namespace {

using store::Pairs;

constexpr auto no_database = "none";

store::Item item_of(const SweepItem& item) {
  return {full_label(item), item.benchmark, item.point, to_string(item.regime), item.lock_clock_mhz};
}

void add(Pairs& pairs, const std::string& name, const std::string& value) {
  if (!value.empty()) pairs.emplace_back(name, value);
}

void add_kernel_words(Pairs& pairs, const RunOptions& options) {
  const auto& words = options.own_kernel;
  for (const auto& kernel : options.kernels) {
    if (!names_user_kernel(kernel)) continue;
    auto named = words;
    named.source = kernel;
    const auto path = parse_user_kernel(named).path;
    add(pairs, path, store::hash_of_file(path));
  }
  add(pairs, "--grid", words.grid);
  add(pairs, "--block", words.block);
  add(pairs, "--shared", words.shared);
  add(pairs, "--arg", fmt::format("{}", fmt::join(words.args, " ")));
  add(pairs, "--nvrtc", fmt::format("{}", fmt::join(words.nvrtc, " ")));
  add(pairs, "--flops", words.flops);
  add(pairs, "--bytes-read", words.bytes_read);
  add(pairs, "--bytes-written", words.bytes_written);
  add(pairs, "--compute", words.compute);
}

/// What must be the same where a run is resumed: results of different programs, chips, drivers or settings do not
/// belong into one table.
Pairs identity_of(const Environment& described, const RunOptions& options, const std::string& program) {
  Pairs out;
  add(out, "program", store::hash_of_file(program));
  for (const auto& [name, value] : described.device) {
    if (name == "name" || name == "identity" || name == "driver")
      add(out, name == "driver" ? name : "device " + name, value);
  }
  for (const auto& [name, value] : described.settings) add(out, name, value);
  for (const auto& peak : options.peaks) add(out, "--peak " + peak.resource, fmt::format("{}", peak.value));
  add(out, "--ceilings", options.ceilings ? "on" : "off");
  add_kernel_words(out, options);
  return out;
}

}  // namespace

Storage::Storage(const RunOptions& options, std::ostream& err, const CliEnvironment& environment)
    : options_(options), err_(err), environment_(environment) {
  const bool named = !options.db.empty();
  const auto file = named ? options.db : environment.database;
  if (file == no_database || file.empty()) {
    if (options.resume) throw UsageError("--resume: there is no database to resume from; name it with --db FILE");
    return;
  }
  try {
    database_ = std::make_unique<store::Database>(file, store::Access::write);
  } catch (const DataError& error) {
    if (named || options.resume) throw UsageError(std::string("--db: ") + error.what());
    give_up(error.what());
  }
}

void Storage::give_up(const std::string& why) {
  recorder_.reset();
  database_.reset();
  if (options_.quiet) return;
  err_ << "warpclock: warning: results are not kept: " << why << "; --db FILE keeps them there, --db none is silent"
       << std::endl;
}

std::vector<SweepItem> Storage::begin(const Environment& described, std::vector<SweepItem> items,
                                      const std::vector<SweepItem>& reading) {
  if (!database_) return items;
  store::RunInfo info{.command = options_.words, .environment = described};
  for (const auto& item : reading) {
    places_.emplace(full_label(item), info.plan.size());
    info.plan.push_back(item_of(item));
  }
  try {
    info.identity = identity_of(described, options_, environment_.program);
    if (options_.resume) {
      resume(info, items);
    } else {
      recorder_ = std::make_unique<store::RunRecorder>(*database_, info);
    }
  } catch (const DataError& error) {
    if (!options_.db.empty() || options_.resume) throw UsageError(std::string("--db: ") + error.what());
    give_up(error.what());
  }
  return items;
}

void Storage::resume(const store::RunInfo& info, std::vector<SweepItem>& items) {
  const auto run = store::find_unfinished(*database_, info);
  auto stored = store::load_run(*database_, run);
  std::erase_if(stored.results, [](const auto& entry) { return !store::keeps(entry.result.status); });
  std::unordered_map<std::string, std::size_t> has;
  for (std::size_t i = 0; i < stored.results.size(); ++i) has.emplace(stored.plan.at(stored.results[i].place), i);
  std::vector<SweepItem> before(stored.results.size()), left;
  for (auto& item : items) {
    const auto at = has.find(full_label(item));
    (at == has.end() ? left.emplace_back() : before.at(at->second)) = std::move(item);
  }
  for (auto& entry : stored.results) earlier_.push_back(std::move(entry.result));
  items = std::move(before);
  items.insert(items.end(), left.begin(), left.end());
  recorder_ = std::make_unique<store::RunRecorder>(*database_, run, info.plan);
}

void Storage::starts(const SweepItem& item) {
  if (!recorder_) return;
  open_ = recorder_->intend(places_.at(full_label(item)));
  recorder_->started(*open_);
}

void Storage::finished(const Result& result) {
  if (!recorder_) return;
  // Forgotten first: if this fails, nothing more may be written.
  const auto attempt = std::exchange(open_, std::nullopt);
  recorder_->finished(attempt.value(), result);
}

void Storage::ended(const std::string& fatal) {
  if (!recorder_ || !open_) return;
  try {
    recorder_->lost(*std::exchange(open_, std::nullopt), fatal);
  } catch (const DataError&) {
    // The attempt stays without an outcome, which says the same.
  }
}

std::string Storage::note() const {
  if (!recorder_) return "";
  const std::string journal =
      database_->journal() == "wal" ? "" : ", with a rollback journal: this file system takes no log";
  return fmt::format("kept as run {} in {}{}", recorder_->run(), database_->file(), journal);
}

std::unique_ptr<store::Database> open_database(const std::string& named, store::Access access,
                                               const CliEnvironment& environment) {
  const auto file = named.empty() ? environment.database : named;
  if (file.empty()) throw UsageError("there is no folder for the results database; name one with --db FILE");
  try {
    return std::make_unique<store::Database>(file, access);
  } catch (const DataError& error) {
    throw UsageError(std::string(named.empty() ? "" : "--db: ") + error.what());
  }
}

}  // namespace warpclock::cli
