// The whole command line in a program of one's own.
#pragma once

namespace warpclock {

/// `run`, `list`, `selftest` and all other words of warpclock, with the registered benchmarks before the built-in ones.
/// The target warpclock::main has a main() that calls it; link warpclock::warpclock to call it from your own.
///   return  the exit code; throws nothing
[[nodiscard]] int run_main(int argc, char** argv);

}  // namespace warpclock
