// Launch attributes: a cluster of two blocks, and a second kernel that is launched before the first has ended
// (programmatic dependent launch). cudaLaunchKernelEx takes the stream of the launch like everything else.
#include <warpclock/warpclock.hpp>

namespace wc = warpclock;

namespace {

__global__ void twice(std::int64_t n, const float* x, float* y) {
  const auto i = blockIdx.x * std::int64_t{blockDim.x} + threadIdx.x;
  if (i < n) y[i] = 2 * x[i];
}

__global__ void plus_one(std::int64_t n, float* y) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize();  // the blocks of `twice` are awaited here, not before this kernel starts
#endif
  const auto i = blockIdx.x * std::int64_t{blockDim.x} + threadIdx.x;
  if (i < n) y[i] += 1;
}

bool has_clusters() {
  int device = 0, major = 0;
  wc::check(cudaGetDevice(&device));
  wc::check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
  return major >= 9;
}

void chained(wc::Case& c) {
  if (!has_clusters()) c.skip("clusters and dependent launch need compute capability 9.0");
  const auto n = c.axis<std::int64_t>("n");
  const auto x = c.input<float>(n, wc::uniform());
  const auto y = c.output<float>(n);
  const bool dependent = c.axis<std::string>("launch") == "dependent";
  c.work({.bytes_read = 8.0 * n, .bytes_written = 8.0 * n});
  c.expect_each(y, wc::relative(1e-6),
                [=](const wc::HostView& in, std::int64_t i) { return 2 * in[x][static_cast<std::size_t>(i)] + 1; });
  c.measure([=](wc::Launch& l) {
    const auto blocks = static_cast<unsigned>((n + 511) / 512 * 2);  // an even number, for the clusters
    cudaLaunchAttribute cluster{}, early{};
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim = {2, 1, 1};
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t first{dim3(blocks), dim3(256), 0, l.stream(), &cluster, 1};
    cudaLaunchConfig_t second{dim3(blocks), dim3(256), 0, l.stream(), &early, dependent ? 1U : 0U};
    wc::check(cudaLaunchKernelEx(&first, twice, n, l[x], l[y]), "cudaLaunchKernelEx");
    wc::check(cudaLaunchKernelEx(&second, plus_one, n, l[y]), "cudaLaunchKernelEx");
  });
}

}  // namespace

WARPCLOCK_BENCH(chained).axis("launch", {"in order", "dependent"}).axis("n", {1 << 20});
