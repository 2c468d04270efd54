// The main() of warpclock::main.
#include <warpclock/main.hpp>

int main(int argc, char** argv) { return warpclock::run_main(argc, argv); }
