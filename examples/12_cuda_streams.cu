// Work on streams of one's own. A side stream is forked from the stream of the launch and joined to it again, so that
// holds and time stamps cover all of it; the streams are made in the set-up and live while the measurement runs.
#include <warpclock/warpclock.hpp>

namespace wc = warpclock;

namespace {

__global__ void add_one(std::int64_t n, const float* x, float* y) {
  const auto i = blockIdx.x * std::int64_t{blockDim.x} + threadIdx.x;
  if (i < n) y[i] = x[i] + 1;
}

void halves(wc::Case& c) {
  const auto n = c.axis<std::int64_t>("n");
  const auto half = n / 2;
  const auto x = c.input<float>(n, wc::uniform());
  const auto y = c.output<float>(n);
  const auto blocks = static_cast<unsigned>((half + 255) / 256);
  const wc::SideStream side;
  const bool two = c.axis<std::int64_t>("streams") == 2;
  c.expect_each(y, wc::relative(1e-6),
                [=](const wc::HostView& in, std::int64_t i) { return in[x][static_cast<std::size_t>(i)] + 1; });
  c.measure([&](wc::Launch& l) {
    if (two) side.fork(l);
    add_one<<<blocks, 256, 0, l.stream()>>>(half, l[x], l[y]);
    add_one<<<blocks, 256, 0, two ? side.stream() : l.stream()>>>(half, l[x] + half, l[y] + half);
    if (two) side.join(l);
  });
}

/// A call that synchronises cannot be held; the result says so, and its kernel time is right all the same.
void synchronising(wc::Case& c) {
  const std::int64_t n = 1 << 20;
  const auto x = c.input<float>(n);
  const auto y = c.output<float>(n);
  c.measure([=](wc::Launch& l) {
    add_one<<<n / 256, 256, 0, l.stream()>>>(n, l[x], l[y]);
    wc::check(cudaStreamSynchronize(l.stream()), "cudaStreamSynchronize");
  });
}

}  // namespace

WARPCLOCK_BENCH(halves).axis("streams", {1, 2}).axis("n", {1 << 22});
WARPCLOCK_BENCH(synchronising);
