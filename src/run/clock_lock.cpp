#include "run/clock_lock.hpp"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <thread>
#include <utility>

#include "core/errors.hpp"

namespace warpclock {
namespace {

// A guard whose owner has just been ended needs this long at most; a lock before it has finished would be undone by it.
constexpr auto longest_wait_for_guard = std::chrono::seconds(3);

ClockClaim claim_soon(const std::string& folder, const std::string& identity) {
  const auto end = std::chrono::steady_clock::now() + longest_wait_for_guard;
  do {
    if (auto claim = ClockClaim::take(folder, identity)) return *std::move(claim);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  } while (std::chrono::steady_clock::now() < end);
  const auto record = read_clock_record(clock_record_path(folder, identity));
  throw DeviceError(fmt::format("its clocks are locked by {}; wait for it to end",
                                record ? fmt::format("process {}", record->owner) : "another warpclock"));
}

}  // namespace

ClockLock::ClockLock(Device& device, ClockKeeping keeping, Warn warn)
    : device_(device),
      keeping_(std::move(keeping)),
      warn_(std::move(warn)),
      record_(new_clock_record(device.info().backend, device.info().identity)) {}

ClockLock::~ClockLock() {
  try {
    unlock();
  } catch (const std::exception&) {
    // The guard, or the next start, does it by the record.
  }
}

void ClockLock::keep_watch() {
  if (!keeping_.outlive) return;
  if (keeping_.folder.empty()) {
    throw DeviceError("there is no folder to write it down in, so it might never be undone; set XDG_STATE_HOME");
  }
  const auto& identity = device_.info().identity;
  if (!claim_) {
    auto claim = claim_soon(keeping_.folder, identity);
    const auto path = clock_record_path(keeping_.folder, identity);
    if (const auto old = read_clock_record(path); old && old->of_this_boot()) {
      throw DeviceError(fmt::format("a lock that process {} left behind could not be undone ({})", old->owner, path));
    }
    claim_.emplace(std::move(claim));
  }
  if (guard_ && guard_->alive()) return;
  guard_ = std::make_unique<ClockGuard>(keeping_.program, keeping_.folder, record_.backend, identity, *claim_);
  record_.guard = guard_->pid();
}

void ClockLock::write_record() {
  if (!keeping_.outlive) return;
  const auto path = clock_record_path(keeping_.folder, record_.identity);
  if (!record_.locks.empty()) return write_clock_record(path, record_);
  std::error_code ignored;
  std::filesystem::remove(path, ignored);
}

bool ClockLock::lock(ClockDomain domain, const ClockWish& wish) {
  device_.check_clock(domain, wish);
  auto& mhz = domain == ClockDomain::sm ? state_.sm_mhz : state_.memory_mhz;
  if (mhz && wish == ClockWish{ClockWish::Kind::mhz, *mhz}) return true;
  const auto before = record_.locks;
  try {
    keep_watch();
    // Written down first: a lock that nobody knows of would stay for ever. The price is a moment in which an end of
    // this process makes the guard undo a lock that is not ours yet.
    record_.locks[domain] = to_string(wish);
    write_record();
    mhz = device_.lock_clock(domain, wish);
    refused(domain, "");
    return true;
  } catch (const UsageError&) {
    record_.locks = before;
    write_record();
    throw;
  } catch (const Error& error) {
    record_.locks = before;
    if (claim_) write_record();
    refused(domain, fmt::format("the {} of {} is not locked to {}: {}", to_string(domain), device_.info().id,
                                to_string(wish), error.what()));
    return false;
  }
}

/// Remembers why a domain is not locked, or with "" that it is.
void ClockLock::refused(ClockDomain domain, const std::string& problem) {
  if (!problem.empty() && problem != problems_[domain]) warn_(problem);
  problems_[domain] = problem;
  state_.problem.clear();
  for (const auto& [which, text] : problems_) {
    state_.problem += (state_.problem.empty() || text.empty() ? "" : "; ") + text;
  }
}

void ClockLock::unlock() {
  if (!record_.locks.empty()) {
    try {
      device_.unlock_clocks();
      record_.locks.clear();
      write_record();
    } catch (const Error& error) {
      warn_(error.what());
    }
  }
  state_.sm_mhz.reset();
  state_.memory_mhz.reset();
  guard_.reset();
  claim_.reset();
  record_.locks.clear();
}

}  // namespace warpclock
