#include <fmt/format.h>

#include <algorithm>

#include "cli/commands.hpp"
#include "cli/progress.hpp"
#include "core/errors.hpp"
#include "run/selftest.hpp"

namespace warpclock::cli {
namespace {

std::string word(SelftestItem::State state, bool color) {
  switch (state) {
    case SelftestItem::State::passed:
      return color ? "\x1b[32mpass\x1b[0m" : "pass";
    case SelftestItem::State::failed:
      return color ? "\x1b[31mFAIL\x1b[0m" : "FAIL";
    case SelftestItem::State::skipped:
      return "skip";
  }
  return "?";
}

std::string row(const SelftestItem& item, bool color) {
  std::string out = fmt::format("{}  {:<22}", word(item.state, color), item.name);
  if (!item.measured.empty()) out += fmt::format("{}; expected {}", item.measured, item.expected);
  if (!item.remedy.empty()) out += (item.measured.empty() ? "" : "; ") + item.remedy;
  return out + "\n";
}

}  // namespace

int selftest_command(const SelftestOptions& options, std::ostream& out, std::ostream& err,
                     const CliEnvironment& environment) {
  auto chosen = choose_device(options.device, environment);
  const auto device = open_device(chosen, !options.device.empty(), environment);
  if (!chosen.note.empty()) err << "warpclock: " << chosen.note << std::endl;
  const bool color = use_color(options.color, environment);
  out << fmt::format("{}  {}\n", chosen.id, device->info().name) << std::flush;

  Session session(*device);
  const Control control{.interrupted = environment.interrupted, .progress = [](const Progress&) {}};
  const auto items = selftest(session, environment.suite, control,
                              [&](const SelftestItem& item) { out << row(item, color) << std::flush; });
  if (environment.interrupted()) return ExitCode::interrupted;
  const bool failed =
      std::ranges::any_of(items, [](const SelftestItem& item) { return item.state == SelftestItem::State::failed; });
  return failed ? ExitCode::kernel_bad : ExitCode::ok;
}

}  // namespace warpclock::cli
