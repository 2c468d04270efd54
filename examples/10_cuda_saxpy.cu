// The first example on a GPU: <<<>>> into the stream of the launch.
#include <warpclock/warpclock.hpp>

namespace wc = warpclock;

namespace {

__global__ void saxpy_kernel(std::int64_t n, float a, const float* x, float* y) {
  const auto i = blockIdx.x * std::int64_t{blockDim.x} + threadIdx.x;
  if (i < n) y[i] += a * x[i];
}

void saxpy(wc::Case& c) {
  const auto n = c.axis<std::int64_t>("n");
  const auto x = c.input<float>(n, wc::normal());
  const auto y = c.inout<float>(n, wc::normal());
  const auto blocks = static_cast<unsigned>((n + 255) / 256);
  c.work({.flops = 2.0 * n, .bytes_read = 8.0 * n, .bytes_written = 4.0 * n});
  c.expect(y, wc::relative(1e-6), [=](const wc::HostView& in, std::span<double> want) {
    const auto from_x = in[x], from_y = in[y];
    for (std::size_t i = 0; i < want.size(); ++i) want[i] = 2 * from_x[i] + from_y[i];
  });
  c.measure([=](wc::Launch& l) { saxpy_kernel<<<blocks, 256, 0, l.stream()>>>(n, 2.F, l[x], l[y]); });
}

}  // namespace

WARPCLOCK_BENCH(saxpy).axis("n", wc::pow2(10, 27, 8));
