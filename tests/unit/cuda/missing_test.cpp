// A build without CUDA still answers, and says what it lacked.
#include <gmock/gmock.h>

#include "backends/cuda/backend.hpp"
#include "core/errors.hpp"

namespace warpclock::cuda {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(CudaMissing, SaysOnceWhatTheBuildLacked) {
  EXPECT_THAT(missing_at_build_time(), HasSubstr("was built without CUDA (no "));
  EXPECT_THAT([] { (void)device_ids(); }, ThrowsMessage<DeviceError>(HasSubstr(missing_at_build_time())));
  EXPECT_THAT([] { (void)open_device("cuda:0"); }, ThrowsMessage<DeviceError>(HasSubstr(missing_at_build_time())));
}

}  // namespace
}  // namespace warpclock::cuda
