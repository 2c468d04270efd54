// The last-level cache as a list of operands, least recently used first, each with its resident and dirty bytes.
#pragma once

#include <cstdint>
#include <vector>

#include "backends/sim/kernel.hpp"
#include "core/units.hpp"

namespace warpclock::sim {

/// What one access did, in bytes.
struct Traffic {
  double hit = 0;
  double miss = 0;
  double written_back = 0;  // dirty bytes that earlier commands had left and that had to make room

  Traffic& operator+=(const Traffic& other);
};

/// Whole operands by least recent use. An operand larger than the cache never hits, as under true LRU; of a partly
/// evicted one the resident bytes hit.
class Cache {
 public:
  explicit Cache(Bytes capacity);

  /// A new command begins: only what was dirtied before it counts as written back.
  void next_command() { ++command_; }
  Traffic access(std::uint64_t id, double bytes, Access access);
  /// Traffic of an operand that is never seen again: misses, and pushes others out.
  Traffic pass_through(double bytes, Access access);

  [[nodiscard]] Bytes resident(std::uint64_t id) const;
  [[nodiscard]] Bytes dirty() const;

 private:
  struct Line {  // all that is resident of one operand
    std::uint64_t id = 0;
    double bytes = 0;
    double dirty = 0;
    std::uint64_t command = 0;  // that wrote to it last
  };

  [[nodiscard]] Line take(std::uint64_t id);
  double put(const Line& line);
  /// return: dirty bytes of earlier commands that had to leave
  [[nodiscard]] double make_room(double bytes);

  double capacity_;
  std::uint64_t command_ = 0;
  std::vector<Line> lines_;  // least recently used first
};

}  // namespace warpclock::sim
