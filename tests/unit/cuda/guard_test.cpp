// Whatever context the caller has current, everything goes to the device that was opened (F84).
#include <gmock/gmock.h>

#include <thread>

#include "fixture.hpp"

namespace warpclock::cuda {
namespace {

/// Everything that Device and Stream offer. The stand-in refuses an object of another context than the current one.
void use_everything(Device& device) {
  Stream& stream = device.stream();
  const auto a = device.allocate(4096), b = device.allocate(4096);
  std::vector<std::byte> bytes(4096);
  (void)device.memory();
  (void)device.info();
  stream.upload(*a, bytes);
  stream.fill(*a, 1);
  stream.copy(*b, *a);
  stream.evict(Evict::clean, 1 << 20);
  stream.evict(Evict::dirty, 2 << 20);
  stream.hold(seconds(5));
  const MarkTicket first = stream.mark();
  stream.launch_empty();
  stream.launch_spin(microseconds(1));
  stream.launch_cycles(1000);
  const MarkTicket second = stream.mark();
  const ProbeTicket probe = stream.probe_clock();
  EXPECT_TRUE(stream.release());
  stream.launch_cover_matmul();
  stream.synchronize();
  EXPECT_GT(stream.elapsed(first, second), microseconds(1));
  EXPECT_NEAR(stream.clock_mhz(probe), 1980, 1);
  stream.recycle();
  for (int i = 0; i < 600; ++i) (void)stream.mark();  // more than were made in advance
  stream.synchronize();
  stream.recycle();
  stream.start_trace();
  stream.open_window(0);
  stream.launch_spin(microseconds(1));
  stream.close_window();
  EXPECT_EQ(stream.stop_trace().size(), 1u);
  stream.download(bytes, *b);
  EXPECT_EQ(bytes[0], std::byte{1});
}

TEST(CudaGuard, EveryCallWorksWithTheOtherGpusContextCurrentAndLeavesItCurrent) {
  in_child(on_machine("gpus=2"), [] {
    const Context other(0);
    const auto& driver = other.driver();
    ASSERT_EQ(driver.context_push(other.handle()), CUDA_SUCCESS);
    {
      const auto device = open_device("cuda:1");
      use_everything(*device);
      auto& stream = as_cuda(*device).cuda_stream();
      stream.launch(as_cuda(*device).kernel("user_kernel"), {1}, {32}, 0);
      stream.synchronize();
    }
    CUcontext current = nullptr;
    EXPECT_EQ(driver.context_pop(&current), CUDA_SUCCESS);
    EXPECT_EQ(current, other.handle()) << "the caller's context is no longer current";
    EXPECT_EQ(driver.context_pop(&current), CUDA_ERROR_INVALID_CONTEXT) << "something was left on the stack";
  });
}

TEST(CudaGuard, BothGpusCanBeUsedInTurnsAndFromAThreadWithoutAContext) {
  in_child(on_machine("gpus=2"), [] {
    const auto first = open_device("cuda:0"), second = open_device("cuda:1");
    EXPECT_NE(first->info().identity, second->info().identity);
    use_everything(*first);
    use_everything(*second);
    std::thread([&] { use_everything(*first); }).join();
  });
}

}  // namespace
}  // namespace warpclock::cuda
