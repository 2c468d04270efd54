// Set-up before every call that is not timed, and where the arguments are when the call begins: weights come from
// memory, an activation was just written by the layer before.
#include <warpclock/warpclock.hpp>

namespace wc = warpclock;

namespace {

void layer(wc::Case& c) {
  const std::int64_t in = 256, out = c.axis<std::int64_t>("out");
  const auto w = c.input<float>(in * out, wc::normal(), wc::weights);
  const auto x = c.input<float>(in, wc::normal(), c.axis<std::string>("x") == "hot" ? wc::activation : wc::weights);
  const auto y = c.output<float>(out);
  const auto ticket = c.scratch<std::int32_t>(1);  // kernels that hand out work by a counter need it reset
  c.name(w, "w");
  c.name(x, "x");
  c.name(y, "y");
  c.before_each([=](wc::Launch& l) { *l[ticket] = 0; });
  c.expect(y, wc::relative(1e-5), [=](const wc::HostView& view, std::span<double> want) {
    for (std::size_t row = 0; row < want.size(); ++row) {
      want[row] = 0;
      for (std::size_t i = 0; i < in; ++i) want[row] += view[w][row * in + i] * view[x][i];
    }
  });
  c.measure([=](wc::Launch& l) {
    while (*l[ticket] < out) {
      const auto row = (*l[ticket])++;
      float sum = 0;
      for (std::int64_t i = 0; i < in; ++i) sum += l[w][row * in + i] * l[x][i];
      l[y][row] = sum;
    }
  });
}

}  // namespace

WARPCLOCK_BENCH(layer).axis("x", {"hot", "cold"}).axis("out", {64});
