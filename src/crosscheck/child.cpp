#include "crosscheck/child.hpp"

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
#include <system_error>

#include "core/errors.hpp"

extern char** environ;  // NOLINT(readability-redundant-declaration)

namespace warpclock {
namespace {

using Clock = std::chrono::steady_clock;
constexpr int look_again_ms = 50;                   // how often `interrupted` is asked
constexpr auto patience = std::chrono::seconds(2);  // between asking the group to end and ending it

[[noreturn]] void refuse(const std::string& program, int why) {
  throw DeviceError(fmt::format("cannot start {}: {}", program, std::generic_category().message(why)));
}

class Pipe {
 public:
  explicit Pipe(const std::string& program) {
    if (::pipe2(ends_.data(), O_CLOEXEC) != 0) refuse(program, errno);
  }
  ~Pipe() {
    close_end(0);
    close_end(1);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  [[nodiscard]] int reading() const { return ends_[0]; }
  [[nodiscard]] int writing() const { return ends_[1]; }
  void close_writing() { close_end(1); }
  /// Takes what is there.  return: false at its end
  bool take(std::string& text) {
    std::array<char, 65536> block{};
    const auto got = ::read(ends_[0], block.data(), block.size());
    if (got < 0 && errno == EINTR) return true;
    if (got <= 0) {
      close_end(0);
      return false;
    }
    const auto room = child_output_limit - std::min(child_output_limit, text.size());
    text.append(block.data(), std::min(static_cast<std::size_t>(got), room));
    return true;
  }

 private:
  void close_end(std::size_t end) {
    if (ends_[end] >= 0) ::close(ends_[end]);
    ends_[end] = -1;
  }
  std::array<int, 2> ends_{-1, -1};
};

/// What posix_spawn is told: a group of its own, usual signals, its streams.
class Spawner {
 public:
  Spawner(const Pipe& out, const Pipe& err) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions_, out.writing(), STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions_, err.writing(), STDERR_FILENO);
    posix_spawnattr_init(&attributes_);
    sigset_t usual;
    sigemptyset(&usual);
    for (const int signal : {SIGPIPE, SIGINT, SIGTERM, SIGHUP}) sigaddset(&usual, signal);
    posix_spawnattr_setsigdefault(&attributes_, &usual);
    posix_spawnattr_setpgroup(&attributes_, 0);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
  }
  ~Spawner() {
    posix_spawnattr_destroy(&attributes_);
    posix_spawn_file_actions_destroy(&actions_);
  }
  Spawner(const Spawner&) = delete;
  Spawner& operator=(const Spawner&) = delete;

  pid_t start(const std::vector<std::string>& words) {
    std::vector<char*> arguments;
    for (const auto& word : words) arguments.push_back(const_cast<char*>(word.c_str()));  // POSIX leaves them alone
    arguments.push_back(nullptr);
    pid_t child = 0;
    const int why = posix_spawn(&child, words.front().c_str(), &actions_, &attributes_, arguments.data(), environ);
    if (why != 0) refuse(words.front(), why);
    return child;
  }

 private:
  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

/// Asks the group to end, and ends it where it does not listen.
class Ending {
 public:
  explicit Ending(pid_t group) : group_(group) {}
  void ask() {
    if (asked_ == Clock::time_point{}) {
      asked_ = Clock::now();
      ::kill(-group_, SIGTERM);
    } else if (Clock::now() - asked_ > patience) {
      ::kill(-group_, SIGKILL);
    }
  }

 private:
  pid_t group_;
  Clock::time_point asked_{};
};

}  // namespace

ChildResult run_child(const std::vector<std::string>& words, const std::function<bool()>& interrupted) {
  Pipe out(words.front()), err(words.front());
  const pid_t child = Spawner(out, err).start(words);
  out.close_writing();
  err.close_writing();
  ChildResult result;
  Ending ending(child);
  while (out.reading() >= 0 || err.reading() >= 0) {
    if (interrupted()) {
      result.interrupted = true;
      ending.ask();
    }
    std::array<pollfd, 2> waiting{pollfd{out.reading(), POLLIN, 0}, pollfd{err.reading(), POLLIN, 0}};
    if (::poll(waiting.data(), waiting.size(), look_again_ms) <= 0) continue;
    if (waiting[0].revents != 0) out.take(result.out);
    if (waiting[1].revents != 0) err.take(result.err);
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status)) result.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
  return result;
}

}  // namespace warpclock
