// The smallest whole benchmark: operands, work, reference, call. Host code, so it runs with --device cpu.
#include <warpclock/warpclock.hpp>

namespace wc = warpclock;

namespace {

void saxpy_kernel(std::int64_t n, float a, const float* x, float* y) {
  for (std::int64_t i = 0; i < n; ++i) y[i] += a * x[i];
}

void saxpy(wc::Case& c) {
  const auto n = c.axis<std::int64_t>("n");
  const auto x = c.input<float>(n, wc::normal());
  const auto y = c.inout<float>(n, wc::normal());
  const auto elements = static_cast<double>(n);
  c.work({.flops = 2 * elements, .bytes_read = 8 * elements, .bytes_written = 4 * elements});
  c.expect(y, wc::relative(1e-6), [=](const wc::HostView& in, std::span<double> want) {
    for (std::size_t i = 0; i < want.size(); ++i) want[i] = 2 * in[x][i] + in[y][i];
  });
  c.measure([=](wc::Launch& l) { saxpy_kernel(n, 2.F, l[x], l[y]); });
}

}  // namespace

WARPCLOCK_BENCH(saxpy).axis("n", wc::pow2(10, 16, 3)).summary("y = 2 x + y");
