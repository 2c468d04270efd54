// A user's program for tests on a GPU: a good kernel, a launch that is refused, and a call that allocates.
#include <warpclock/warpclock.hpp>

namespace wc = warpclock;

namespace {

__global__ void add_one(std::int64_t n, const float* x, float* y) {
  const auto i = blockIdx.x * std::int64_t{blockDim.x} + threadIdx.x;
  if (i < n) y[i] = x[i] + 1;
}

constexpr std::int64_t n = 1 << 22;

/// y = x + 1 by `body`.
template <class Body>
void plus_one(wc::Case& c, Body body) {
  const auto x = c.input<float>(n, wc::uniform());
  const auto y = c.output<float>(n);
  c.work({.bytes_read = 4.0 * n, .bytes_written = 4.0 * n});
  c.expect_each(y, wc::relative(1e-6),
                [=](const wc::HostView& in, std::int64_t i) { return in[x][static_cast<std::size_t>(i)] + 1; });
  c.measure([=](wc::Launch& l) { body(l, l[x], l[y]); });
}

void good(wc::Case& c) {
  plus_one(c, [](wc::Launch& l, const float* x, float* y) { add_one<<<n / 256, 256, 0, l.stream()>>>(n, x, y); });
}

// A block has 1024 threads at most: the launch is refused and nothing runs.
void refused(wc::Case& c) {
  plus_one(c, [](wc::Launch& l, const float* x, float* y) { add_one<<<n / 2048, 2048, 0, l.stream()>>>(n, x, y); });
}

// F68: a workspace that is allocated inside the call. Its kernel takes as long as the good one.
void allocating(wc::Case& c) {
  plus_one(c, [](wc::Launch& l, const float* x, float* y) {
    float* work = nullptr;
    wc::check(cudaMalloc(&work, n * sizeof(float)), "cudaMalloc");
    add_one<<<n / 256, 256, 0, l.stream()>>>(n, x, y);
    wc::check(cudaFree(work), "cudaFree");
  });
}

}  // namespace

WARPCLOCK_BENCH(good);
WARPCLOCK_BENCH(refused);
WARPCLOCK_BENCH(allocating);
