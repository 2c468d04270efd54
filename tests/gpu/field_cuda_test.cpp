// Public field cases (tests/field/README.md) on a real GPU, by number. Relations and ratios only; each says which wrong
// number it would catch.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <memory>

#ifdef WARPCLOCK_WITH_CUDA
#include "field_gpu.hpp"

namespace warpclock::field {
namespace {

// Small matmuls that all cost the same: the launch. Work that grows 64-fold has to show.
TEST_F(FieldCuda, F01SmallMatmulsAreToldApart) {
  double last = 0;
  for (const std::int64_t n : {256, 512, 1024}) {
    const auto result =
        run("gemm", {{"M", number(n)}, {"N", number(n)}, {"K", number(n)}, {"dtype", std::string("fp16")}});
    EXPECT_GT(kernel_us(result), 1.1 * last) << n;
    EXPECT_NEAR(call_us(result) - *result.call_offset_ns / 1e3, kernel_us(result), 0.1 * kernel_us(result) + 0.5) << n;
    last = kernel_us(result);
  }
}

// A slower launcher is not a slower kernel.
TEST_F(FieldCuda, F02HostDelayDoesNotReachTheKernel) {
  const auto delayed = [](std::int64_t us) {
    return run("spin", {{"ns", number(5000)}, {"host_delay", number(us * 1000)}});
  };
  const double base = kernel_us(delayed(0));
  for (const std::int64_t us : {5, 20, 50, 200}) {
    const auto result = delayed(us);
    EXPECT_NEAR(kernel_us(result), base, 0.2) << us;
    EXPECT_NEAR(call_us(result), base + *result.call_offset_ns / 1e3, 0.4) << us;
    EXPECT_GT(result.host_time_ns->median.value / 1e3, us);
  }
}

// The flush was the hidden cover: its size must not change what is read under a hold.
TEST_F(FieldCuda, F03FlushSizeIsNoCover) {
  std::vector<double> calls;
  for (const double factor : {0.05, 1.0, 4.0}) {
    calls.push_back(call_us(run("spin", {{"ns", number(3000)}}, with([&](Protocol& p) {
                                  p.flush_size = {factor, 0};
                                }))));
  }
  EXPECT_LT(*std::ranges::max_element(calls) - *std::ranges::min_element(calls), 0.3);
}

// Twenty launches with a slow host between them starve the stream, unless it is held.
TEST_F(FieldCuda, F04ChainIsNotStarvedUnderAHold) {
  const auto call = [] {
    for (int i = 0; i < 20; ++i) {
      device().host_wait(microseconds(10));
      stream().launch_spin(microseconds(3));
    }
  };
  const auto held = run(call);
  EXPECT_EQ(held.headline, Headline::call_time);
  EXPECT_LT(call_us(held), 20 * (3 + 2.5));
  const auto bare = run(call, with([](Protocol& p) { p.cover = Cover::none; }));
  EXPECT_GT(call_us(bare), 200);
  EXPECT_TRUE(found(bare, "launch-bound"));
}

// A constant offset per method, and a small spread.
TEST_F(FieldCuda, F08CallTimeIsAConstantOffsetAbove) {
  for (const double us : {1.0, 10.0, 50.0}) {
    const auto result = run("spin", {{"ns", number(static_cast<std::int64_t>(us * 1e3))}});
    EXPECT_NEAR(call_us(result) - kernel_us(result), *result.call_offset_ns / 1e3, 0.3) << us;
    EXPECT_LT(result.call_time_ns->spread.p95 - result.call_time_ns->spread.p5, 500) << us;
  }
}

// RMSNorm faster than memory: a working set in L2. Cold, no size may beat the bandwidth.
TEST_F(FieldCuda, F10ColdRmsnormStaysBelowMemoryBandwidth) {
  for (const std::int64_t cols : {1024, 4096, 16384}) {
    const auto result = run("rmsnorm", {{"rows", number(4096)}, {"cols", number(cols)}});
    ASSERT_TRUE(result.sol) << "no peak for this GPU";
    EXPECT_LT(result.sol->percent, 100) << cols;
  }
  const auto warm = run("rmsnorm", {{"rows", number(4096)}, {"cols", number(1024)}},
                        with([](Protocol& p) { p.cache = CacheState::warm; }));
  EXPECT_EQ(warm.conditions.cache, "warm");
  EXPECT_FALSE(warm.sol && warm.sol->bound == "memory");
}

// The default flush lies on the plateau, a quarter of L2 does not.
TEST_F(FieldCuda, F16DefaultFlushIsOnThePlateau) {
  const auto read_after = [](double factor) {
    return kernel_us(run("read", {{"n", number(8 << 20)}}, with([&](Protocol& p) { p.flush_size = {factor, 0}; })));
  };
  const double twice = read_after(2), four = read_after(4), quarter = read_after(0.25);
  EXPECT_NEAR(twice, four, 0.02 * four);
  EXPECT_LT(quarter, 0.95 * four);
}

// Lines that the code under test has marked as persisting survive an ordinary flush.
TEST_F(FieldCuda, F19PersistingLinesDoNotSurvive) {
  const cuda::ContextGuard guard(*device().context());
  void* driver = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  ASSERT_NE(driver, nullptr);
  const auto set_limit = reinterpret_cast<decltype(&cuCtxSetLimit)>(::dlsym(driver, "cuCtxSetLimit"));
  const auto axes = std::map<std::string, AxisValue>{{"n", number(4 << 20)}};
  const double before = kernel_us(run("read", axes));
  ASSERT_EQ(set_limit(CU_LIMIT_PERSISTING_L2_CACHE_SIZE, 16U << 20U), CUDA_SUCCESS);
  const double with_carve_out = kernel_us(run("read", axes));
  EXPECT_EQ(set_limit(CU_LIMIT_PERSISTING_L2_CACHE_SIZE, 0), CUDA_SUCCESS);
  EXPECT_GT(with_carve_out, 0.95 * before);
}

// Cache bandwidth against the memory roof.
TEST_F(FieldCuda, F20WarmSmallCopyHasNoMemoryRoof) {
  const auto result = run("copy", {{"n", number(1 << 18)}}, with([](Protocol& p) { p.cache = CacheState::warm; }));
  EXPECT_TRUE(found(result, "fits-in-cache"));
  EXPECT_FALSE(result.sol.has_value());
}

// Simple numbers run faster: the default data are not zeros, the data are told, and a copy does not care.
TEST_F(FieldCuda, F42DataIsToldAndZerosAreNotSlower) {
  const std::map<std::string, AxisValue> axes{{"M", number(4096)}, {"N", number(8192)}, {"K", number(8192)}};
  const auto normal = run("gemm", axes);
  const auto zeros = run("gemm", axes, with([](Protocol& p) { p.data = Data::zeros; }));
  EXPECT_EQ(normal.conditions.data, "normal");
  EXPECT_EQ(zeros.conditions.data, "zeros");
  EXPECT_LT(call_us(zeros), 1.01 * call_us(normal));
  const double copy_normal = kernel_us(run("copy", {{"n", number(1 << 26)}}));
  const double copy_zeros =
      kernel_us(run("copy", {{"n", number(1 << 26)}}, with([](Protocol& p) { p.data = Data::zeros; })));
  EXPECT_NEAR(copy_normal, copy_zeros, 0.02 * copy_normal);
}

/// A stream beside ours, as code under test makes one.
class SideStream {
 public:
  explicit SideStream(cuda::CudaDevice& device) : device_(device) {
    const cuda::ContextGuard guard(*device_.context());
    device_.context()->check(device_.context()->driver().stream_create(&stream_, CU_STREAM_NON_BLOCKING),
                             "cuStreamCreate");
  }
  ~SideStream() {
    const cuda::ContextGuard guard(*device_.context());
    static_cast<void>(device_.context()->driver().stream_synchronize(stream_));
    static_cast<void>(device_.context()->driver().stream_destroy(stream_));
  }
  void spin(std::uint64_t ns) {
    const cuda::ContextGuard guard(*device_.context());
    void* arguments[] = {&ns, nullptr};
    device_.context()->check(device_.context()->driver().launch_kernel(device_.kernel("warpclock_spin"), 1, 1, 1, 1, 1,
                                                                       1, 0, stream_, arguments, nullptr),
                             "cuLaunchKernel");
  }
  void wait() {
    const cuda::ContextGuard guard(*device_.context());
    static_cast<void>(device_.context()->driver().stream_synchronize(stream_));
  }

 private:
  cuda::CudaDevice& device_;
  CUstream stream_ = nullptr;
};

// Work on another stream escapes the marks; the records have it, and the two do not agree.
TEST_F(FieldCuda, F50WorkOnASideStreamIsFound) {
  SideStream side(device());
  const auto result = run(
      [&] {
        side.spin(1'000'000);
        stream().launch_spin(microseconds(5));
      },
      with([](Protocol& p) { p.samples = 10; }));
  EXPECT_GT(result.busy_ns->median.value, 0.9e6);
  EXPECT_TRUE(found(result, "work-outside-marks"));
}

// Two kernels side by side: the sum is not the span.
TEST_F(FieldCuda, F53SumAndSpanAreBothTold) {
  SideStream side(device());
  const auto result = run(
      [&] {
        stream().launch_spin(milliseconds(1));
        side.spin(1'000'000);
        side.wait();  // joined by the host: the call synchronises
      },
      with([](Protocol& p) {
        p.samples = 5;
        p.cover = Cover::none;
      }));
  EXPECT_NEAR(result.kernel_time_ns->median.value, 2e6, 1e5);
  EXPECT_NEAR(result.busy_ns->median.value, 1e6, 2e5);
  EXPECT_TRUE(found(result, "kernels-overlap"));
}

// A call that synchronises can never return behind a hold: it ends in seconds, marked, and its kernel time is right.
TEST_F(FieldCuda, F63ACallThatSynchronisesDoesNotHang) {
  const auto result = run(
      [] {
        stream().launch_spin(microseconds(50));
        stream().synchronize();
      },
      with([](Protocol& p) {
        p.samples = 5;
        p.watchdog = milliseconds(50);
      }));
  EXPECT_NEAR(kernel_us(result), spin_us(50), 0.05 * 50);
  EXPECT_TRUE(found(result, "hold-ended-early"));
}

// Flushing made a matmul faster: with clocks beside the samples, cold is not faster than warm beyond noise.
TEST_F(FieldCuda, F22ColdMatmulIsNotFasterThanWarm) {
  const std::map<std::string, AxisValue> axes{{"M", number(2048)}, {"N", number(2048)}, {"K", number(2048)}};
  const auto cold = run("gemm", axes);
  const auto warm = run("gemm", axes, with([](Protocol& p) { p.cache = CacheState::warm; }));
  EXPECT_GT(kernel_us(cold), 0.98 * kernel_us(warm));
  for (const auto& sample : cold.samples) EXPECT_TRUE(sample.clock_mhz.has_value());
}

// Fast alone, slow in the model: cold is near what a neighbour that swept the cache leaves behind.
TEST_F(FieldCuda, F25ColdIsNearToWhatANeighbourLeaves) {
  const auto& benchmark = find_benchmark("copy");
  const auto small = benchmark.make(device(), point_of(benchmark, {{"n", number(5 << 20)}}), {.copies = 1});
  const auto large = benchmark.make(device(), point_of(benchmark, {{"n", number(64 << 20)}}), {.copies = 1});
  Session& session = *opened().session;
  Protocol protocol;
  protocol.verify = false;
  const auto alone = measure(session, *small, protocol);
  const auto cold = analyse("copy", {}, alone, {device().info(), protocol, opened().roofline});
  std::vector<double> beside;
  for (int i = 0; i < 15; ++i) {
    stream().hold(milliseconds(250));
    large->call(0);
    const auto begin = stream().mark();
    small->call(0);
    const auto end = stream().mark();
    stream().release();
    stream().synchronize();
    beside.push_back(stream().elapsed(begin, end).count() / 1e3);
    stream().recycle();
  }
  std::ranges::sort(beside);
  // The neighbour's dirty lines are written back meanwhile: up to 20 % (measured 12 to 15 % after a memset).
  EXPECT_GT(beside[7], 0.95 * call_us(cold));
  EXPECT_LT(beside[7], 1.3 * call_us(cold));
}

// More flops than the peak: the roof belongs to a clock, and the clock beside the samples tells how much of it was
// there.
TEST_F(FieldCuda, F38RoofCarriesItsClock) {
  const auto result = run("gemm", {{"M", number(4096)}, {"N", number(8192)}, {"K", number(8192)}});
  ASSERT_TRUE(result.sol) << "no peak for this GPU";
  EXPECT_EQ(result.sol->bound, "compute");
  EXPECT_LT(result.sol->percent, 105);
  EXPECT_FALSE(result.sol->source.empty());
  EXPECT_EQ(found(result, "above-speed-of-light"), result.sol->percent > 100);
}

// Allocations inside the call: kernel time is the kernel's, and the call's own time is larger and said to be.
TEST_F(FieldCuda, F68AllocationInTheCallIsNoKernelTime) {
  const auto result = run(
      [] {
        const auto buffer = device().allocate(64 << 20);
        stream().launch_spin(microseconds(20));
        stream().synchronize();  // as freeing does
      },
      with([](Protocol& p) {
        p.samples = 10;
        p.watchdog = milliseconds(50);
      }));
  EXPECT_NEAR(kernel_us(result), spin_us(20), 0.5);
  EXPECT_TRUE(found(result, "hold-ended-early"));
}

/// Managed memory, as code under test allocates it.
class Managed {
 public:
  explicit Managed(std::size_t bytes) : bytes_(bytes) {
    void* driver = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    const auto allocate = reinterpret_cast<decltype(&cuMemAllocManaged)>(::dlsym(driver, "cuMemAllocManaged"));
    free_ = reinterpret_cast<decltype(&cuMemFree)>(::dlsym(driver, "cuMemFree_v2"));
    const cuda::ContextGuard guard(*device().context());
    EXPECT_EQ(allocate(&address_, bytes, CU_MEM_ATTACH_GLOBAL), CUDA_SUCCESS);
  }
  ~Managed() {
    const cuda::ContextGuard guard(*device().context());
    static_cast<void>(free_(address_));
  }
  void touch() { std::memset(reinterpret_cast<void*>(address_), 1, bytes_); }
  [[nodiscard]] CUdeviceptr address() const { return address_; }

 private:
  static cuda::CudaDevice& device() { return cuda::as_cuda(*opened().device); }
  std::size_t bytes_;
  CUdeviceptr address_ = 0;
  decltype(&cuMemFree) free_ = nullptr;
};

// Page migration at first touch is not the kernel's speed: the two are far apart, so nobody takes one for the other.
TEST_F(FieldCuda, F72MigrationShowsAsTimeFarAboveTheSecondTouch) {
  constexpr std::uint64_t n = 4 << 20;
  Managed data(n * sizeof(float));
  const auto out = device().allocate(1 << 20);
  const auto read = [&] {
    const auto x = data.address();
    const auto sums = reinterpret_cast<CUdeviceptr>(out->address());
    const std::uint64_t per_block = 4096, count = n;
    stream().launch(device().kernel("read_f32"), {static_cast<unsigned>(n / per_block)}, {256}, 0, x, sums, count,
                    per_block);
  };
  const auto touched = run(
      [&] {
        data.touch();
        read();
      },
      with([](Protocol& p) { p.samples = 5; }));
  const auto resident = run(read, with([](Protocol& p) { p.samples = 5; }));
  EXPECT_GT(kernel_us(touched), 5 * kernel_us(resident));
}

// The budget is device time: 50 ms a call in one second are about 20 calls.
TEST_F(FieldCuda, F102BudgetIsDeviceTime) {
  const auto result = run("spin", {{"ns", number(50'000'000)}}, with([](Protocol& p) { p.precision = 1e-6; }));
  EXPECT_GE(result.samples.size(), 12U);
  EXPECT_LE(result.samples.size(), 24U);
}

// Many traces in one process: every one gives every record.
TEST_F(FieldCuda, F110RecordsStayWholeOverManyTraces) {
  for (int session = 0; session < 50; ++session) {
    stream().start_trace();
    for (std::uint32_t window = 0; window < 20; ++window) {
      stream().open_window(window);
      stream().launch_spin(microseconds(2));
      stream().launch_empty();
      stream().close_window();
    }
    const auto records = stream().stop_trace();
    ASSERT_EQ(records.size(), 40U) << "session " << session;
    for (const auto& record : records) EXPECT_GT(record.end, record.start);
  }
}

// Position in a sweep: a point after a hot one reads as it does alone.
TEST_F(FieldCuda, PointAfterAHotOneReadsAsAlone) {
  const std::map<std::string, AxisValue> light{{"n", number(1 << 24)}};
  const std::map<std::string, AxisValue> hot{{"M", number(4096)}, {"N", number(19456)}, {"K", number(2560)}};
  const double alone = kernel_us(run("add", light));
  const double hot_alone = kernel_us(run("gemm", hot));
  run("gemm", hot, with([](Protocol& p) {
        p.samples = 200;
        p.cache = CacheState::warm;
      }));
  EXPECT_NEAR(kernel_us(run("add", light)), alone, 0.015 * alone);
  EXPECT_NEAR(kernel_us(run("gemm", hot)), hot_alone, 0.015 * hot_alone);
}

// Streams and events of device 0 while another device is measured.
TEST_F(FieldCuda, F84TheSecondGpuIsMeasuredAsTheFirst) {
  if (cuda::device_ids().size() < 2) GTEST_SKIP() << "one GPU only";
  const auto second = cuda::open_device("cuda:1");
  Session session(*second);
  const auto& benchmark = find_benchmark("read");
  Protocol protocol;
  protocol.verify = false;
  const auto point = point_of(benchmark, {{"n", number(8 << 20)}});
  const auto there = run_point(session, benchmark, point, protocol, {}, {});
  const auto here = run("read", {{"n", number(8 << 20)}});
  EXPECT_EQ(there.status, Status::ok) << there.error;
  EXPECT_NEAR(kernel_us(there), kernel_us(here), 0.1 * kernel_us(here));
}

}  // namespace
}  // namespace warpclock::field
#else
TEST(FieldCuda, NeedsTheCudaBackend) { GTEST_SKIP() << "no usable GPU: " << warpclock::cuda::missing_at_build_time(); }
#endif
