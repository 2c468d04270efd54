// What stands between warpclock and a GPU before anything can be measured: each case must say what it is.
#include <gmock/gmock.h>

#include "core/errors.hpp"
#include "fixture.hpp"

namespace warpclock::cuda {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

std::string why_no_gpu() {
  return message_of<DeviceError>([] { (void)device_ids(); });
}

TEST(CudaDriver, MissingLibraryIsSaidWithTheVariableThatNamesOne) {
  in_child(on_machine("", {{"WARPCLOCK_LIBCUDA", "/nowhere/libcuda.so.1"}}), [] {
    EXPECT_THAT(why_no_gpu(), AllOf(HasSubstr("CUDA driver"), HasSubstr("WARPCLOCK_LIBCUDA"), HasSubstr("/nowhere/")));
  });
}

TEST(CudaDriver, TooOldIsSaidWithBothVersions) {
  in_child(on_machine("driver=11080"), [] {
    EXPECT_THAT(why_no_gpu(), AllOf(HasSubstr("supports CUDA 11.8"), HasSubstr("CUDA 12.0"), HasSubstr("update")));
  });
}

TEST(CudaDriver, OldestOneThatIsClaimedWorks) {
  in_child(on_machine("driver=12000"), [] { EXPECT_THAT(device_ids(), ElementsAre("cuda:0")); });
}

TEST(CudaDriver, FunctionThatItLacksIsNamed) {
  in_child(on_machine("lacks=cuStreamWaitValue32"), [] {
    EXPECT_THAT(why_no_gpu(), AllOf(HasSubstr("has no cuStreamWaitValue32"), HasSubstr("update the driver")));
  });
}

TEST(CudaDriver, MachineWithoutAGpuIsSaid) {
  in_child(on_machine("gpus=0"),
           [] { EXPECT_THAT(why_no_gpu(), AllOf(HasSubstr("no GPU is visible"), HasSubstr("CUDA_VISIBLE_DEVICES"))); });
}

TEST(CudaDriver, FailureIsNotRememberedButSuccessIs) {  // a GPU that was reset meanwhile can be used
  in_child(on_machine("cuInit=3@1"), [] {
    EXPECT_THAT(why_no_gpu(), HasSubstr("cuInit"));
    EXPECT_THAT(device_ids(), ElementsAre("cuda:0"));
    EXPECT_THAT(device_ids(), ElementsAre("cuda:0"));
    EXPECT_EQ(machine().count("cuInit"), 2);
  });
}

TEST(CudaDriver, ExclusiveModeAndLibraryMismatchCarryAdvice) {
  in_child(on_machine("cuDevicePrimaryCtxRetain=46"), [] {  // CUDA_ERROR_DEVICE_UNAVAILABLE
    EXPECT_THAT(message_of<DeviceError>([] { (void)open_device("cuda:0"); }),
                AllOf(HasSubstr("cuda:0: cuDevicePrimaryCtxRetain"), HasSubstr("another process holds the device")));
  });
  in_child(on_machine("cuInit=803"), [] {  // CUDA_ERROR_SYSTEM_DRIVER_MISMATCH
    EXPECT_THAT(why_no_gpu(), HasSubstr("does not belong to the loaded kernel module"));
  });
  in_child(on_machine("cuInit=802"), [] { EXPECT_THAT(why_no_gpu(), HasSubstr("fabric manager")); });
  in_child(on_machine("cuDevicePrimaryCtxRetain=805"), [] {  // CUDA_ERROR_MPS_CONNECTION_FAILED
    EXPECT_THAT(message_of<DeviceError>([] { (void)open_device("cuda:0"); }), HasSubstr("MPS refused"));
  });
}

TEST(CudaDriver, NamesThatAreNoGpuAreRefusedAndNumbersBeyondTheLastSaySo) {
  in_child(on_machine("gpus=2"), [] {
    for (const char* id : {"cuda:", "cuda:-1", "cuda:1x", "cuda0", "gpu", "cuda:99999999999"}) {
      EXPECT_THAT(message_of<UsageError>([&] { (void)open_device(id); }), HasSubstr("named cuda or cuda:N")) << id;
    }
    EXPECT_THAT(message_of<UsageError>([] { (void)open_device("cuda:2"); }), HasSubstr("there are 2 GPUs here"));
  });
}

TEST(CudaDriver, VisibleDevicesAreCountedAsTheVariableOrdersThem) {
  const std::string second = fake::Machine("gpus=2").gpus().at(1).uuid_text();
  for (const std::string& visible : {std::string("1"), second, std::string("1,7,0")}) {
    in_child(on_machine("gpus=2", {{"CUDA_VISIBLE_DEVICES", visible}}), [&] {
      EXPECT_THAT(device_ids(), ElementsAre("cuda:0")) << visible;
      EXPECT_EQ(open_device("cuda:0")->info().identity, second) << visible;
    });
  }
}

}  // namespace
}  // namespace warpclock::cuda
