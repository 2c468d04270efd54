// Our own work on the device. Every name begins with "warpclock_" (own_prefix in activity.hpp).
#include <cstdint>

namespace {

__device__ inline std::uint64_t global_timer() {
  std::uint64_t t;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
  return t;
}

__device__ inline std::uint64_t sm_clock() {
  std::uint64_t c;
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(c));
  return c;
}

/// Time at which the global timer has just stepped. It steps by 32 ns on some chips and by 1 us on others, so a
/// reading anywhere else may be old by a whole step.
__device__ inline std::uint64_t timer_edge() {
  const std::uint64_t before = global_timer();
  std::uint64_t now = before;
  while (now == before) now = global_timer();
  return now;
}

struct Instant {
  std::uint64_t ns;
  std::uint64_t cycles;
};

/// Timer and SM clock at a step of the timer. Not inlined: where the second instant had code of its own, fetching that
/// code cost it up to 0.1 us (measured on an H200: 0.5 % of 20 us).
__device__ __noinline__ Instant instant() {
  Instant now;
  now.ns = timer_edge();
  now.cycles = sm_clock();
  return now;
}

/// As the stream's own waits compare: wraps round.
__device__ inline bool reached(std::uint32_t word, std::uint32_t ticket) {
  return static_cast<std::int32_t>(word - ticket) >= 0;
}

}  // namespace

extern "C" {

// The two ends of a window. Which window, and that none was lost, is read off the number of threads in the record.
__global__ void warpclock_window_open() {}
__global__ void warpclock_window_close() {}

__global__ void warpclock_empty() {}

/// One thread waits `ns` of the global timer, whatever the clock is.
__global__ void warpclock_spin(std::uint64_t ns) {
  const std::uint64_t start = global_timer();
  while (global_timer() - start < ns) {
  }
}

/// One thread waits `cycles` of its SM's clock.
__global__ void warpclock_cycles(std::uint64_t cycles) {
  const std::uint64_t start = sm_clock();
  while (sm_clock() - start < cycles) {
  }
}

/// Effective clock: SM cycles between two steps of the global timer that lie at least `ns` apart.
///   out  {cycles, nanoseconds}
__global__ void warpclock_probe(std::uint64_t ns, volatile std::uint64_t* out) {
  const std::uint64_t start = timer_edge();
  const std::uint64_t first = sm_clock();
  std::uint64_t before = start;
  std::uint64_t now = start;
  while (now - start < ns || now == before) {  // ends on a step too
    before = now;
    now = global_timer();
  }
  const std::uint64_t last = sm_clock();
  out[0] = last - first;
  out[1] = now - start;
}

/// Effective clock while other streams work: SM cycles and nanoseconds from its start until `stop` has reached `ticket`,
/// at least `least` and at most about `longest` ns. One thread, since it must fit beside other blocks.
///   running  gets the ticket when it has begun; it does nothing where somebody else has put it there
///   out      {cycles, nanoseconds, 1 if stop came and 2 if `longest` did}
__global__ void warpclock_sentinel(volatile std::uint32_t* running, const volatile std::uint32_t* stop,
                                   std::uint32_t ticket, std::uint64_t least, std::uint64_t longest,
                                   volatile std::uint64_t* out) {
  if (reached(*running, ticket)) return;
  instant();  // brings its code into the instruction cache
  const Instant first = instant();
  *running = ticket;
  bool stopped = false;
  std::uint64_t passed = 0;
  while (passed < longest && !(stopped && passed >= least)) {
    stopped = reached(*stop, ticket);
    passed = global_timer() - first.ns;
  }
  const Instant last = instant();
  out[0] = last.cycles - first.cycles;
  out[1] = last.ns - first.ns;
  out[2] = stopped ? 1 : 2;
}

/// Puts `value` into a word: cuStreamWriteValue32 for devices without it.
__global__ void warpclock_word(volatile std::uint32_t* word, std::uint32_t value) { *word = value; }

/// Reads n 16-byte words with loads that go to L2 only (ld.global.cg), so that L2 holds nothing but them, clean.
/// `never` is a value that the bitwise or of all words does not have; that the compiler cannot know it keeps the loads.
__global__ void warpclock_read(const uint4* __restrict__ words, std::uint64_t n, unsigned never, unsigned* out) {
  const std::uint64_t step = static_cast<std::uint64_t>(gridDim.x) * blockDim.x;
  std::uint64_t i = static_cast<std::uint64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  unsigned sum = 0;
  for (; i + 3 * step < n; i += 4 * step) {
    const uint4 a = __ldcg(words + i);
    const uint4 b = __ldcg(words + i + step);
    const uint4 c = __ldcg(words + i + 2 * step);
    const uint4 d = __ldcg(words + i + 3 * step);
    sum |= a.x | a.y | a.z | a.w | b.x | b.y | b.z | b.w | c.x | c.y | c.z | c.w | d.x | d.y | d.z | d.w;
  }
  for (; i < n; i += step) {
    const uint4 a = __ldcg(words + i);
    sum |= a.x | a.y | a.z | a.w;
  }
  if (sum == never) *out = sum;
}

/// Pseudo-random floats in [-1, 1): the cover's operands, since zeros draw less power.
__global__ void warpclock_pattern(float* out, std::uint64_t n) {
  const std::uint64_t step = static_cast<std::uint64_t>(gridDim.x) * blockDim.x;
  for (std::uint64_t i = static_cast<std::uint64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += step) {
    unsigned h = static_cast<unsigned>(i) * 2654435761u;
    h = (h ^ (h >> 15)) * 2246822519u;
    h ^= h >> 13;
    out[i] = static_cast<float>(static_cast<int>(h)) * 4.6566129e-10f;
  }
}

/// c = a b, row-major squares of n (a multiple of 128); 256 threads compute a tile of 128 x 128, 8 x 8 each.
/// It heats the chip and keeps the device busy; it need not be the fastest.
__global__ void __launch_bounds__(256)
    warpclock_matmul(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int n) {
  constexpr int tile = 128, depth = 8, each = 8;
  if (n < tile) return;  // launched once with n = 0 to be loaded; found by compute-sanitizer to write a tile then
  __shared__ float a_tile[depth][tile];  // transposed, so that a thread's 8 rows are neighbours
  __shared__ float b_tile[depth][tile];
  const int t = static_cast<int>(threadIdx.x);
  const int row = t / 16 * each, column = t % 16 * each;
  const std::size_t row0 = static_cast<std::size_t>(blockIdx.y) * tile;
  const std::size_t column0 = static_cast<std::size_t>(blockIdx.x) * tile;
  float sum[each][each] = {};
  for (int k0 = 0; k0 < n; k0 += depth) {
    const float4 from_a = *reinterpret_cast<const float4*>(a + (row0 + t / 2) * n + k0 + t % 2 * 4);
    const float4 from_b =
        *reinterpret_cast<const float4*>(b + static_cast<std::size_t>(k0 + t / 32) * n + column0 + t % 32 * 4);
    a_tile[t % 2 * 4 + 0][t / 2] = from_a.x;
    a_tile[t % 2 * 4 + 1][t / 2] = from_a.y;
    a_tile[t % 2 * 4 + 2][t / 2] = from_a.z;
    a_tile[t % 2 * 4 + 3][t / 2] = from_a.w;
    *reinterpret_cast<float4*>(&b_tile[t / 32][t % 32 * 4]) = from_b;
    __syncthreads();
#pragma unroll
    for (int k = 0; k < depth; ++k) {
      float x[each], y[each];
#pragma unroll
      for (int i = 0; i < each; ++i) x[i] = a_tile[k][row + i];
#pragma unroll
      for (int j = 0; j < each; ++j) y[j] = b_tile[k][column + j];
#pragma unroll
      for (int i = 0; i < each; ++i)
#pragma unroll
        for (int j = 0; j < each; ++j) sum[i][j] += x[i] * y[j];
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < each; ++i)
#pragma unroll
    for (int j = 0; j < each; j += 4) {
      float* to = c + (row0 + row + i) * n + column0 + column + j;
      *reinterpret_cast<float4*>(to) = make_float4(sum[i][j], sum[i][j + 1], sum[i][j + 2], sum[i][j + 3]);
    }
}

}  // extern "C"
