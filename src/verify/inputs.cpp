// Seeded inputs that cost little more than writing them.
#include "verify/inputs.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>

#include "verify/random.hpp"

namespace warpclock {
namespace {

double unit(std::uint64_t bits) { return static_cast<double>(bits >> 11U) * 0x1p-53; }  // [0, 1)

double draw(Data data, std::uint64_t seed, std::uint64_t index) {
  const auto bits = mix64(seed + 0x632be59bd9b4e019U * index);
  switch (data) {
    case Data::normal:  // Box-Muller
      return std::sqrt(-2 * std::log(1 - unit(bits))) * std::cos(2 * std::numbers::pi * unit(mix64(bits)));
    case Data::uniform:
      return 2 * unit(bits) - 1;
    case Data::ints:
      return static_cast<double>(bits % 9) - 4;
    case Data::ones:
      return 1;
    case Data::zeros:
      return 0;
  }
  return 0;
}

double scale_for_integers(Data data) {
  if (data == Data::normal) return 16;
  if (data == Data::uniform) return 100;
  return 1;
}

}  // namespace

InputTile::InputTile(DType type, Data data, std::uint64_t seed, std::uint64_t longest)
    : type_(type), seed_(mix64(seed)), count_(std::clamp<std::uint64_t>(longest, 1, 1U << 20U)) {
  std::vector<double> drawn(count_);
  const double scale = is_floating(type) ? 1 : scale_for_integers(data);
  for (std::uint64_t i = 0; i < count_; ++i) drawn[i] = scale * draw(data, seed_, i);
  bytes_.resize(count_ * size_of(type));
  encode(type, drawn, bytes_);
}

// Where in the tile element `index` of an input lies.
std::uint64_t InputTile::place(std::uint64_t stream, std::uint64_t index) const {
  const auto shift = mix64(seed_ ^ mix64(stream + 0x2545f4914f6cdd1dU * (index / count_ + 1)));
  return (shift % count_ + index % count_) % count_;
}

void InputTile::write(std::uint64_t stream, std::uint64_t first, std::span<std::byte> to) const {
  const auto size = size_of(type_);
  for (std::uint64_t done = 0, count = to.size() / size; done < count;) {
    const auto index = first + done;
    const auto at = place(stream, index);
    // Up to the end of the tile, of this turn through it, or of what is wanted.
    const auto run = std::min({count_ - at, count_ - index % count_, count - done});
    std::memcpy(to.data() + done * size, bytes_.data() + at * size, run * size);
    done += run;
  }
}

void InputTile::values(std::uint64_t stream, std::uint64_t first, std::span<double> to) const {
  const auto size = size_of(type_);
  for (std::uint64_t done = 0; done < to.size();) {
    const auto index = first + done;
    const auto at = place(stream, index);
    const auto run = std::min({count_ - at, count_ - index % count_, to.size() - done});
    decode(type_, std::span(bytes_).subspan(at * size, run * size), to.subspan(done, run));
    done += run;
  }
}

}  // namespace warpclock
