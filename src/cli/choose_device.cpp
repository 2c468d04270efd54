#include <algorithm>

#include "cli/commands.hpp"
#include "core/errors.hpp"

namespace warpclock::cli {
namespace {

ChosenDevice fall_back(const std::string& why) {
  return {"cpu", "no GPU can be used, so this measures the CPU (" + why + "); --device cpu says so itself"};
}

bool runs_on(const std::vector<Benchmark>& suite, const std::string& name, const std::string& backend) {
  const auto found = std::ranges::find(suite, name, &Benchmark::name);
  return found != suite.end() && std::ranges::find(found->backends, backend) != found->backends.end();
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

std::vector<std::string> kernels_for(const RunOptions& options, const std::string& backend,
                                     const CliEnvironment& environment) {
  if (!options.kernels.empty()) return options.kernels;
  auto kernels = environment.default_kernels;
  if (kernels.empty())
    throw UsageError("this program has no benchmark of its own; name one of 'list', as in 'run gemm'");
  const auto is_elsewhere = [&](const std::string& name) { return !runs_on(environment.suite, name, backend); };
  // Where none runs, the first one's message says on what it does.
  if (!std::ranges::all_of(kernels, is_elsewhere)) std::erase_if(kernels, is_elsewhere);
  return kernels;
}

ChosenDevice choose_for_kernels(const RunOptions& options, const CliEnvironment& environment) {
  auto chosen = choose_device(options.device, environment);
  const auto& backend = backend_of(environment.backends, chosen.id).name;
  if (!options.device.empty() || backend == "cpu") return chosen;
  const auto kernels = kernels_for(options, backend, environment);
  const auto only_cpu = [&](const std::string& name) {
    return !runs_on(environment.suite, name, backend) && runs_on(environment.suite, name, "cpu");
  };
  if (std::ranges::all_of(kernels, only_cpu))
    return {"cpu", "these kernels run on the CPU, so that is what is measured"};
  return chosen;
}

}  // namespace warpclock::cli
