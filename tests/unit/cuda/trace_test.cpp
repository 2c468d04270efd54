// Tracing through CUPTI: when it is refused, that is said; when its records are broken, no time is made of them.
#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>

#include "backends/cuda/cupti.hpp"
#include "core/errors.hpp"
#include "fixture.hpp"

namespace warpclock::cuda {
namespace {

using testing::AllOf;
using testing::HasSubstr;

/// A device opened in spite of what is wrong with CUPTI; marks still work.
void no_tracing_because(const Variables& variables, const std::string& reason) {
  on_device(variables, [&](CudaDevice& device) {
    EXPECT_THAT(problem(device.info(), "tracing"), HasSubstr(reason));
    EXPECT_EQ(device.info().record_timer, "");
    const MarkTicket a = device.stream().mark();
    device.stream().launch_spin(microseconds(5));
    const MarkTicket b = device.stream().mark();
    device.stream().synchronize();
    EXPECT_GT(device.stream().elapsed(a, b), microseconds(5));
  });
}

TEST(CudaTrace, MissingCuptiCostsTracingOnly) {
  no_tracing_because(on_machine("", {{"WARPCLOCK_LIBCUPTI", "/nowhere/libcupti.so.13"}}), "/nowhere/libcupti.so.13");
}

TEST(CudaTrace, EachRefusalSaysWhatToDo) {
  no_tracing_because(on_machine("cuptiSubscribe=39"), "another tool in this process holds CUPTI");  // F91
  no_tracing_because(on_machine("cuptiActivityEnable=35"), "NVreg_RestrictProfilingToAdminUsers=0");
  no_tracing_because(on_machine("cuptiActivityEnable=35@2"), "NVreg_RestrictProfilingToAdminUsers=0");
  no_tracing_because(on_machine("cuptiSubscribe=45"), "under WSL 2 this GPU does not support tracing");
  no_tracing_because(on_machine("cuptiSubscribe=15"), "CUPTI of the driver's CUDA version");
  no_tracing_because(on_machine("cuptiActivityFlushAll=999"), "cuptiActivityFlushAll");
  no_tracing_because(on_machine("cuptiGetDeviceId=999"), "cuptiGetDeviceId");
  no_tracing_because(on_machine("record.warpclock_spin=missing record.warpclock_empty=missing "
                                "record.warpclock_window_open=missing record.warpclock_window_close=missing"),
                     "gave no records");
}

TEST(CudaTrace, WslIsToldApart) {  // F90: the advice for Linux does not help there
  in_child(on_machine("cuptiActivityEnable=35"), [] {
    const std::string file = testing::TempDir() + "/osrelease";
    const auto refusal = [&](const std::string& kernel) {
      std::ofstream(file) << kernel << '\n';
      Tracer tracer(std::make_unique<Cupti>(13000), file);
      return message_of<DeviceError>([&] { tracer.start(); });
    };
    EXPECT_THAT(refusal("5.15.153.1-microsoft-standard-WSL2"),
                AllOf(HasSubstr("under WSL 2 the Windows driver decides"), Not(HasSubstr("NVreg"))));
    EXPECT_THAT(refusal("6.8.0-45-generic"), AllOf(HasSubstr("NVreg"), Not(HasSubstr("WSL"))));
  });
}

TEST(CudaTrace, SubscriberIsGivenBackAfterUse) {  // F91: a profiler started later would see nothing
  on_device(on_machine(""), [](CudaDevice& device) {
    EXPECT_EQ(machine().cupti_sessions, 0);
    device.stream().start_trace();
    EXPECT_EQ(machine().cupti_sessions, 1);
    (void)device.stream().stop_trace();
    EXPECT_EQ(machine().cupti_sessions, 0);
    machine().follow("cuptiActivityEnable=35@3");  // a start that fails on the way
    EXPECT_THROW(device.stream().start_trace(), DeviceError);
    EXPECT_EQ(machine().cupti_sessions, 0);
    machine().follow("");
    device.stream().start_trace();  // and the next one works
    (void)device.stream().stop_trace();
  });
}

TEST(CudaTrace, ToolThatComesLaterIsNotDisturbed) {
  on_device(on_machine(""), [](CudaDevice& device) {
    machine().cupti_sessions = 1;
    EXPECT_THAT(message_of<DeviceError>([&] { device.stream().start_trace(); }), HasSubstr("another tool"));
    EXPECT_EQ(machine().cupti_sessions, 1);
  });
}

/// Records of ten windows with one spin of 4.992 us each, with a script from then on.
std::vector<Record> ten_spins(CudaDevice& device, const std::string& script) {
  machine().follow(script);
  Stream& stream = device.stream();
  stream.start_trace();
  for (std::uint32_t window = 0; window < 10; ++window) {
    stream.evict(Evict::clean, 1 << 20);
    stream.open_window(window);
    stream.launch_spin(microseconds(4.992));
    stream.close_window();
  }
  return stream.stop_trace();
}

std::size_t in_window(const std::vector<Record>& records, std::uint32_t window) {
  return static_cast<std::size_t>(
      std::count_if(records.begin(), records.end(), [&](const Record& r) { return r.window == window; }));
}

TEST(CudaTrace, EachCallHasItsOwnRecordsAndNoneOfOurs) {  // F108
  on_device(on_machine(""), [](CudaDevice& device) {
    const auto records = ten_spins(device, "");
    ASSERT_EQ(records.size(), 10u);
    for (std::uint32_t window = 0; window < 10; ++window) {
      EXPECT_EQ(records[window].window, window);
      EXPECT_EQ(records[window].name, "spin");
      EXPECT_EQ(records[window].end - records[window].start, microseconds(4.992));
    }
  });
}

TEST(CudaTrace, BrokenStampsStayVisibleAndMissingRecordsStayMissing) {  // F110: never repaired, never shifted
  on_device(on_machine(""), [](CudaDevice& device) {
    const auto zero = ten_spins(device, "record.warpclock_spin=zero@3");
    ASSERT_EQ(zero.size(), 10u);
    EXPECT_EQ(in_window(zero, 2), 1u);
    EXPECT_EQ(zero[0].window, 2u);  // in order of start
    EXPECT_EQ(zero[0].start, Nanoseconds{0});
    const auto reversed = ten_spins(device, "record.warpclock_spin=reversed@3");
    ASSERT_EQ(reversed.size(), 10u);
    EXPECT_LT(reversed[2].end, reversed[2].start);
    const auto missing = ten_spins(device, "record.warpclock_spin=missing@3");
    ASSERT_EQ(missing.size(), 9u);
    EXPECT_EQ(in_window(missing, 2), 0u);
    const auto marker = ten_spins(device, "record.warpclock_window_open=missing@3");
    EXPECT_EQ(marker.size(), 9u);
    EXPECT_EQ(in_window(marker, 2), 0u);
  });
}

TEST(CudaTrace, DroppedRecordsMakeEveryWindowSuspect) {  // F110: of which windows they were nobody knows
  on_device(on_machine(""), [](CudaDevice& device) {
    const auto records = ten_spins(device, "dropped=1");
    for (std::uint32_t window = 0; window < 10; ++window) EXPECT_EQ(in_window(records, window), 2u) << window;
    EXPECT_EQ(ten_spins(device, "").size(), 10u);  // and the next trace is whole again
  });
}

TEST(CudaTrace, ManyRecordsFillSeveralBuffers) {  // F110: record count equals launch count
  on_device(on_machine(""), [](CudaDevice& device) {
    Stream& stream = device.stream();
    stream.start_trace();
    stream.open_window(0);
    for (int i = 0; i < 50'000; ++i) stream.launch_empty();
    stream.close_window();
    EXPECT_EQ(stream.stop_trace().size(), 50'000u);
  });
}

TEST(CudaTrace, OtherStreamsAndOtherDevicesAreToldApart) {
  in_child(on_machine("gpus=2"), [] {
    const auto first = open_device("cuda:0"), second = open_device("cuda:1");
    Stream& stream = first->stream();
    stream.start_trace();
    stream.open_window(0);
    second->stream().launch_spin(microseconds(1));
    second->stream().synchronize();
    stream.launch_spin(microseconds(2));
    stream.close_window();
    const auto records = stream.stop_trace();
    ASSERT_EQ(records.size(), 1u);
    EXPECT_NEAR((records[0].end - records[0].start).count(), 2000, 32);
  });
}

TEST(CudaTrace, StepsOfMarksAndRecordsAreMeasured) {
  on_device(on_machine(""), [](CudaDevice& device) {
    EXPECT_NEAR(device.info().mark_step.count(), 32, 0.5);
    EXPECT_EQ(device.info().record_step, Nanoseconds{32});
  });
}

TEST(CudaTrace, SecondTraceAtATimeIsRefused) {
  in_child(on_machine("gpus=2"), [] {
    const auto first = open_device("cuda:0"), second = open_device("cuda:1");
    first->stream().start_trace();
    EXPECT_THAT(message_of<DeviceError>([&] { second->stream().start_trace(); }),
                HasSubstr("a trace is running already"));
    (void)first->stream().stop_trace();
  });
}

}  // namespace
}  // namespace warpclock::cuda
