// Memory that is short, and the flush that lives on it (F19, F71).
#include <gmock/gmock.h>

#include <algorithm>
#include <vector>

#include "core/errors.hpp"
#include "fixture.hpp"

namespace warpclock::cuda {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr Bytes mib = Bytes{1} << 20;

TEST(CudaMemory, ExhaustedIsSaidWithNeededAndFreeBytes) {
  on_device(on_machine("memory_mib=100"), [](CudaDevice& device) {
    const auto most = device.allocate(90 * mib);
    const Bytes free = device.memory().free;
    EXPECT_THAT(message_of<DeviceError>([&] { (void)device.allocate(20 * mib); }),
                AllOf(HasSubstr(std::to_string(20 * mib) + " bytes needed"),
                      HasSubstr(std::to_string(free) + " of " + std::to_string(100 * mib) + " bytes free")));
  });
}

TEST(CudaMemory, IsGivenBack) {  // else a sweep would run out of it
  on_device(on_machine("memory_mib=100"), [](CudaDevice& device) {
    const Bytes before = device.memory().free;
    for (int i = 0; i < 5; ++i) (void)device.allocate(80 * mib);
    EXPECT_EQ(device.memory().free, before);
  });
}

TEST(CudaMemory, ShortMemoryShrinksTheFlushAndSaysSo) {  // F71
  on_device(on_machine("memory_mib=100"), [](CudaDevice& device) {
    const auto most = device.allocate(90 * mib);
    device.stream().evict(Evict::clean, 20 * mib);
    EXPECT_THAT(problem(device.info(), "evict"),
                AllOf(HasSubstr("flushes " + std::to_string(5 * mib)), HasSubstr("instead of 20971520")));
    device.stream().evict(Evict::dirty, 20 * mib);
    device.stream().synchronize();
    EXPECT_EQ(machine().count("cuMemFree"), 0);  // one buffer, not one a sample
  });
}

TEST(CudaMemory, NoneAtAllForTheFlushIsAnError) {
  on_device(on_machine("memory_mib=100"), [](CudaDevice& device) {
    const auto all = device.allocate(device.memory().free - mib / 2);
    EXPECT_THAT(message_of<DeviceError>([&] { device.stream().evict(Evict::clean, 20 * mib); }),
                AllOf(HasSubstr("no memory to flush the cache with"), HasSubstr("cache state warm")));
  });
}

TEST(CudaMemory, FlushGrowsOnceAndKeepsItsBuffer) {  // F71: allocating for each sample delayed it by up to a second
  on_device(on_machine(""), [](CudaDevice& device) {
    device.stream().evict(Evict::clean, 8 * mib);
    const long allocations = machine().count("cuMemAlloc");
    for (int i = 0; i < 10; ++i) device.stream().evict(i % 2 == 0 ? Evict::clean : Evict::dirty, 8 * mib);
    EXPECT_EQ(machine().count("cuMemAlloc"), allocations);
    EXPECT_TRUE(can(device.info(), "evict"));
  });
}

TEST(CudaMemory, PersistingLinesAreResetBeforeTheFlushWithTheStreamIdle) {  // F19
  on_device(on_machine("persisting_l2=65536"), [](CudaDevice& device) {
    device.stream().launch_spin(microseconds(50));
    device.stream().evict(Evict::clean, 8 * mib);  // the stand-in refuses the reset while work is pending
    EXPECT_EQ(machine().count("cuCtxResetPersistingL2Cache"), 1);
    device.stream().hold(seconds(5));  // a wait for an idle stream would never end here
    device.stream().evict(Evict::clean, 8 * mib);
    EXPECT_TRUE(device.stream().release());
    EXPECT_EQ(machine().count("cuCtxResetPersistingL2Cache"), 1);
  });
  on_device(on_machine(""), [](CudaDevice& device) {
    device.stream().evict(Evict::clean, 8 * mib);
    EXPECT_EQ(machine().count("cuCtxResetPersistingL2Cache"), 0);  // it is no stream-ordered call: only where needed
  });
}

TEST(CudaMemory, BytesComeBackAsTheyWent) {
  on_device(on_machine(""), [](CudaDevice& device) {
    std::vector<std::byte> in(10'001), out(in.size());
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<std::byte>(i * 31 % 251);
    const auto a = device.allocate(in.size()), b = device.allocate(in.size()), empty = device.allocate(0);
    device.stream().upload(*a, in);
    device.stream().copy(*b, *a);
    device.stream().download(out, *b);
    EXPECT_EQ(in, out);
    device.stream().fill(*b, 7);
    device.stream().download(out, *b);
    EXPECT_EQ(std::count(out.begin(), out.end(), std::byte{7}), 10'001);
    EXPECT_THROW(device.stream().copy(*empty, *a), UsageError);
    EXPECT_THROW(device.stream().upload(*empty, in), UsageError);
    EXPECT_THROW(device.stream().download(out, *empty), UsageError);
  });
}

}  // namespace
}  // namespace warpclock::cuda
