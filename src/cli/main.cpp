#include <iostream>
#include <string>
#include <vector>

#include "cli/cli.hpp"
#include "cli/interrupts.hpp"

int main(int argc, char** argv) {
  const warpclock::cli::SignalGuard signals;
  return warpclock::cli::run_cli(std::vector<std::string>(argv + 1, argv + argc), std::cout, std::cerr,
                                 warpclock::cli::process_environment());
}
