#include "core/version.hpp"

namespace warpclock {

std::string version() { return WARPCLOCK_VERSION; }

}  // namespace warpclock
