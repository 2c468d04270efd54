// Sizes that belong together, points that are left out of the plan, and a point that says why it cannot be measured.
#include <warpclock/warpclock.hpp>

namespace wc = warpclock;

namespace {

void matmul(wc::Case& c) {
  const auto m = c.axis<std::int64_t>("M"), n = c.axis<std::int64_t>("N"), k = c.axis<std::int64_t>("K");
  const auto tile = c.axis<std::int64_t>("tile");
  if (n % tile != 0) c.skip("N must be a multiple of the tile");
  const auto a = c.input<float>(m * k, wc::uniform());
  const auto b = c.input<float>(k * n, wc::uniform());
  const auto y = c.output<float>(m * n);
  c.work({.flops = 2.0 * static_cast<double>(m * n * k)});
  // Element by element, at about 200 random places of the output: a whole reference would take longer than the call.
  const auto reference = [=](const wc::HostView& in, std::int64_t index) {
    double sum = 0;
    for (std::int64_t i = 0; i < k; ++i) {
      sum += in[a][static_cast<std::size_t>(index / n * k + i)] * in[b][static_cast<std::size_t>(i * n + index % n)];
    }
    return sum;
  };
  c.expect_each(y, wc::relative(1e-5), reference, 200);
  c.measure([=](wc::Launch& l) {
    for (std::int64_t row = 0; row < m; ++row) {
      for (std::int64_t first = 0; first < n; first += tile) {
        for (std::int64_t column = first; column < first + tile; ++column) {
          float sum = 0;
          for (std::int64_t i = 0; i < k; ++i) sum += l[a][row * k + i] * l[b][i * n + column];
          l[y][row * n + column] = sum;
        }
      }
    }
  });
}

}  // namespace

WARPCLOCK_BENCH(matmul)
    .zip({"M", "N", "K"}, {{1, 64, 64}, {8, 32, 128}, {16, 24, 16}})
    .axis("tile", {8, 16})
    .filter([](const wc::PointView& point) { return point.number("M") != 1 || point.number("tile") == 8; });
