// The hold, and what must lift it: a hold that is not lifted hangs, one that is not there times the host.
#include <gmock/gmock.h>

#include <chrono>

#include "core/errors.hpp"
#include "fixture.hpp"

namespace warpclock::cuda {
namespace {

using testing::HasSubstr;

constexpr Nanoseconds soon = milliseconds(60);      // of a watchdog that is meant to fire
constexpr Nanoseconds never = milliseconds(5'000);  // of one that is not

/// Time from the mark before `call` to the mark after it, in the stand-in's virtual time.
template <class Call>
Nanoseconds span(CudaStream& stream, const Call& call) {
  const MarkTicket a = stream.mark();
  call();
  const MarkTicket b = stream.mark();
  stream.synchronize();
  const Nanoseconds time = stream.elapsed(a, b);
  stream.recycle();
  return time;
}

TEST(CudaHold, HeldSamplesHoldNoHostTimeAndOthersDo) {
  on_device(on_machine("host_ns=8192"), [](CudaDevice& device) {
    CudaStream& stream = device.cuda_stream();
    const auto ten = [&] {
      for (int i = 0; i < 10; ++i) stream.launch_empty();
    };
    const Nanoseconds open = span(stream, ten);
    stream.hold(never);
    const MarkTicket a = stream.mark();
    ten();
    const MarkTicket b = stream.mark();
    EXPECT_TRUE(stream.release());
    stream.synchronize();
    // Mark 640, ten times gap 992 and kernel 992, then the mark: by hand from fakes/cuda_work.cpp.
    EXPECT_NEAR(stream.elapsed(a, b).count(), 640 + 10 * (992 + 992), 0.01);
    EXPECT_NEAR(open.count(), 11 * 8192, 1000);  // the host's eleven commands after the first mark
  });
}

TEST(CudaHold, SpinsAreExactByMarksAndByRecords) {
  on_device(on_machine(""), [](CudaDevice& device) {
    CudaStream& stream = device.cuda_stream();
    for (const double us : {0.512, 4.992, 20.0, 1000.0}) {
      EXPECT_NEAR(span(stream, [&] { stream.launch_spin(microseconds(us)); }).count(), 640 + 992 + us * 1e3, 0.1);
      stream.start_trace();
      stream.open_window(0);
      stream.launch_spin(microseconds(us));
      stream.close_window();
      const auto records = stream.stop_trace();
      ASSERT_EQ(records.size(), 1u);
      EXPECT_EQ((records[0].end - records[0].start), microseconds(us));
    }
  });
}

TEST(CudaHold, CallThatSynchronisesIsLetGoByTheWatchdog) {  // F63
  on_device(on_machine(""), [](CudaDevice& device) {
    CudaStream& stream = device.cuda_stream();
    stream.hold(soon);
    stream.launch_empty();
    stream.synchronize();
    EXPECT_FALSE(stream.release());
    stream.hold(never);  // and the next hold is a whole one
    stream.launch_empty();
    EXPECT_TRUE(stream.release());
  });
}

TEST(CudaHold, KernelThatIsLoadedBehindItIsLetGoByTheWatchdog) {  // F63: lazy loading waits for the whole device
  on_device(on_machine(""), [](CudaDevice& device) {
    CudaStream& stream = device.cuda_stream();
    const CUfunction fresh = device.kernel("never_launched_before");
    stream.hold(soon);
    stream.launch(fresh, {1}, {32}, 0);
    EXPECT_FALSE(stream.release());
    stream.hold(never);
    stream.launch(fresh, {1}, {32}, 0);
    EXPECT_TRUE(stream.release());
  });
}

TEST(CudaHold, FullQueueIsLetGoByTheWatchdogAndTheLimitThatIsPromisedFits) {
  on_device(on_machine(""), [](CudaDevice& device) {
    CudaStream& stream = device.cuda_stream();
    const std::size_t limit = device.info().queue_limit;
    stream.hold(never);
    for (std::size_t i = 0; i < limit; ++i) stream.launch_empty();
    EXPECT_TRUE(stream.release());
    stream.synchronize();
    stream.hold(soon);
    for (std::size_t i = 0; i < 2 * limit; ++i) stream.launch_empty();
    EXPECT_FALSE(stream.release());
  });
}

TEST(CudaHold, QueueLimitFollowsTheDriversSetting) {
  on_device(on_machine("", {{"CUDA_SCALE_LAUNCH_QUEUES", "0.25x"}}),
            [](CudaDevice& device) { EXPECT_EQ(device.info().queue_limit, 250u); });
}

TEST(CudaHold, DestroyedDeviceLiftsItsHold) {  // else the program would hang instead of ending
  on_device(on_machine(""), [](CudaDevice& device) {
    device.stream().hold(never);
    device.stream().launch_empty();
  });
}

/// The reason why there is no hold; hold() itself must refuse with the same reason.
void no_hold_because(const Variables& variables, const std::string& reason) {
  on_device(variables, [&](CudaDevice& device) {
    EXPECT_THAT(problem(device.info(), "hold"), HasSubstr(reason));
    EXPECT_THAT(message_of<DeviceError>([&] { device.stream().hold(soon); }), HasSubstr(reason));
    EXPECT_NEAR(span(device.cuda_stream(), [&] { device.stream().launch_spin(microseconds(5)); }).count(), 6'656,
                2'100);
  });
}

TEST(CudaHold, OffWithTheReasonWhereLaunchesBlock) {  // F92
  no_hold_because(on_machine("blocking=1", {{"CUDA_LAUNCH_BLOCKING", "1"}}), "CUDA_LAUNCH_BLOCKING is set");
  on_device(on_machine("", {{"CUDA_LAUNCH_BLOCKING", "0"}}),
            [](CudaDevice& device) { EXPECT_TRUE(can(device.info(), "hold")); });
}

TEST(CudaHold, OffWhereAnUnknownToolMakesLaunchesBlock) {  // F92: found by trying, not by the tool's name
  no_hold_because(on_machine("blocking=1"), "something makes them synchronous");
}

TEST(CudaHold, OffWhereTheDeviceDoesNotWait) {  // else every sample would hold the host's launch time unnoticed
  no_hold_because(on_machine("ignore_waits=1"), "does not wait");
  no_hold_because(on_machine("cuStreamWaitValue32=801"), "cuStreamWaitValue32");
}

}  // namespace
}  // namespace warpclock::cuda
