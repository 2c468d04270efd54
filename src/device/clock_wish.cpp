#include "device/clock_wish.hpp"

#include <fmt/format.h>

namespace warpclock {

std::string to_string(const ClockWish& wish) {
  switch (wish.kind) {
    case ClockWish::Kind::base:
      return "base";
    case ClockWish::Kind::max:
      return "max";
    case ClockWish::Kind::mhz:
      break;
  }
  return fmt::format("{:g} MHz", wish.mhz);
}

std::string to_string(ClockDomain domain) { return domain == ClockDomain::sm ? "SM clock" : "memory clock"; }

}  // namespace warpclock
