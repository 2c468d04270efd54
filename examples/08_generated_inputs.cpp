// Inputs of one's own making: indices that must be valid, and keys whose entropy is an axis. The time of the same
// kernel differs with them, so the distribution belongs to the result.
#include <cmath>
#include <warpclock/warpclock.hpp>

namespace wc = warpclock;

namespace {

std::uint64_t mixed(std::uint64_t x) {  // splitmix64
  x += 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31U);
}

void gather(wc::Case& c) {
  const auto n = c.axis<std::int64_t>("n");
  const auto distinct = static_cast<std::uint64_t>(std::pow(static_cast<double>(n), c.axis<double>("entropy")));
  const auto index =
      c.input<std::int32_t>(n, wc::generated([=](std::uint64_t seed, std::int64_t i) {
                              return static_cast<double>(mixed(seed + static_cast<std::uint64_t>(i)) % distinct);
                            }));
  const auto x = c.input<float>(n, wc::uniform());
  const auto y = c.output<float>(n);
  c.expect(y, wc::exact(), [=](const wc::HostView& in, std::span<double> want) {
    for (std::size_t i = 0; i < want.size(); ++i) want[i] = in[x][static_cast<std::size_t>(in[index][i])];
  });
  c.measure([=](wc::Launch& l) {
    for (std::int64_t i = 0; i < n; ++i) l[y][i] = l[x][l[index][i]];
  });
}

}  // namespace

WARPCLOCK_BENCH(gather).axis("entropy", {"1", "0.5", "0"}).axis("n", {1 << 14});
