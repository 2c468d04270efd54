// Flushes that did not flush, and bandwidth that was the cache's.
#include "support.hpp"

namespace warpclock::field {
namespace {

Json read_32mib(const std::string& flush) {
  return measure({"read", "--device", "sim", "--axis", "n=8Mi", "--flush-size", flush});
}

// A flush sized to one cache level left another one full: a spread of 1.64x collapsed to 2.6 %.
TEST(F16, TheDefaultFlushIsOnThePlateauAndASmallerOneIsFlagged) {
  const double plateau = us(read_32mib("4x"), "kernel_time");
  const auto by_default = measure({"read", "--device", "sim", "--axis", "n=8Mi"});
  EXPECT_NEAR(us(by_default, "kernel_time") / plateau, 1, 0.02);
  EXPECT_EQ(by_default.at("flush_bytes"), Bytes{120} << 20U);  // printed: twice the L2 of the simulated chip
  EXPECT_FALSE(found(by_default, "flush-too-small"));

  const auto small = read_32mib("0.25x");
  EXPECT_LT(us(small, "kernel_time"), 0.9 * plateau);  // the wrong number
  EXPECT_TRUE(found(small, "flush-too-small"));
}

// A few MiB on a STREAM-like test: 900 GB/s on a card of 288.
TEST(F20, ABufferThatFitsInTheCacheIsNotComparedWithTheMemory) {
  const auto warm = measure({"copy", "--device", "sim", "--axis", "n=256Ki", "--cache", "warm", "--peak", "memory=1"});
  EXPECT_TRUE(found(warm, "fits-in-cache"));
  EXPECT_TRUE(warm.at("sol").is_null());
  const auto cold = measure({"copy", "--device", "sim", "--axis", "n=64Mi", "--peak", "memory=4800"});
  ASSERT_TRUE(cold.at("sol").is_object());
  EXPECT_EQ(cold.at("sol").at("bound"), "memory");
  EXPECT_FALSE(found(cold, "fits-in-cache"));
}

}  // namespace
}  // namespace warpclock::field
