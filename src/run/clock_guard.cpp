#include "run/clock_guard.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include "core/errors.hpp"

extern char** environ;

namespace warpclock {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view ready = "ready\n";
constexpr auto longest_start = std::chrono::seconds(20);  // loading NVML on a machine with many GPUs takes seconds
constexpr auto longest_end = std::chrono::seconds(5);
constexpr int claim_in_guard = 3;

/// A pipe whose ends no other program inherits, out of the way of the standard streams.
struct Pipe {
  int read = -1;
  int write = -1;

  Pipe() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw DeviceError(fmt::format("pipe2: {}", std::strerror(errno)));
    read = move(ends[0]);
    write = move(ends[1]);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    if (read >= 0) ::close(read);
    if (write >= 0) ::close(write);
  }

 private:
  static int move(int file) {
    const int moved = ::fcntl(file, F_DUPFD_CLOEXEC, 10);
    if (moved < 0) return file;
    ::close(file);
    return moved;
  }
};

[[noreturn]] void refuse(const std::string& why) {
  throw DeviceError("the process that would undo the lock could not be started: " + why);
}

/// What the guard says until it is ready or has ended; a guard that says nothing for too long gives "".
std::string first_words(int file) {
  std::string said;
  const auto end = std::chrono::steady_clock::now() + longest_start;
  while (said != ready) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
    pollfd wait{.fd = file, .events = POLLIN, .revents = 0};
    const int got = left.count() <= 0 ? 0 : ::poll(&wait, 1, static_cast<int>(left.count()));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return "it did not answer";
    std::array<char, 512> text{};
    const auto n = ::read(file, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    said.append(text.data(), static_cast<std::size_t>(n));
  }
  return said;
}

/// Starts the program with its standard streams and the claim in place, in a session of its own: Ctrl-C goes to the
/// session of the terminal.
int spawn(std::vector<std::string> words, const std::string& program, int in, int out, int claim) {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  ::posix_spawn_file_actions_init(&files);
  ::posix_spawnattr_init(&attributes);
  ::posix_spawn_file_actions_adddup2(&files, in, STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&files, out, STDOUT_FILENO);
  ::posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  ::posix_spawn_file_actions_adddup2(&files, claim, claim_in_guard);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
  std::vector<char*> arguments;
  for (auto& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t pid = 0;
  const int result = ::posix_spawn(&pid, program.c_str(), &files, &attributes, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&files);
  ::posix_spawnattr_destroy(&attributes);
  if (result != 0) refuse(fmt::format("{}: {}", program, std::strerror(result)));
  return pid;
}

bool wait_bounded(int pid) {
  const auto end = std::chrono::steady_clock::now() + longest_end;
  while (std::chrono::steady_clock::now() < end) {
    const int ended = ::waitpid(pid, nullptr, WNOHANG);
    if (ended == pid || (ended < 0 && errno != EINTR)) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

/// Undoes every lock of the record, and forgets the record.  throws DeviceError; the record stays then
void undo(const ClockRecord& record, const std::string& path, const ClockReset& reset) {
  for (const auto& [domain, asked] : record.locks) reset(domain);
  std::error_code ignored;
  fs::remove(path, ignored);
}

std::string describe(const ClockRecord& record) {
  std::string locks;
  for (const auto& [domain, asked] : record.locks) {
    locks += fmt::format("{}{} ({})", locks.empty() ? "" : ", ", to_string(domain), asked);
  }
  return fmt::format("the lock of {} on {} by process {}", locks, record.identity, record.owner);
}

std::string recover(const std::string& folder, const std::string& path, const ClockResets& resets) {
  const auto record = read_clock_record(path);
  if (!record) return "";
  if (!record->of_this_boot()) {
    std::error_code ignored;
    if (record->of_this_host()) fs::remove(path, ignored);
    return "";
  }
  const auto claim = ClockClaim::take(folder, record->identity);
  if (!claim) return "";                    // it is in force and looked after
  if (!read_clock_record(path)) return "";  // its guard was quicker
  undo(*record, path, resets(record->backend, record->identity));
  return record->locks.empty() ? "" : "undone: " + describe(*record) + ", which had ended without";
}

}  // namespace

ClockGuard::ClockGuard(const std::string& program, const std::string& folder, const std::string& backend,
                       const std::string& identity, const ClockClaim& claim) {
  Pipe alive, answer;
  pid_ = spawn({"warpclock", "clock-guard", "--folder", folder, "--backend", backend, "--identity", identity}, program,
               alive.read, answer.write, claim.file());
  ::close(std::exchange(answer.write, -1));
  const auto said = first_words(answer.read);
  pipe_ = std::exchange(alive.write, -1);
  if (said == ready) return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
  ::close(pipe_);
  auto why = said.substr(0, said.find('\n'));
  refuse(why.empty() ? "it ended at once" : why);
}

ClockGuard::~ClockGuard() {
  ::close(pipe_);
  if (pid_ != 0) static_cast<void>(wait_bounded(pid_));
}

bool ClockGuard::alive() {
  if (pid_ != 0 && ::waitpid(pid_, nullptr, WNOHANG) == pid_) pid_ = 0;
  return pid_ != 0;
}

int guard_clocks(const std::string& folder, const std::string& backend, const std::string& identity,
                 const ClockResets& resets) {
  // It ends when its owner does, and by nothing less than SIGKILL before.
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE}) std::signal(signal, SIG_IGN);
  const auto say = [](std::string_view text) {
    [[maybe_unused]] const auto written = ::write(STDOUT_FILENO, text.data(), text.size());
    ::close(STDOUT_FILENO);
  };
  try {
    const auto reset = resets(backend, identity);
    say(ready);
    std::array<char, 64> ignored{};
    while (true) {
      const auto n = ::read(STDIN_FILENO, ignored.data(), ignored.size());
      if (n == 0 || (n < 0 && errno != EINTR)) break;
    }
    const auto path = clock_record_path(folder, identity);
    if (const auto record = read_clock_record(path)) undo(*record, path, reset);
  } catch (const std::exception& error) {
    say(std::string(error.what()) + '\n');  // the owner reads it where it is still starting; else the record stays
    return 1;
  }
  return 0;
}

std::vector<std::string> recover_clocks(const std::string& folder, const ClockResets& resets) {
  std::vector<std::string> lines;
  std::error_code none;
  if (folder.empty()) return lines;
  for (const auto& entry : fs::directory_iterator(folder, none)) {
    const auto name = entry.path().filename().string();
    if (!name.starts_with("clock-") || !name.ends_with(".json")) continue;
    try {
      lines.push_back(recover(folder, entry.path().string(), resets));
    } catch (const Error& error) {
      lines.push_back(fmt::format("a clock lock that was left behind could not be undone: {}", error.what()));
    }
  }
  std::erase(lines, "");
  return lines;
}

}  // namespace warpclock
