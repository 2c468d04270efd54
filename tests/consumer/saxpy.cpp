#include <warpclock/warpclock.hpp>

namespace wc = warpclock;

static void saxpy(wc::Case& c) {
  const auto n = c.axis<std::int64_t>("n");
  const auto x = c.input<float>(n, wc::normal());
  const auto y = c.inout<float>(n, wc::normal());
  c.expect(y, wc::relative(1e-6), [=](const wc::HostView& in, std::span<double> want) {
    for (std::size_t i = 0; i < want.size(); ++i) want[i] = 2 * in[x][i] + in[y][i];
  });
  c.measure([=](wc::Launch& l) {
    for (std::int64_t i = 0; i < n; ++i) l[y][i] += 2 * l[x][i];
  });
}
WARPCLOCK_BENCH(saxpy).axis("n", wc::pow2(10, 12));
