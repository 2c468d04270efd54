// Seeded inputs that cost little more than writing them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/data.hpp"
#include "verify/dtype.hpp"

namespace warpclock {

/// A tile of at most 2^20 values drawn once; an input of any length is the tile over and over, each time rotated by
/// another seeded shift, and every input and copy has shifts of its own. So filling runs at the speed of a copy, any
/// part can be drawn again without storing it, and no two copies of an operand are alike. The price: values repeat.
/// Integer types take `normal` as round(16 x), `uniform` as whole numbers from -100 to 99.
class InputTile {
 public:
  /// The tile for inputs of up to `longest` >= 1 elements.
  InputTile(DType type, Data data, std::uint64_t seed, std::uint64_t longest);

  [[nodiscard]] DType type() const { return type_; }

  /// Elements first, first + 1, ... of the input number `stream`, encoded.  pre: to.size() a multiple of the element
  void write(std::uint64_t stream, std::uint64_t first, std::span<std::byte> to) const;
  /// The same elements as doubles.
  void values(std::uint64_t stream, std::uint64_t first, std::span<double> to) const;

 private:
  [[nodiscard]] std::uint64_t place(std::uint64_t stream, std::uint64_t index) const;

  DType type_;
  std::uint64_t seed_;
  std::uint64_t count_;  // elements of the tile
  std::vector<std::byte> bytes_;
};

}  // namespace warpclock
