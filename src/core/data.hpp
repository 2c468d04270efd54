// Distribution of the inputs. Zeros and small integers draw less power and run faster (measured: 3 to 20 % on a bf16
// matmul), so the default is neither.
#pragma once

#include <cstdint>
#include <string>

namespace warpclock {

enum class Data : std::uint8_t {
  normal,   // standard normal
  uniform,  // uniform in [-1, 1)
  ints,     // whole numbers from -4 to 4
  ones,
  zeros,
};

/// "normal", "uniform", ...: as on the command line and in JSON.
[[nodiscard]] std::string to_string(Data data);

}  // namespace warpclock
