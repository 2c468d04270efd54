// The CUDA backend on a real GPU: does it do what device.hpp promises? Each test names the wrong number it would catch.
// Every figure is printed, so that a run on a new chip leaves a record.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "core/errors.hpp"
#include "device/device.hpp"
#include "on_gpu.hpp"

#ifdef WARPCLOCK_WITH_CUDA
#include "backends/cuda/device.hpp"
#endif

namespace warpclock {
namespace {

class CudaSmoke : public OnGpu {
 protected:
  /// Records of one window around what `call` enqueues.
  template <class Call>
  static std::vector<Record> traced(const Call& call) {
    stream().start_trace();
    stream().open_window(7);
    call();
    stream().close_window();
    return stream().stop_trace();
  }
};

TEST_F(CudaSmoke, InfoIsCompleteAndPrinted) {
  const DeviceInfo& info = device().info();
  fmt::print("{} {} {} L2 {} MiB ({}) memory {} MiB, marks {} ns, records '{}' {} ns, queue {}\n", info.id, info.name,
             info.identity, info.last_level_cache >> 20, info.last_level_cache_source, info.memory_total >> 20,
             info.mark_step.count(), info.record_timer, info.record_step.count(), info.queue_limit);
  for (const Ability& a : info.abilities) fmt::print("  {:12} {:3} {}\n", a.name, a.works ? "yes" : "no", a.detail);
  for (const auto& [key, value] : info.details) fmt::print("  {}: {}\n", key, value);
  EXPECT_FALSE(info.name.empty());
  EXPECT_EQ(info.identity.size(), std::string("GPU-8b4c7f1e-0000-0000-0000-000000000000").size());
  EXPECT_GT(info.last_level_cache, Bytes{1} << 18);
  EXPECT_GT(info.mark_step.count(), 0);
  EXPECT_LE(info.mark_step, microseconds(2));
}

TEST_F(CudaSmoke, NothingStartsBehindAHold) {  // else the host's launch time would stand in the sample
  if (!can("hold")) GTEST_SKIP() << "no hold here";
  const double held = span([] {},
                           [] {
                             device().host_wait(milliseconds(2));
                             stream().launch_empty();
                           });
  fmt::print("span around a launch that the host delayed by 2 ms, held: {:.0f} ns\n", held);
  EXPECT_LT(held, 1e6);
}

TEST_F(CudaSmoke, WatchdogEndsAHoldThatNobodyLifts) {  // else a call that synchronises would hang for ever
  if (!can("hold")) GTEST_SKIP() << "no hold here";
  stream().hold(milliseconds(50));
  stream().launch_empty();
  const Nanoseconds start = device().host_now();
  stream().synchronize();
  const Nanoseconds waited = device().host_now() - start;
  EXPECT_FALSE(stream().release());
  EXPECT_GT(waited, milliseconds(40));
  stream().hold(milliseconds(500));  // and the next hold is a whole one again
  EXPECT_TRUE(stream().release());
  stream().synchronize();
}

TEST_F(CudaSmoke, FullQueueIsRescuedByTheWatchdog) {
  if (!can("hold")) GTEST_SKIP() << "no hold here";
  const std::size_t limit = device().info().queue_limit;
  stream().hold(milliseconds(300));
  for (std::size_t i = 0; i < limit; ++i) stream().launch_empty();
  EXPECT_TRUE(stream().release()) << "queue_limit promises that so many commands fit behind a hold";
  stream().synchronize();
  stream().hold(milliseconds(100));
  for (std::size_t i = 0; i < 4 * limit; ++i) stream().launch_empty();
  EXPECT_FALSE(stream().release());
  stream().synchronize();
}

TEST_F(CudaSmoke, SpinIsAsLongAsItSaysByMarksAndByRecords) {
  std::vector<double> x, marks, records;
  for (const double us : {5.0, 10.0, 20.0, 50.0, 100.0, 200.0}) {
    const auto spin = [us] { stream().launch_spin(microseconds(us)); };
    x.push_back(us * 1e3);
    marks.push_back(span([] {}, spin));
    double record = 0;
    if (can("tracing")) {
      const std::vector<Record> found = traced(spin);
      ASSERT_EQ(found.size(), 1u);
      EXPECT_EQ(found[0].name, "spin");
      EXPECT_EQ(found[0].window, 7u);
      record = (found[0].end - found[0].start).count();
    }
    records.push_back(record);
    fmt::print("spin {:6.0f} ns: marks {:8.0f}  record {:8.0f}  difference {:6.0f}\n", x.back(), marks.back(), record,
               marks.back() - record);
  }
  const auto slope = [&](const std::vector<double>& y) { return (y.back() - y.front()) / (x.back() - x.front()); };
  EXPECT_NEAR(slope(marks), 1.0, 0.01);
  if (can("tracing")) {
    EXPECT_NEAR(slope(records), 1.0, 0.01);
  }
}

TEST_F(CudaSmoke, ProbeReadsAPlausibleClockAndAgreesWithCycles) {  // else every clock-corrected figure would be off
  std::vector<double> clocks;
  for (int i = 0; i < 50; ++i) {
    const ProbeTicket probe = stream().probe_clock();
    stream().synchronize();
    clocks.push_back(stream().clock_mhz(probe));
    stream().recycle();
  }
  std::vector<double> sorted = clocks;
  std::sort(sorted.begin(), sorted.end());
  fmt::print("probe clock: min {:.1f} median {:.1f} max {:.1f} MHz\n", sorted.front(), median(clocks), sorted.back());
  EXPECT_GT(sorted.front(), 100);
  EXPECT_LT(sorted.back(), 4000);
  constexpr std::uint64_t few = 20'000, many = 420'000;
  const double short_span = span([] {}, [] { stream().launch_cycles(few); });
  const double long_span = span([] {}, [] { stream().launch_cycles(many); });
  const double mhz = static_cast<double>(many - few) * 1e3 / (long_span - short_span);
  fmt::print("clock by {} cycles: {:.1f} MHz\n", many - few, mhz);
  EXPECT_NEAR(mhz / median(clocks), 1.0, 0.02);
}

#ifdef WARPCLOCK_WITH_CUDA
TEST_F(CudaSmoke, EvictionMakesAReadColdAndDirtyIsSlowerStill) {
  auto& cuda = cuda::as_cuda(device());
  const Bytes bytes = device().info().last_level_cache / 2;
  const auto data = device().allocate(bytes);
  const auto sums = device().allocate(4096 * sizeof(float));
  stream().fill(*data, 0);
  const CUfunction read = cuda.kernel("read_f32");
  const auto call = [&] {
    const std::uint64_t n = bytes / sizeof(float), per_block = (n / 1056 + 4) / 4 * 4;  // not below n / 1056
    cuda.cuda_stream().launch(read, {1056}, {512}, 0, data->address(), sums->address(), n, per_block);
  };
  const Bytes flush = 2 * device().info().last_level_cache;
  call();
  const double warm = span(call, call);
  const double clean = span(
      [&] {
        call();
        stream().evict(Evict::clean, flush);
      },
      call);
  const double dirty = span(
      [&] {
        call();
        stream().evict(Evict::dirty, flush);
      },
      call);
  fmt::print("read of {} MiB: warm {:.0f}  clean {:.0f}  dirty {:.0f} ns; evict buffer {} MiB\n", bytes >> 20, warm,
             clean, dirty, flush >> 20);
  EXPECT_GT(clean, 1.15 * warm);
  EXPECT_GT(dirty, clean);
  for (const double factor : {0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0, 4.0}) {
    const auto size = static_cast<Bytes>(factor * static_cast<double>(device().info().last_level_cache));
    const auto evict = [&](Evict kind) {
      return [&, kind] {
        call();
        stream().evict(kind, size);
      };
    };
    fmt::print("  flush of {:4.2f} x L2: clean {:7.0f}  dirty {:7.0f} ns\n", factor, span(evict(Evict::clean), call),
               span(evict(Evict::dirty), call));
  }
}

TEST_F(CudaSmoke, WindowsHoldTheCallsWorkAndNothingOfOurs) {  // else a flush would count as kernel time
  if (!can("tracing")) GTEST_SKIP() << "no tracing here";
  auto& cuda = cuda::as_cuda(device());
  const Bytes bytes = 1 << 20;
  const auto x = device().allocate(bytes), y = device().allocate(bytes), z = device().allocate(bytes);
  const CUfunction add = cuda.kernel("add_f32");
  const std::uint64_t n = bytes / sizeof(float);
  stream().start_trace();
  for (std::uint32_t window = 10; window < 1510; ++window) {  // more than the markers' numbers
    stream().fill(*x, 1);
    stream().probe_clock();
    stream().open_window(window);
    if (window % 2 == 0) cuda.cuda_stream().launch(add, {256}, {256}, 0, x->address(), y->address(), z->address(), n);
    if (window % 3 == 0) stream().copy(*y, *z);
    if (window % 5 == 0) stream().fill(*z, 3);
    stream().close_window();
    stream().copy(*y, *x);
    if (window % 100 == 0) stream().synchronize();
  }
  const std::vector<Record> records = stream().stop_trace();
  std::size_t expected = 0;
  for (std::uint32_t window = 10; window < 1510; ++window) {
    expected += static_cast<std::size_t>((window % 2 == 0) + (window % 3 == 0) + (window % 5 == 0));
  }
  ASSERT_EQ(records.size(), expected);
  for (const Record& record : records) {
    EXPECT_EQ(record.window % (record.kind == "kernel" ? 2 : record.kind == "copy" ? 3 : 5), 0u) << record.name;
    EXPECT_GT(record.start.count(), 0);
    EXPECT_GT(record.end, record.start);
  }
}

TEST_F(CudaSmoke, SideStreamWorkBelongsToTheWindowThatEnqueuedIt) {
  if (!can("tracing")) GTEST_SKIP() << "no tracing here";
  auto& cuda = cuda::as_cuda(device());
  const auto& driver = cuda.context()->driver();
  CUstream side = nullptr;
  std::vector<Record> records;
  {
    const cuda::ContextGuard guard(*cuda.context());
    cuda.context()->check(driver.stream_create(&side, CU_STREAM_NON_BLOCKING), "cuStreamCreate");
    stream().start_trace();
    for (std::uint32_t window = 0; window < 3; ++window) {
      stream().synchronize();
      stream().open_window(window);
      stream().synchronize();
      std::uint64_t ns = 300'000;
      void* arguments[] = {&ns, nullptr};
      cuda.context()->check(
          driver.launch_kernel(cuda.kernel("warpclock_spin"), 1, 1, 1, 1, 1, 1, 0, side, arguments, nullptr),
          "cuLaunchKernel");
      stream().close_window();
    }
    records = stream().stop_trace();
    (void)driver.stream_destroy(side);
  }
  ASSERT_EQ(records.size(), 3u);
  for (std::uint32_t window = 0; window < 3; ++window) {
    EXPECT_EQ(records[window].window, window);
    EXPECT_NEAR((records[window].end - records[window].start).count(), 3e5, 1e4);
  }
}

TEST_F(CudaSmoke, SuiteKernelsComputeWhatTheySay) {
  auto& cuda = cuda::as_cuda(device());
  constexpr std::uint64_t rows = 8, columns = 1000, n = rows * columns + 3;
  std::vector<float> x(n), y(n), out(n);
  for (std::uint64_t i = 0; i < n; ++i) {
    x[i] = static_cast<float>(std::sin(static_cast<double>(i)));
    y[i] = static_cast<float>(std::cos(static_cast<double>(i)));
  }
  const Bytes bytes = n * sizeof(float);
  const auto dx = device().allocate(bytes), dy = device().allocate(bytes), dz = device().allocate(bytes);
  stream().upload(*dx, std::as_bytes(std::span(x)));
  stream().upload(*dy, std::as_bytes(std::span(y)));
  const auto run = [&](const char* name, cuda::Dim3 grid, const auto&... args) {
    stream().fill(*dz, 0xff);
    cuda.cuda_stream().launch(cuda.kernel(name), grid, {256}, 0, args...);
    stream().download(std::as_writable_bytes(std::span(out)), *dz);
  };
  const auto expect = [&](const char* name, std::uint64_t count, const auto& value) {
    double worst = 0;
    for (std::uint64_t i = 0; i < count; ++i) worst = std::max(worst, std::abs(value(i) - static_cast<double>(out[i])));
    EXPECT_LT(worst, 1e-5) << name;
    EXPECT_FALSE(std::isnan(worst)) << name;
  };
  void *px = dx->address(), *py = dy->address(), *pz = dz->address();
  run("add_f32", {3}, px, py, pz, n);
  expect("add", n, [&](std::uint64_t i) { return static_cast<double>(x[i]) + static_cast<double>(y[i]); });
  run("copy_f32", {3}, px, pz, n);
  expect("copy", n, [&](std::uint64_t i) { return static_cast<double>(x[i]); });
  run("scale_f32", {3}, px, pz, 3.0f, n);
  expect("scale", n, [&](std::uint64_t i) { return 3.0 * static_cast<double>(x[i]); });
  run("fill_f32", {3}, pz, 2.5f, n);
  expect("fill", n, [&](std::uint64_t) { return 2.5; });
  constexpr std::uint64_t share = ((n + 4) / 5 + 3) / 4 * 4;
  run("read_f32", {5}, px, pz, n, share);
  expect("read", 5, [&](std::uint64_t block) {
    double sum = 0;
    for (std::uint64_t i = block * share; i < std::min((block + 1) * share, n); ++i) sum += static_cast<double>(x[i]);
    return sum;
  });
  run("rmsnorm_f32", {rows}, px, py, pz, columns, 1e-5f);
  const auto row_sum = [&](std::uint64_t row, const auto& f) {
    double sum = 0;
    for (std::uint64_t j = 0; j < columns; ++j) sum += f(static_cast<double>(x[row * columns + j]));
    return sum;
  };
  expect("rmsnorm", rows * columns, [&](std::uint64_t i) {
    const double mean = row_sum(i / columns, [](double v) { return v * v; }) / columns;
    return static_cast<double>(x[i]) / std::sqrt(mean + 1e-5) * static_cast<double>(y[i % columns]);
  });
  run("softmax_f32", {rows}, px, pz, columns);
  expect("softmax", rows * columns, [&](std::uint64_t i) {
    return std::exp(static_cast<double>(x[i])) / row_sum(i / columns, [](double v) { return std::exp(v); });
  });
}

TEST_F(CudaSmoke, LaunchThatTheDeviceCannotDoIsTheKernelsFault) {
  auto& cuda = cuda::as_cuda(device());
  EXPECT_THROW(
      cuda.cuda_stream().launch(cuda.kernel("fill_f32"), {1}, {4096}, 0, std::uint64_t{0}, 1.0f, std::uint64_t{0}),
      KernelError);
  stream().synchronize();
}
#endif

TEST_F(CudaSmoke, CoverIsLong) {  // else a host that is late would not be covered
  stream().launch_cover_matmul();
  stream().synchronize();
  const double cover = span([] {}, [] { stream().launch_cover_matmul(); }, 5);
  fmt::print("cover matmul: {:.0f} us\n", cover / 1e3);
  EXPECT_GT(cover, 5e5);
  EXPECT_LT(cover, 3e8);
}

TEST_F(CudaSmoke, BytesComeBackAsTheyWent) {
  std::vector<std::byte> in(100'001), out(in.size());
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<std::byte>(i * 31 % 251);
  const auto a = device().allocate(in.size()), b = device().allocate(in.size());
  stream().upload(*a, in);
  stream().copy(*b, *a);
  stream().download(out, *b);
  EXPECT_EQ(in, out);
  EXPECT_THROW((void)device().allocate(device().info().memory_total * 2), DeviceError);
}

// Last, since the context does not survive it. It reads where nothing is mapped.
#ifdef WARPCLOCK_WITH_CUDA
TEST_F(CudaSmoke, zz_CrashOfAKernelIsTheKernelsFault) {
  auto& cuda = cuda::as_cuda(device());
  cuda.cuda_stream().launch(cuda.kernel("fill_f32"), {1}, {32}, 0, std::uint64_t{64}, 1.0f, std::uint64_t{1024});
  try {
    stream().synchronize();
    FAIL() << "no error";
  } catch (const KernelError& error) {
    fmt::print("{}\n", error.what());
  }
}
#endif

}  // namespace
}  // namespace warpclock
