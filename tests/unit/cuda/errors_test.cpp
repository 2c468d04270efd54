// Whose fault it is: a KernelError costs a row, a DeviceError the run.
#include "core/errors.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "fixture.hpp"

namespace warpclock::cuda {
namespace {

using testing::AllOf;
using testing::HasSubstr;

bool healthy(Device& device) {
  try {
    device.stream().launch_empty();
    device.stream().synchronize();
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

TEST(CudaErrors, CrashOfAKernelIsTheKernelsFaultAndTheContextStaysLost) {
  on_device(on_machine("kernel.bad=700"), [](CudaDevice& device) {
    device.cuda_stream().launch(device.kernel("bad"), {1}, {32}, 0);
    EXPECT_THAT(message_of<KernelError>([&] { device.stream().synchronize(); }),
                AllOf(HasSubstr("CUDA_ERROR_ILLEGAL_ADDRESS (700)"), HasSubstr("compute-sanitizer")));
    EXPECT_FALSE(healthy(device)) << "a sticky error must show again, else the next row would be blamed or measured";
    EXPECT_THROW((void)device.allocate(16), KernelError);
  });  // and everything is taken down without an exception out of a destructor
}

TEST(CudaErrors, EveryErrorThatARunningKernelCausesIsItsOwn) {
  for (const int code : {700, 702, 710, 714, 715, 716, 717, 718, 719, 721}) {
    on_device(on_machine(fmt::format("kernel.bad={}", code)), [&](CudaDevice& device) {
      device.cuda_stream().launch(device.kernel("bad"), {1}, {32}, 0);
      EXPECT_THAT(message_of<KernelError>([&] { device.stream().synchronize(); }), HasSubstr(std::to_string(code)));
    });
  }
}

TEST(CudaErrors, LostGpuIsTheDevicesFault) {  // else a fallen GPU would be reported as one bad kernel
  on_device(on_machine("kernel.warpclock_cycles=999@2"), [](CudaDevice& device) {
    device.stream().launch_cycles(100);
    EXPECT_THAT(message_of<DeviceError>([&] { device.stream().synchronize(); }),
                AllOf(HasSubstr("cuda:0: cuStreamSynchronize"), HasSubstr("(999)"), HasSubstr("dmesg")));
    EXPECT_FALSE(healthy(device));
  });
}

TEST(CudaErrors, LaunchThatTheDeviceCannotDoIsTheKernelsFaultAndNothingIsLost) {
  on_device(on_machine(""), [](CudaDevice& device) {
    EXPECT_THAT(message_of<KernelError>([&] {
                  device.cuda_stream().launch(device.kernel("wide"), {2, 3}, {4096}, 512);
                }),
                AllOf(HasSubstr("grid 2x3x1"), HasSubstr("block 4096x1x1"), HasSubstr("512 bytes of shared memory")));
    EXPECT_TRUE(healthy(device));
  });
}

TEST(CudaErrors, OwnLaunchThatFailsIsTheDevicesFault) {  // the kernel under test has no part in it
  on_device(on_machine(""), [](CudaDevice& device) {
    machine().follow("cuLaunchKernel=1");
    EXPECT_THROW(device.stream().launch_empty(), DeviceError);
    machine().follow("");
    EXPECT_TRUE(healthy(device));
  });
}

TEST(CudaErrors, MissingKernelIsNamedWithWhereItWasLookedFor) {
  on_device(on_machine(""), [](CudaDevice& device) {
    EXPECT_THAT(message_of<DeviceError>([&] { (void)device.kernel("no_such_kernel"); }),
                AllOf(HasSubstr("no_such_kernel"), HasSubstr("the program's own kernels"), HasSubstr("extern \"C\"")));
  });
}

TEST(CudaErrors, ErrorWithoutANameStillHasItsNumber) {
  on_device(on_machine(""), [](CudaDevice& device) {
    machine().follow("cuStreamSynchronize=4711");
    EXPECT_THAT(message_of<DeviceError>([&] { device.stream().synchronize(); }), HasSubstr("unknown error (4711)"));
  });
}

TEST(CudaErrors, EachCallOfOpeningADeviceMayFailAndIsNamed) {  // and nothing crashes, leaks or hangs on the way out
  for (const char* call : {"cuDeviceGet", "cuDevicePrimaryCtxRetain", "cuModuleLoadData", "cuModuleGetFunction",
                           "cuStreamCreate", "cuEventCreate", "cuMemHostAlloc", "cuMemHostGetDevicePointer",
                           "cuMemAlloc", "cuCtxPushCurrent", "cuLaunchKernel", "cuEventRecord", "cuStreamSynchronize",
                           "cuEventElapsedTime", "cuDeviceGetName", "cuDeviceGetUuid", "cuDeviceTotalMem"}) {
    in_child(on_machine(fmt::format("{}=999", call)),
             [&] { EXPECT_THAT(message_of<DeviceError>([] { (void)open_device("cuda:0"); }), HasSubstr(call)); });
  }
}

}  // namespace
}  // namespace warpclock::cuda
