#include "run/clock_record.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/errors.hpp"
#include "store/atomic_file.hpp"

namespace warpclock {
namespace {

using Json = nlohmann::ordered_json;

/// The same until the machine is started anew (random(4)).
std::string boot_id() {
  std::ifstream in("/proc/sys/kernel/random/boot_id");
  std::string id;
  in >> id;
  return id;
}

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

std::string file_name(const std::string& identity) {
  std::string name = identity;
  std::ranges::replace_if(
      name, [](unsigned char c) { return std::isalnum(c) == 0; }, '-');
  return "clock-" + name;
}

constexpr std::array domains{std::pair{ClockDomain::sm, "sm"}, std::pair{ClockDomain::memory, "memory"}};

}  // namespace

bool ClockRecord::of_this_boot() const { return !boot.empty() && boot == boot_id(); }
bool ClockRecord::of_this_host() const { return host == host_name(); }

ClockRecord new_clock_record(const std::string& backend, const std::string& identity) {
  return {.backend = backend,
          .identity = identity,
          .owner = ::getpid(),
          .guard = 0,
          .locks = {},
          .boot = boot_id(),
          .host = host_name()};
}

std::string clock_record_path(const std::string& folder, const std::string& identity) {
  return folder + '/' + file_name(identity) + ".json";
}

void write_clock_record(const std::string& path, const ClockRecord& record) {
  Json locks = Json::object();
  for (const auto& [domain, name] : domains) {
    const auto lock = record.locks.find(domain);
    if (lock != record.locks.end()) locks[name] = lock->second;
  }
  const Json json{{"backend", record.backend},
                  {"identity", record.identity},
                  {"owner", record.owner},
                  {"guard", record.guard},
                  {"locks", locks},
                  {"boot", record.boot},
                  {"host", record.host}};
  check_writable(path);
  write_atomically(path, json.dump(2) + '\n');
}

std::optional<ClockRecord> read_clock_record(const std::string& path) {
  std::ifstream in(path);
  if (!in) return std::nullopt;
  try {
    const auto json = Json::parse(in);
    ClockRecord record{.backend = json.at("backend").get<std::string>(),
                       .identity = json.at("identity").get<std::string>(),
                       .owner = json.at("owner").get<int>(),
                       .guard = json.at("guard").get<int>(),
                       .locks = {},
                       .boot = json.at("boot").get<std::string>(),
                       .host = json.at("host").get<std::string>()};
    for (const auto& [domain, name] : domains) {
      if (json.at("locks").contains(name)) record.locks[domain] = json.at("locks").at(name).get<std::string>();
    }
    return record;
  } catch (const Json::exception&) {
    throw DataError(path +
                    " is no record of a clock lock; see with nvidia-smi whether a clock is locked, then delete it");
  }
}

std::optional<ClockClaim> ClockClaim::take(const std::string& folder, const std::string& identity) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  const auto path = folder + '/' + file_name(identity) + ".lock";
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  const auto fail = [&](int why) {
    throw DataError(fmt::format("{}: {}; clocks are only locked where that can be written down (XDG_STATE_HOME)", path,
                                std::strerror(why)));
  };
  if (file < 0) fail(errno);
  ClockClaim claim(file);
  if (::flock(file, LOCK_EX | LOCK_NB) == 0) return claim;
  if (errno != EWOULDBLOCK) fail(errno);
  return std::nullopt;
}

ClockClaim::ClockClaim(ClockClaim&& other) noexcept : file_(std::exchange(other.file_, -1)) {}

ClockClaim::~ClockClaim() {
  if (file_ >= 0) ::close(file_);
}

std::string state_folder() {
  // NOLINTBEGIN(concurrency-mt-unsafe): read once, before any thread is started
  if (const char* state = std::getenv("XDG_STATE_HOME"); state != nullptr && *state == '/') {
    return std::string(state) + "/warpclock";
  }
  if (const char* home = std::getenv("HOME"); home != nullptr && *home == '/') {
    return std::string(home) + "/.local/state/warpclock";
  }
  // NOLINTEND(concurrency-mt-unsafe)
  return {};
}

}  // namespace warpclock
