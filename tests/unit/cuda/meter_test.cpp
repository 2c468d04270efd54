// The effective clock while a call runs. A meter that is wrong turns a throttled kernel into a slow one; one that is
// not let go hangs the program or disturbs what is timed next.
#include <cupti_version.h>
#include <gmock/gmock.h>

#include "backends/cuda/meters.hpp"
#include "core/errors.hpp"
#include "fixture.hpp"

#if __has_include(<cupti_range_profiler.h>) && CUPTI_API_VERSION >= 24
constexpr bool counters_built = true;
#else
constexpr bool counters_built = false;
#endif

namespace warpclock::cuda {
namespace {

using testing::HasSubstr;
using testing::Optional;

constexpr Nanoseconds longest = milliseconds(50);
constexpr const char* throttled = "clock_mhz=1980 busy_mhz=1500 host_ns=32";

/// What the meter says of `call`.
template <class Call>
std::optional<double> measured(Stream& stream, ClockMeter meter, const Call& call) {
  stream.start_meter(meter, longest);
  call();
  stream.stop_meter();
  const auto reading = stream.read_meter();
  return reading ? std::optional(reading->mhz) : std::nullopt;
}

std::optional<double> of_a_long_kernel(Stream& stream, ClockMeter meter) {
  return measured(stream, meter, [&] { stream.launch_spin(milliseconds(1)); });
}

/// Within 1 %: a launch gap stands beside the millisecond of work.
auto about(double mhz) { return Optional(testing::DoubleNear(mhz, 0.01 * mhz)); }

class CudaMeters : public testing::TestWithParam<ClockMeter> {
 protected:
  void SetUp() override {
    if (GetParam() == ClockMeter::counters && !counters_built) GTEST_SKIP() << "headers without the range profiler";
  }
};
INSTANTIATE_TEST_SUITE_P(Both, CudaMeters, testing::Values(ClockMeter::sentinel, ClockMeter::counters),
                         [](const auto& each) { return each.param == ClockMeter::sentinel ? "sentinel" : "counters"; });

TEST_P(CudaMeters, ReadTheClockOfTheWorkAndNotTheIdleOne) {
  on_device(on_machine(throttled), [](CudaDevice& device) {
    EXPECT_EQ(device.stream().meter_problem(GetParam()), "");
    EXPECT_THAT(of_a_long_kernel(device.stream(), GetParam()), about(1500));
  });
}

TEST_P(CudaMeters, DoNotCountTheTimeThatTheHostNeeds) {  // a short call would be as fast as an idle chip
  on_device(on_machine("clock_mhz=1980 busy_mhz=1500 host_ns=98304"), [](CudaDevice& device) {
    const auto mhz = measured(device.stream(), GetParam(), [&] { device.stream().launch_spin(microseconds(200)); });
    EXPECT_THAT(mhz, about(1500));
  });
}

TEST_P(CudaMeters, MeasureACallThatSynchronisesInside) {  // else it would wait for a start that never comes
  on_device(on_machine(throttled), [](CudaDevice& device) {
    EXPECT_THAT(measured(device.stream(), GetParam(),
                         [&] {
                           device.stream().launch_spin(milliseconds(1));
                           device.stream().synchronize();
                           device.stream().launch_spin(milliseconds(1));
                         }),
                about(1500));
  });
}

TEST_P(CudaMeters, StartAgainAfterACallThatThrew) {  // else one bad point would cost all that follow
  on_device(on_machine(throttled), [](CudaDevice& device) {
    Stream& stream = device.stream();
    for (int i = 0; i < 3; ++i) {
      EXPECT_THROW(measured(stream, GetParam(),
                            [&] {
                              stream.launch_spin(milliseconds(1));
                              throw KernelError("no such shape");
                            }),
                   KernelError);
    }
    EXPECT_THAT(of_a_long_kernel(stream, GetParam()), about(1500));
    EXPECT_THROW(measured(stream, GetParam(), [] { throw KernelError("no such shape"); }), KernelError);
    stream.hold(milliseconds(5'000));  // and so can the next sample
    stream.launch_empty();
    EXPECT_TRUE(stream.release());
    EXPECT_EQ(machine().profiler_sessions, 0);
  });
}

TEST_P(CudaMeters, SayThatTheKernelWasToBlame) {
  on_device(on_machine("kernel.crashes=700"), [](CudaDevice& device) {
    EXPECT_THROW(measured(device.stream(), GetParam(),
                          [&] { device.cuda_stream().launch(device.kernel("crashes"), {1}, {32}, 0); }),
                 KernelError);
  });
}

TEST_P(CudaMeters, WithoutAStartThereIsNothingToRead) {
  on_device(on_machine(throttled), [](CudaDevice& device) {
    device.stream().stop_meter();
    EXPECT_EQ(device.stream().read_meter(), std::nullopt);
    device.stream().start_meter(GetParam(), longest);
    device.stream().launch_spin(milliseconds(1));
    EXPECT_NEAR(device.stream().read_meter().value().mhz, 1500, 15);  // stops by itself
    EXPECT_EQ(device.stream().read_meter(), std::nullopt);
  });
}

TEST_P(CudaMeters, StandBesideTracingInTurns) {  // else records would be missing, or counts
  on_device(on_machine(throttled), [](CudaDevice& device) {
    Stream& stream = device.stream();
    for (int round = 0; round < 3; ++round) {
      EXPECT_THAT(of_a_long_kernel(stream, GetParam()), about(1500));
      stream.start_trace();
      EXPECT_EQ(machine().profiler_sessions, 0);
      stream.open_window(1);
      stream.launch_spin(microseconds(64));
      stream.close_window();
      const auto records = stream.stop_trace();
      ASSERT_EQ(records.size(), 1u);
      EXPECT_EQ(records[0].end - records[0].start, microseconds(64));
    }
  });
}

TEST(CudaSentinel, ReadsTheIdleClockWhereNothingRuns) {  // 20 us at least, since the timer's steps are coarse
  on_device(on_machine(throttled), [](CudaDevice& device) {
    EXPECT_THAT(measured(device.stream(), ClockMeter::sentinel, [] {}), about(1980));
  });
}

TEST(CudaSentinel, StartsAfterTheFlushHoweverLongThatTakes) {  // else it would be spent before the call
  on_device(on_machine(throttled), [](CudaDevice& device) {
    device.stream().launch_spin(4 * longest);
    EXPECT_THAT(of_a_long_kernel(device.stream(), ClockMeter::sentinel), about(1500));
  });
}

TEST(CudaSentinel, RunsBeforeTheCallDoes) {  // else a short call would be over before it has begun
  on_device(on_machine("host_ns=32"), [](CudaDevice& device) {
    Stream& stream = device.stream();
    const MarkTicket a = stream.mark();
    stream.start_meter(ClockMeter::sentinel, longest);
    const MarkTicket b = stream.mark();
    EXPECT_NE(stream.read_meter(), std::nullopt);
    // The first mark's 640 ns, then the 992 between the turn of the sentinel and its start (fakes/cuda_stream.cpp).
    EXPECT_GE(stream.elapsed(a, b).count(), 640 + 992 - 0.1);
  });
}

// Else the clock of the beginning would stand for all of it.
TEST(CudaSentinel, GivesNoClockWhereItEndedBeforeTheWork) {
  on_device(on_machine(throttled), [](CudaDevice& device) {
    EXPECT_EQ(measured(device.stream(), ClockMeter::sentinel, [&] { device.stream().launch_spin(2 * longest); }),
              std::nullopt);
    EXPECT_THAT(of_a_long_kernel(device.stream(), ClockMeter::sentinel), about(1500));
  });
}

TEST(CudaSentinel, MakesRoomForAKernelThatNeedsEverySm) {  // a cooperative one would wait for ever
  on_device(on_machine(std::string(throttled) + " exclusive=cooperative"), [](CudaDevice& device) {
    CudaStream& stream = device.cuda_stream();
    const CUfunction cooperative = device.kernel("cooperative");
    stream.launch(cooperative, {132}, {1024}, 0);
    stream.start_meter(ClockMeter::sentinel, longest);
    const MarkTicket a = stream.mark();
    stream.launch(cooperative, {132}, {1024}, 0);
    const MarkTicket b = stream.mark();
    stream.stop_meter();
    EXPECT_EQ(stream.read_meter(), std::nullopt);
    EXPECT_GT(stream.elapsed(a, b), 0.9 * longest);
    EXPECT_LT(stream.elapsed(a, b), 1.1 * longest);
  });
}

TEST(CudaSentinel, WithoutRoomForItTheCallGoesOn) {  // a deadlock, if only the sentinel could let the stream go
  on_device(on_machine("starve_sentinel=1"), [](CudaDevice& device) {
    EXPECT_EQ(measured(device.stream(), ClockMeter::sentinel,
                       [&] {
                         device.stream().launch_empty();
                         device.stream().synchronize();
                       }),
              std::nullopt);
  });
}

TEST(CudaSentinel, WorksWithoutTheStreamsMemoryOperations) {  // as on WSL 2
  for (const char* script : {"ignore_waits=1", "cuStreamWaitValue32=801"}) {
    on_device(on_machine(std::string(throttled) + " " + script), [](CudaDevice& device) {
      EXPECT_FALSE(can(device.info(), "hold"));
      EXPECT_EQ(device.stream().meter_problem(ClockMeter::sentinel), "");
      EXPECT_THAT(of_a_long_kernel(device.stream(), ClockMeter::sentinel), about(1500));
      EXPECT_EQ(machine().count("cuStreamWriteValue32"), 0);
    });
  }
}

TEST(CudaSentinel, NeedsLaunchesThatDoNotWait) {  // F92: it would run alone, before the call
  on_device(on_machine("blocking=1", {{"CUDA_LAUNCH_BLOCKING", "1"}}), [](CudaDevice& device) {
    EXPECT_THAT(device.stream().meter_problem(ClockMeter::sentinel), HasSubstr("CUDA_LAUNCH_BLOCKING is set"));
    EXPECT_THAT(message_of<DeviceError>([&] { device.stream().start_meter(ClockMeter::sentinel, longest); }),
                HasSubstr("cuda:0: the effective clock cannot be measured: CUDA_LAUNCH_BLOCKING"));
  });
}

TEST(CudaSentinel, IsNoWorkOfTheCall) {  // else it would stand among the call's kernels
  on_device(on_machine(""), [](CudaDevice& device) {
    Stream& stream = device.stream();
    stream.start_trace();
    stream.open_window(0);
    stream.start_meter(ClockMeter::sentinel, longest);
    stream.launch_spin(microseconds(32));
    stream.stop_meter();
    stream.close_window();
    EXPECT_NE(stream.read_meter(), std::nullopt);
    EXPECT_EQ(stream.stop_trace().size(), 1u);
  });
}

TEST(CudaSentinel, ErrorsOfTheDriverLeaveNothingBehind) {
  for (const char* call : {"cuStreamWaitEvent=999@2", "cuStreamWriteValue32=999@2", "cuEventRecord=999@66"}) {
    on_device(on_machine(std::string(throttled) + " " + call), [](CudaDevice& device) {
      int refused = 0;
      for (int i = 0; i < 4; ++i) {
        try {
          EXPECT_THAT(of_a_long_kernel(device.stream(), ClockMeter::sentinel), about(1500));
        } catch (const DeviceError& error) {
          EXPECT_THAT(error.what(), HasSubstr("cu"));
          ++refused;
        }
      }
      EXPECT_GE(refused, 1);
    });
  }
}

TEST(CudaClockOfCall, TakesTheIdlePartOfTheRangeOff) {
  // A kernel of 285,000 cycles in 178 us within 300 us at 1980 MHz otherwise: an H200, 4096^3 bf16.
  const ClockCounters::Counts counts{285'000 + 122 * 1980.0, microseconds(300)};
  EXPECT_NEAR(clock_of_call(counts, 1980, microseconds(178)), 285'000 / 178.0, 1e-9);
  EXPECT_NEAR(clock_of_call(counts, 1980, microseconds(300)), counts.cycles / 300, 1e-9);
  EXPECT_NEAR(clock_of_call(counts, 1980, microseconds(5)), counts.cycles / 300, 1e-9);  // too short for it
}

class CudaCounters : public testing::Test {
 protected:
  void SetUp() override {
    if (!counters_built) GTEST_SKIP() << "headers without the range profiler";
  }
};

/// Why there are no counters; start_meter() must refuse with the same reason, and everything else goes on.
void no_counters_because(const Variables& variables, const std::string& reason) {
  on_device(variables, [&](CudaDevice& device) {
    Stream& stream = device.stream();
    EXPECT_THAT(stream.meter_problem(ClockMeter::counters), HasSubstr(reason));
    EXPECT_EQ(stream.meter_problem(ClockMeter::counters).find('\n'), std::string::npos);
    EXPECT_THAT(message_of<DeviceError>([&] { stream.start_meter(ClockMeter::counters, longest); }), HasSubstr(reason));
    EXPECT_EQ(machine().profiler_sessions, 0);
    EXPECT_EQ(stream.meter_problem(ClockMeter::sentinel), "");
    EXPECT_NE(of_a_long_kernel(stream, ClockMeter::sentinel), std::nullopt);
    stream.start_trace();
    stream.open_window(0);
    stream.launch_empty();
    stream.close_window();
    EXPECT_EQ(stream.stop_trace().size(), 1u);
  });
}

TEST_F(CudaCounters, SayWhyTheyDoNotWorkAndWhatToDo) {
  const auto because = [](const char* script, const char* reason) { no_counters_because(on_machine(script), reason); };
  because("cuptiRangeProfilerEnable=35", "restricts the chip's counters to administrators: load nvidia with NVreg_");
  because("cuptiRangeProfilerStart=26", "another profiler uses the chip's counters");
  because("cuptiProfilerDeviceSupported=33", "virtual GPU");
  because("cuptiRangeProfilerEnable=43", "a MIG slice does not support the chip's counters");
  because("unsupported=vgpu", "this is a virtual GPU");
  because("unsupported=architecture", "older than compute capability 7.0");
  because("unsupported=confidential", "confidential computing");
  because("unsupported=wsl", "WSL 2");
  because("passes=2", "take 2 passes");
  because("no_counts=1", "counted no cycles");
  no_counters_because(on_machine("", {{"WARPCLOCK_LIBNVPERF", "/nowhere/libnvperf_host.so"}}),
                      "WARPCLOCK_LIBNVPERF names /nowhere/libnvperf_host.so");
  no_counters_because(on_machine("", {{"WARPCLOCK_LIBCUPTI", fmt::format("{}/libfake_cupti_old.so", WARPCLOCK_FAKES)}}),
                      "has no cuptiProfilerInitialize; install a newer one");
}

TEST_F(CudaCounters, NameEachCallThatFailsAndEndWhatTheyBegan) {
  for (const char* call :
       {"cuptiProfilerInitialize", "cuptiDeviceGetChipName", "cuptiProfilerHostInitialize",
        "cuptiProfilerHostConfigAddMetrics", "cuptiProfilerHostGetConfigImageSize", "cuptiProfilerHostGetConfigImage",
        "cuptiProfilerHostGetNumOfPasses", "cuptiProfilerHostEvaluateToGpuValues", "cuptiRangeProfilerEnable",
        "cuptiRangeProfilerGetCounterDataSize", "cuptiRangeProfilerCounterDataImageInitialize",
        "cuptiRangeProfilerSetConfig", "cuptiRangeProfilerStart", "cuptiRangeProfilerStop",
        "cuptiRangeProfilerPushRange", "cuptiRangeProfilerPopRange", "cuptiRangeProfilerDecodeData"}) {
    no_counters_because(on_machine(fmt::format("{}=999", call)), fmt::format("CUPTI: {}: ", call));
  }
}

TEST_F(CudaCounters, ThatFailOnceWorkTheNextTime) {
  on_device(on_machine(std::string(throttled) + " cuptiRangeProfilerPushRange=999@3 cuptiRangeProfilerStop=999@5"),
            [](CudaDevice& device) {
              int refused = 0;
              for (int i = 0; i < 6; ++i) {
                try {
                  EXPECT_THAT(of_a_long_kernel(device.stream(), ClockMeter::counters), about(1500));
                } catch (const DeviceError&) {
                  ++refused;
                }
              }
              EXPECT_EQ(refused, 2);
            });
}

TEST_F(CudaCounters, KeepOneSessionThroughASeriesAndCloseItBeforeAnythingIsTimed) {  // opening one takes 0.15 to 0.6 s
  on_device(on_machine(throttled), [](CudaDevice& device) {
    Stream& stream = device.stream();
    EXPECT_EQ(stream.meter_problem(ClockMeter::counters), "");
    EXPECT_EQ(machine().profiler_sessions, 0) << "a question leaves none open";
    const auto opened = [] { return machine().count("cuptiRangeProfilerEnable"); };
    const auto series = [&] {
      const long before = opened();
      for (int i = 0; i < 5; ++i) {
        stream.evict(Evict::clean, Bytes{1} << 20);
        EXPECT_THAT(of_a_long_kernel(stream, ClockMeter::counters), about(1500));
        EXPECT_THAT(of_a_long_kernel(stream, ClockMeter::sentinel), about(1500));
      }
      EXPECT_EQ(opened(), before + 1);
      EXPECT_EQ(machine().profiler_sessions, 1);
    };
    series();
    stream.hold(milliseconds(5'000));
    EXPECT_TRUE(stream.release());
    EXPECT_EQ(machine().profiler_sessions, 0);
    series();
    (void)stream.mark();
    EXPECT_EQ(machine().profiler_sessions, 0);
    series();
    stream.start_trace();
    EXPECT_EQ(machine().profiler_sessions, 0);
    EXPECT_THAT(message_of<DeviceError>([&] { stream.start_meter(ClockMeter::counters, longest); }),
                HasSubstr("while a trace runs"));
    (void)stream.stop_trace();
    series();
  });
}

TEST(CudaCountersMissing, AreAReasonWhereTheHeadersWereTooOld) {
  if (counters_built) GTEST_SKIP() << "built with newer ones";
  on_device(on_machine(""), [](CudaDevice& device) {
    EXPECT_THAT(device.stream().meter_problem(ClockMeter::counters), HasSubstr("CUDA 12.6 or newer"));
  });
}

}  // namespace
}  // namespace warpclock::cuda
