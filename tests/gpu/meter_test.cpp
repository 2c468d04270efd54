// The two meters of the effective clock on a real GPU. Every figure is printed, so that a run on a new chip leaves a
// record.
#include "on_gpu.hpp"

#ifdef WARPCLOCK_WITH_CUDA
#include "backends/cuda/device.hpp"
#endif

namespace warpclock {
namespace {

class CudaMeters : public OnGpu {};

/// Median of what a meter says of `call`, in MHz; 0 where it said nothing.
template <class Call>
double metered(Stream& stream, ClockMeter meter, const Call& call, int samples) {
  std::vector<double> mhz;
  for (int i = 0; i < samples; ++i) {
    stream.start_meter(meter, milliseconds(500));
    call();
    stream.stop_meter();
    mhz.push_back(stream.read_meter().value_or(ClockReading{}).mhz);
  }
  return median(mhz);
}

TEST_F(CudaMeters, SentinelReadsTheClockThatCyclesOverTimeGive) {  // F33
  if (const std::string why = stream().meter_problem(ClockMeter::sentinel); !why.empty()) GTEST_SKIP() << why;
  constexpr std::uint64_t few = 20'000, many = 2'020'000;
  const auto cycles = [](std::uint64_t n) { return [n] { stream().launch_cycles(n); }; };
  const double truth = static_cast<double>(many - few) * 1e3 / (span([] {}, cycles(many)) - span([] {}, cycles(few)));
  for (const std::uint64_t n : {few, many}) {
    const double mhz = metered(stream(), ClockMeter::sentinel, cycles(n), 21);
    fmt::print("clock by {} cycles over time {:.1f} MHz, by sentinel during {} of them {:.1f} MHz\n", many - few, truth,
               n, mhz);
    EXPECT_NEAR(mhz / truth, 1.0, 0.01);
  }
  const Nanoseconds start = device().host_now();
  (void)metered(
      stream(), ClockMeter::sentinel, [] {}, 100);
  fmt::print("sentinel: {:.3f} ms each\n", (device().host_now() - start).count() * 1e-8);
}

TEST_F(CudaMeters, CountersAndSentinelAgreeOnTheSameWork) {  // else one of them reads another clock
  const Nanoseconds asked = device().host_now();
  if (const std::string why = stream().meter_problem(ClockMeter::counters); !why.empty()) GTEST_SKIP() << why;
  fmt::print("counters: tried out in {:.0f} ms\n", (device().host_now() - asked).count() * 1e-6);
  // A single short call: most of a range is the host's time.
  const double alone = metered(
      stream(), ClockMeter::sentinel, [] { stream().launch_cycles(100'000); }, 5);
  const double in_range = metered(
      stream(), ClockMeter::counters, [] { stream().launch_cycles(100'000); }, 5);
  fmt::print("100000 cycles: sentinel {:.1f} MHz, counters {:.1f} MHz\n", alone, in_range);
  EXPECT_NEAR(alone / in_range, 1.0, 0.01);
  const double one = metered(
      stream(), ClockMeter::counters, [] { stream().launch_cover_matmul(); }, 5);
  const double beside = metered(
      stream(), ClockMeter::sentinel, [] { stream().launch_cover_matmul(); }, 5);
  fmt::print("1 matmul: sentinel {:.1f} MHz, counters {:.1f} MHz\n", beside, one);
  EXPECT_NEAR(beside / one, 1.0, 0.02);
  const auto work = [] {
    for (int i = 0; i < 5; ++i) stream().launch_cover_matmul();
  };
  const double before = span([] {}, work, 5);
  for (int round = 0; round < 3; ++round) {
    const double sentinel = metered(stream(), ClockMeter::sentinel, work, 5);
    const Nanoseconds start = device().host_now();
    (void)metered(
        stream(), ClockMeter::counters, [] {}, 1);
    const Nanoseconds opened = device().host_now();
    (void)metered(
        stream(), ClockMeter::counters, [] {}, 5);
    const Nanoseconds five = device().host_now();
    const double counters = metered(stream(), ClockMeter::counters, work, 5);
    fmt::print(
        "5 matmuls: sentinel {:.1f} MHz, counters {:.1f} MHz, ratio {:.4f}; first {:.0f} ms, then {:.1f} ms each\n",
        sentinel, counters, sentinel / counters, (opened - start).count() * 1e-6, (five - opened).count() * 2e-7);
    EXPECT_NEAR(sentinel / counters, 1.0, 0.02);
  }
  const Nanoseconds start = device().host_now();
  stream().mark();  // ends the session
  const Nanoseconds closed = device().host_now();
  const double after = span([] {}, work, 5);
  fmt::print("closed in {:.1f} ms; the matmuls took {:.0f} us before and {:.0f} us after\n",
             (closed - start).count() * 1e-6, before / 1e3, after / 1e3);
  EXPECT_NEAR(after / before, 1.0, 0.05);  // leaves nothing behind; the chip's temperature moves it too
}

#ifdef WARPCLOCK_WITH_CUDA
// Every block waits until all have begun, as after a grid-wide barrier.
constexpr const char* barrier_ptx = R"(.version 7.0
.target sm_70
.address_size 64
.visible .entry barrier(.param .u64 counter, .param .u32 blocks) {
  .reg .pred %p;
  .reg .u32 %r<4>;
  .reg .u64 %address;
  ld.param.u64 %address, [counter];
  ld.param.u32 %r1, [blocks];
  mov.u32 %r2, %tid.x;
  setp.ne.u32 %p, %r2, 0;
  @%p bra all;
  atom.global.add.u32 %r3, [%address], 1;
wait:
  ld.volatile.global.u32 %r3, [%address];
  setp.lt.u32 %p, %r3, %r1;
  @%p bra wait;
all:
  bar.sync 0;
  ret;
}
)";

TEST_F(CudaMeters, KernelThatNeedsEverySmIsNotKeptWaitingByTheSentinel) {  // a deadlock, if it ended at the stop only
  if (const std::string why = stream().meter_problem(ClockMeter::sentinel); !why.empty()) GTEST_SKIP() << why;
  auto& cuda = cuda::as_cuda(device());
  const cuda::Module module(cuda.context(), barrier_ptx, "the test");
  const CUfunction barrier = module.function("barrier");
  constexpr unsigned threads = 512;
  const int per_sm = cuda.context()->attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR) / int{threads};
  const auto blocks =
      static_cast<unsigned>(per_sm * cuda.context()->attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT));
  const auto counter = device().allocate(sizeof(unsigned));
  const auto time = [&](bool with_sentinel) {
    stream().fill(*counter, 0);
    if (with_sentinel) stream().start_meter(ClockMeter::sentinel, milliseconds(20));
    const MarkTicket a = stream().mark();
    cuda.cuda_stream().launch(barrier, {blocks}, {threads}, 0, counter->address(), blocks);
    const MarkTicket b = stream().mark();
    if (with_sentinel) {
      stream().stop_meter();
      EXPECT_EQ(stream().read_meter(), std::nullopt);
    }
    stream().synchronize();
    return stream().elapsed(a, b).count() * 1e-6;
  };
  (void)time(false);
  const double alone = time(false), beside = time(true);
  fmt::print("kernel of {} blocks with a barrier: {:.3f} ms alone, {:.1f} ms beside a sentinel of 20 ms\n", blocks,
             alone, beside);
  EXPECT_LT(alone, 5);
  EXPECT_LT(beside, 40);
  stream().recycle();
}
#endif

}  // namespace
}  // namespace warpclock
