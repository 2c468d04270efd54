// Kernels of the built-in suite, fp32. Launch shapes are stated with each; names carry no prefix, so records show them.
#include <cstdint>

namespace {

constexpr unsigned full_warp = 0xffffffffu;

/// Position of this thread in the grid, and how many threads the grid has.
__device__ inline std::uint64_t thread_index() {
  return static_cast<std::uint64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}
__device__ inline std::uint64_t thread_count() { return static_cast<std::uint64_t>(gridDim.x) * blockDim.x; }

struct Add {
  __device__ float operator()(float a, float b) const { return a + b; }
};
struct Max {
  __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};

/// Reduction over the block; every thread gets the result.  pre: blockDim.x is a multiple of 32
template <class Op>
__device__ float block_reduce(float x, Op op, float neutral) {
  __shared__ float parts[32];
  for (int d = 16; d > 0; d /= 2) x = op(x, __shfl_xor_sync(full_warp, x, d));
  __syncthreads();  // parts may still be read by the reduction before this one
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = x;
  __syncthreads();
  x = threadIdx.x % 32 < blockDim.x / 32 ? parts[threadIdx.x % 32] : neutral;
  for (int d = 16; d > 0; d /= 2) x = op(x, __shfl_xor_sync(full_warp, x, d));
  return x;
}

__device__ inline float4 operator+(float4 a, float4 b) {
  return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}

}  // namespace

// Elementwise kernels: any grid and block; n elements, of which the first n/4*4 go as float4 (buffers are aligned to
// 16 bytes), the rest one by one. A grid of ceil(n / 4 / block) is one pass; a smaller one strides.
extern "C" {

/// z = x + y
__global__ void add_f32(const float* __restrict__ x, const float* __restrict__ y, float* __restrict__ z,
                        std::uint64_t n) {
  const auto* x4 = reinterpret_cast<const float4*>(x);
  const auto* y4 = reinterpret_cast<const float4*>(y);
  auto* z4 = reinterpret_cast<float4*>(z);
  for (std::uint64_t i = thread_index(); i < n / 4; i += thread_count()) z4[i] = x4[i] + y4[i];
  for (std::uint64_t i = n / 4 * 4 + thread_index(); i < n; i += thread_count()) z[i] = x[i] + y[i];
}

/// y = x
__global__ void copy_f32(const float* __restrict__ x, float* __restrict__ y, std::uint64_t n) {
  const auto* x4 = reinterpret_cast<const float4*>(x);
  auto* y4 = reinterpret_cast<float4*>(y);
  for (std::uint64_t i = thread_index(); i < n / 4; i += thread_count()) y4[i] = x4[i];
  for (std::uint64_t i = n / 4 * 4 + thread_index(); i < n; i += thread_count()) y[i] = x[i];
}

/// y = a x; y may be x
__global__ void scale_f32(const float* x, float* y, float a, std::uint64_t n) {
  const auto* x4 = reinterpret_cast<const float4*>(x);
  auto* y4 = reinterpret_cast<float4*>(y);
  for (std::uint64_t i = thread_index(); i < n / 4; i += thread_count()) {
    const float4 v = x4[i];
    y4[i] = make_float4(a * v.x, a * v.y, a * v.z, a * v.w);
  }
  for (std::uint64_t i = n / 4 * 4 + thread_index(); i < n; i += thread_count()) y[i] = a * x[i];
}

/// y = a
__global__ void fill_f32(float* __restrict__ y, float a, std::uint64_t n) {
  auto* y4 = reinterpret_cast<float4*>(y);
  for (std::uint64_t i = thread_index(); i < n / 4; i += thread_count()) y4[i] = make_float4(a, a, a, a);
  for (std::uint64_t i = n / 4 * 4 + thread_index(); i < n; i += thread_count()) y[i] = a;
}

/// sums[block] = sum of x[block * per_block, (block + 1) * per_block), the last share ending at n; block a multiple of
/// 32, grid = ceil(n / per_block), per_block a multiple of 4.
__global__ void read_f32(const float* __restrict__ x, float* __restrict__ sums, std::uint64_t n,
                         std::uint64_t per_block) {
  const std::uint64_t begin = blockIdx.x * per_block < n ? blockIdx.x * per_block : n;
  const std::uint64_t end = begin + per_block < n ? begin + per_block : n;
  const std::uint64_t quads = (end - begin) / 4;
  const auto* x4 = reinterpret_cast<const float4*>(x + begin);
  float4 part[4] = {};
  std::uint64_t i = threadIdx.x;
  for (; i + 3 * blockDim.x < quads; i += 4 * blockDim.x)
#pragma unroll
    for (unsigned u = 0; u < 4; ++u) part[u] = part[u] + x4[i + u * blockDim.x];
  for (; i < quads; i += blockDim.x) part[0] = part[0] + x4[i];
  const float4 all = part[0] + part[1] + (part[2] + part[3]);
  float sum = all.x + all.y + (all.z + all.w);
  for (std::uint64_t j = begin + quads * 4 + threadIdx.x; j < end; j += blockDim.x) sum += x[j];
  sum = block_reduce(sum, Add{}, 0.0f);
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

/// y[r, c] = x[r, c] / sqrt(mean(x[r, :]^2) + epsilon) w[c]; one block a row (grid = rows), block a multiple of 32,
/// columns a multiple of 4. The second reading of the row comes from L1 or L2.
__global__ void rmsnorm_f32(const float* __restrict__ x, const float* __restrict__ w, float* __restrict__ y,
                            std::uint64_t columns, float epsilon) {
  const std::uint64_t quads = columns / 4;
  const auto* x4 = reinterpret_cast<const float4*>(x + blockIdx.x * columns);
  const auto* w4 = reinterpret_cast<const float4*>(w);
  auto* y4 = reinterpret_cast<float4*>(y + blockIdx.x * columns);
  float sum = 0;
  for (std::uint64_t i = threadIdx.x; i < quads; i += blockDim.x) {
    const float4 v = x4[i];
    sum += v.x * v.x + v.y * v.y + (v.z * v.z + v.w * v.w);
  }
  sum = block_reduce(sum, Add{}, 0.0f);
  const float factor = 1.0f / sqrtf(sum / static_cast<float>(columns) + epsilon);
  for (std::uint64_t i = threadIdx.x; i < quads; i += blockDim.x) {
    const float4 v = x4[i], s = w4[i];
    y4[i] = make_float4(v.x * factor * s.x, v.y * factor * s.y, v.z * factor * s.z, v.w * factor * s.w);
  }
}

/// y[r, :] = softmax(x[r, :]); one block a row (grid = rows), block a multiple of 32, columns a multiple of 4.
/// Two readings of the row: running maximum and sum in one, the result in the other.
__global__ void softmax_f32(const float* __restrict__ x, float* __restrict__ y, std::uint64_t columns) {
  const std::uint64_t quads = columns / 4;
  const auto* x4 = reinterpret_cast<const float4*>(x + blockIdx.x * columns);
  auto* y4 = reinterpret_cast<float4*>(y + blockIdx.x * columns);
  float top = -INFINITY, sum = 0;
  for (std::uint64_t i = threadIdx.x; i < quads; i += blockDim.x) {
    const float4 v = x4[i];
    const float larger = fmaxf(fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w)), top);
    sum =
        sum * expf(top - larger) + expf(v.x - larger) + expf(v.y - larger) + (expf(v.z - larger) + expf(v.w - larger));
    top = larger;
  }
  const float row_top = block_reduce(top, Max{}, -INFINITY);
  sum = block_reduce(sum == 0 ? 0.0f : sum * expf(top - row_top), Add{}, 0.0f);
  const float factor = 1.0f / sum;
  for (std::uint64_t i = threadIdx.x; i < quads; i += blockDim.x) {
    const float4 v = x4[i];
    y4[i] = make_float4(expf(v.x - row_top) * factor, expf(v.y - row_top) * factor, expf(v.z - row_top) * factor,
                        expf(v.w - row_top) * factor);
  }
}

}  // extern "C"
