#include <warpclock/warpclock.hpp>

#include <cstdio>

int main(int argc, char** argv) {
  std::puts("before");
  return warpclock::run_main(argc, argv);
}
