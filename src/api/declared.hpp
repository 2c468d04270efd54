// What was said about a benchmark when it was registered.
#pragma once

#include <deque>
#include <functional>
#include <string>
#include <vector>
#include <warpclock/bench.hpp>
#include <warpclock/case.hpp>

#include "core/axis.hpp"

namespace warpclock {

struct Registration::Declared {
  std::string name;
  std::string summary;
  std::function<void(Case&)> function;
  std::string file;  // without its folders
  unsigned line = 0;
  std::vector<std::string> backends;
  std::vector<AxisSpec> axes;
  std::function<bool(const PointView&)> wanted;
  std::vector<std::string> mistakes;  // made while registering; told when the program starts

  /// "saxpy (saxpy.cpp:12)"
  [[nodiscard]] std::string where() const { return name + " (" + file + ":" + std::to_string(line) + ")"; }
};

/// All registered so far, in order. Registration runs before main(), from the initialisers of the user's files: the one
/// list of the program that is not handed from hand to hand.
[[nodiscard]] std::deque<Registration::Declared>& declared();

}  // namespace warpclock
