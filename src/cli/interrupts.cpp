#include "cli/interrupts.hpp"

#include <unistd.h>

#include <array>
#include <csignal>
#include <string_view>

#include "cli/exit_codes.hpp"

namespace warpclock::cli {
namespace {

// A signal handler can reach nothing but static storage.
volatile std::sig_atomic_t signals_seen = 0;

constexpr std::array caught{SIGINT, SIGTERM, SIGHUP};
std::array<struct sigaction, caught.size()> before{};

extern "C" void on_signal(int) {
  if (signals_seen != 0) ::_exit(ExitCode::interrupted);
  signals_seen = 1;
  if (::isatty(STDERR_FILENO) == 0) return;
  constexpr std::string_view note = "\nwarpclock: stopping; what was measured is kept (again to end at once)\n";
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, note.data(), note.size());
}

}  // namespace

SignalGuard::SignalGuard() {
  signals_seen = 0;
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  ::sigemptyset(&action.sa_mask);
  for (std::size_t i = 0; i < caught.size(); ++i) {
    ::sigaction(caught[i], nullptr, &before[i]);
    if (before[i].sa_handler != SIG_IGN) ::sigaction(caught[i], &action, nullptr);
  }
  std::signal(SIGPIPE, SIG_IGN);
}

SignalGuard::~SignalGuard() {
  for (std::size_t i = 0; i < caught.size(); ++i) ::sigaction(caught[i], &before[i], nullptr);
}

bool SignalGuard::interrupted() { return signals_seen != 0; }

}  // namespace warpclock::cli
