#include "store/resume.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "codec/result_json.hpp"
#include "core/errors.hpp"
#include "store/recorder.hpp"

namespace warpclock::store {
namespace {

const std::string* find(const Pairs& pairs, const std::string& name) {
  const auto found = std::ranges::find(pairs, name, &Pairs::value_type::first);
  return found == pairs.end() ? nullptr : &found->second;
}

struct Candidate {
  RunSummary summary;
  std::string process;
  Pairs identity;
};

Candidate read(Database& database, std::int64_t id) {
  auto row = database.connection().prepare("SELECT process, identity FROM run WHERE id = ?");
  if (!row.with(id).step()) throw DataError(fmt::format("run {} has been deleted", id));
  Candidate out{find_run(database, std::to_string(id)), row.text(0), {}};
  const auto identity = codec::parse(row.text(1), fmt::format("'{}': the identity of run {}", database.file(), id));
  for (const auto& [name, value] : identity.items()) {
    out.identity.emplace_back(name, value.is_string() ? value.get<std::string>() : value.dump());
  }
  return out;
}

/// Newest first.
std::vector<std::int64_t> runs_with_plan(Database& database, const std::string& hash) {
  auto rows = database.connection().prepare("SELECT id FROM run WHERE plan_hash = ? ORDER BY id DESC");
  std::vector<std::int64_t> out;
  for (rows.with(hash); rows.step();) out.push_back(rows.integer(0));
  return out;
}

}  // namespace

std::vector<std::string> differences(const Pairs& before, const Pairs& now) {
  std::vector<std::string> out;
  for (const auto& [name, value] : before) {
    const auto* other = find(now, name);
    if (other == nullptr) {
      out.push_back(fmt::format("{} was {} and is not there now", name, value));
    } else if (*other != value) {
      out.push_back(fmt::format("{} was {} and is {}", name, value, *other));
    }
  }
  for (const auto& [name, value] : now) {
    if (find(before, name) == nullptr) out.push_back(fmt::format("{} was not there and is {}", name, value));
  }
  return out;
}

RunSummary find_unfinished(Database& database, const RunInfo& info) {
  const auto same_plan = runs_with_plan(database, plan_hash(info.plan));
  if (same_plan.empty()) {
    throw UsageError(
        fmt::format("--resume: no run in '{}' has this plan; leave --resume out to start one", database.file()));
  }
  for (const auto id : same_plan) {
    const auto candidate = read(database, id);
    if (candidate.summary.done >= candidate.summary.points) continue;
    const auto different = differences(candidate.identity, info.identity);
    if (!different.empty()) {
      throw UsageError(fmt::format("--resume: run {} cannot be continued: {}; leave --resume out to start anew", id,
                                   fmt::join(different, "; ")));
    }
    if (candidate.process != this_process() && still_runs(candidate.process)) {
      throw UsageError(
          fmt::format("--resume: run {} is still being measured (host and process: {}); wait for it, or "
                      "end it first",
                      id, candidate.process.substr(0, candidate.process.rfind(' '))));
    }
    return candidate.summary;
  }
  throw UsageError(
      fmt::format("--resume: run {}, the last with this plan, is complete; leave --resume out to measure "
                  "again",
                  same_plan.front()));
}

}  // namespace warpclock::store
