// Results with every member set at random, for tests of what stores and sends them.
#pragma once

#include <random>

#include "core/result.hpp"

namespace warpclock {

/// Finite and valid UTF-8 throughout; each optional member is there in about half of them.
[[nodiscard]] Result random_result(std::mt19937_64& random);
[[nodiscard]] Environment random_environment(std::mt19937_64& random);

}  // namespace warpclock
