#include "cli/commands.hpp"
#include "core/errors.hpp"

namespace warpclock::cli {
namespace {

ChosenDevice fall_back(const std::string& why) {
  return {"cpu", "no GPU can be used, so this measures the CPU (" + why + "); --device cpu says so itself"};
}

}  // namespace

bool use_color(const std::string& choice, const CliEnvironment& environment) {
  if (choice != "auto") return choice == "always";
  const auto no_color = environment.variable("NO_COLOR");
  return environment.out_is_terminal && (!no_color || no_color->empty());
}

ChosenDevice choose_device(const std::string& wanted, const CliEnvironment& environment) {
  if (!wanted.empty()) {
    static_cast<void>(backend_of(environment.backends, wanted));
    return {wanted, ""};
  }
  try {
    const auto ids = backend_of(environment.backends, "cuda").list();
    return ids.empty() ? fall_back("none is there") : ChosenDevice{ids.front(), ""};
  } catch (const DeviceError& error) {
    return fall_back(error.what());
  }
}

std::unique_ptr<Device> open_device(ChosenDevice& chosen, bool named, const CliEnvironment& environment) {
  const auto open = [&] { return backend_of(environment.backends, chosen.id).open(chosen.id); };
  try {
    return open();
  } catch (const DeviceError& error) {
    if (named || chosen.id == "cpu") throw;
    chosen = fall_back(error.what());
  }
  return open();
}

}  // namespace warpclock::cli
