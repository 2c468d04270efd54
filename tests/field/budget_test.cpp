// Budgets: how many samples, for how long, and why it ended.
#include "support.hpp"

namespace warpclock::field {
namespace {

double wall_s(const Json& result) { return result.at("wall_time_ns").get<double>() / 1e9; }

World noisy() {
  World world;
  world.sim.noise.sigma = 0.2;
  world.sim.oracle_noise.sigma = 0.2;
  return world;
}

// Tiny kernels took longer to time than huge ones, since the flush was in one budget and not in the other.
TEST(F17, SmallAndLargeKernelsStayWithinTheSameBudget) {
  for (const std::string ns : {"1000", "5000000"}) {
    const auto result = measure(
        {"spin", "--device", "sim", "--axis", "ns=" + ns, "--precision", "0.01%", "--max-time", "500ms"}, noisy());
    EXPECT_LT(wall_s(result), 1.5 * 0.5) << ns;
    EXPECT_GE(result.at("sample_count").get<int>(), 20) << ns;
  }
}

// GPU work costs no CPU time: a count that came from CPU time ran far too often.
TEST(F102, FiftyMillisecondsInABudgetOfOneSecondAreAboutTwentySamples) {
  const auto result = measure(
      {"spin", "--device", "sim", "--axis", "ns=50000000", "--precision", "0.01%", "--max-time", "1s"}, noisy());
  EXPECT_NEAR(result.at("sample_count").get<int>(), 20, 5);
  EXPECT_EQ(result.at("stop_reason"), "max-time");
  EXPECT_LT(wall_s(result), 1.5);
}

}  // namespace
}  // namespace warpclock::field
