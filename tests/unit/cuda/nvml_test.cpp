// Telemetry must be that of the GPU that is measured (F83), and its absence must cost nothing else.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "fixture.hpp"

namespace warpclock::cuda {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

// The stand-in's i-th GPU of the PCI bus draws 100 + i W.
void expect_power(const Variables& variables, const std::string& id, double watts) {
  on_device(
      variables, [&](CudaDevice& device) { EXPECT_EQ(device.telemetry().power_watts, watts) << id; }, id);
}

TEST(CudaNvml, PowerIsThatOfTheGpuThatRunsWhateverTheOrder) {  // F83: another GPU's idle clock as the peak
  for (const std::string& order : {std::string("gpus=2"), std::string("gpus=2 nvml_swapped=1")}) {
    expect_power(on_machine(order), "cuda:0", 100);
    expect_power(on_machine(order), "cuda:1", 101);
    expect_power(on_machine(order, {{"CUDA_VISIBLE_DEVICES", "1"}}), "cuda:0", 101);
    expect_power(on_machine(order, {{"CUDA_VISIBLE_DEVICES", "1,0"}}), "cuda:1", 100);
  }
}

TEST(CudaNvml, WhereItDoesNotKnowTheUuidThePciAddressDecides) {
  expect_power(on_machine("gpus=2 nvml_swapped=1 nvmlDeviceGetHandleByUUID=6"), "cuda:1", 101);
}

TEST(CudaNvml, MissingLibraryCostsTelemetryOnly) {
  on_device(on_machine("", {{"WARPCLOCK_LIBNVML", "/nowhere/libnvidia-ml.so.1"}}), [](CudaDevice& device) {
    EXPECT_THAT(problem(device.info(), "telemetry"), AllOf(HasSubstr("NVML"), HasSubstr("/nowhere/")));
    EXPECT_TRUE(can(device.info(), "hold"));
    EXPECT_TRUE(can(device.info(), "tracing"));
    EXPECT_FALSE(device.telemetry().power_watts);
  });
}

TEST(CudaNvml, EachRefusalSaysWhatToDo) {
  const auto refusal = [](const std::string& script, const std::string& advice) {
    on_device(on_machine(script),
              [&](CudaDevice& device) { EXPECT_THAT(problem(device.info(), "telemetry"), HasSubstr(advice)); });
  };
  refusal("nvmlInit_v2=4", "may not open /dev/nvidiactl");
  refusal("nvmlInit_v2=9", "load the nvidia kernel module");
  refusal("nvmlInit_v2=18", "reboot after the driver update");
}

TEST(CudaNvml, NumbersItDoesNotTellAreAbsentAndNeverZero) {  // 0 W would look like a measurement
  on_device(on_machine("nvmlDeviceGetPowerUsage=3 nvmlDeviceGetClockInfo=4"), [](CudaDevice& device) {
    EXPECT_FALSE(device.telemetry().power_watts);
    EXPECT_FALSE(device.telemetry().sm_clock_mhz);
    EXPECT_EQ(device.telemetry().temperature_celsius, 35);
    EXPECT_EQ(detail(device.info(), "power now"), "");
  });
}

TEST(CudaNvml, OtherProcessesAreNamedAndOursIsNot) {  // F94
  on_device(on_machine(""),
            [](CudaDevice& device) { EXPECT_EQ(detail(device.info(), "other processes on it"), "none"); });
  on_device(on_machine("processes=4242,4343"),
            [](CudaDevice& device) { EXPECT_EQ(detail(device.info(), "other processes on it"), "pid 4242, 4343"); });
  on_device(on_machine("processes=4242 own_pid=77777"), [](CudaDevice& device) {  // a container's other numbers
    EXPECT_EQ(detail(device.info(), "other processes on it"), "pid 4242");
  });
  on_device(on_machine("nvmlDeviceGetComputeRunningProcesses_v3=4"),
            [](CudaDevice& device) { EXPECT_EQ(detail(device.info(), "other processes on it"), "not told by NVML"); });
}

TEST(CudaNvml, MoreProcessesThanExpectedAreAllSeen) {
  std::string pids = "1000";
  for (int pid = 1001; pid < 1100; ++pid) pids += fmt::format(",{}", pid);
  on_device(on_machine("processes=" + pids), [](CudaDevice& device) {
    EXPECT_THAT(detail(device.info(), "other processes on it"), HasSubstr(", 1099"));
  });
}

TEST(CudaNvml, MigSliceIsSaidAndItsClocksAreTheChips) {  // F93
  on_device(on_machine("mig=1 sms=16 name=NVIDIA_H200_MIG_1g.18gb"), [](CudaDevice& device) {
    EXPECT_THAT(device.info().identity, StartsWith("MIG-aaaaaaaa-"));
    EXPECT_THAT(detail(device.info(), "MIG"), HasSubstr("slice"));
    EXPECT_EQ(device.info().name, "NVIDIA H200 MIG 1g.18gb");
    EXPECT_EQ(device.telemetry().sm_clock_mhz, 1980);  // asked of the slice, NVML would not tell
  });
}

TEST(CudaNvml, SliceIsNeverCalledLikeTheWholeChip) {  // F93: its peaks are found by name, off by a factor of 7
  on_device(on_machine("mig=1 sms=16"),
            [](CudaDevice& device) { EXPECT_EQ(device.info().name, "NVIDIA H200 MIG slice of 16 SMs"); });
}

TEST(CudaNvml, MpsIsSaid) {  // other processes' kernels may then run beside ours
  on_device(on_machine("mps=1"),
            [](CudaDevice& device) { EXPECT_THAT(detail(device.info(), "MPS"), StartsWith("on")); });
  on_device(on_machine(""), [](CudaDevice& device) { EXPECT_EQ(detail(device.info(), "MPS"), "off"); });
}

}  // namespace
}  // namespace warpclock::cuda
