// Which pairs may be compared (field case F112: two profilers, 11.15 and 7.0 us for one kernel, since one clears the
// caches). Each rule with a case that it fires on and, in the plain case, one that it does not.
#include "crosscheck/compare.hpp"

#include <gmock/gmock.h>

namespace warpclock {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

const NcuSettings article{.clock_control = "none", .cache_control = "all", .graph_profiling = "node"};

Summary summary(double value, double half_width = 0) {
  return {
      .median = {.value = value, .low = value - half_width, .high = value + half_width, .level = 0.95, .samples = 20}};
}

/// A cold kernel of 100 us at 1800 MHz that reads 10 MB and writes 1 MB.
Result ours() {
  Result result{.benchmark = "gemm", .kernel_time_ns = summary(100'000), .call_offset_ns = 2'500};
  result.busy_ns = result.kernel_time_ns;
  result.effective_clock = {.mhz = Estimate{.value = 1800}, .source = "sentinel"};
  result.work = {.flops = 1e9, .bytes_read = 10e6, .bytes_written = 1e6, .compute_type = "bf16"};
  result.sol = Sol{.percent = 50, .bound = "compute"};
  result.conditions = {.cache = "cold-clean", .cover = "hold"};
  result.kernels = {{.name = "_Z4gemmPf", .kind = "kernel", .per_call = 1}};
  return result;
}

/// The same by ncu: 2 us more, as many cycles.
NcuPoint ncu(double ns = 102'000, double cycles = 183'000, double spread = 400) {
  std::vector<NcuKernel> launches;
  for (const double off : {-0.5, 0.0, 0.5}) {
    launches.push_back({.name = "gemm(float *)",
                        .time_ns = ns + off * spread,
                        .cycles = cycles,
                        .clock_mhz = 1800,
                        .dram_read_bytes = 10.1e6,
                        .dram_written_bytes = 0.2e6});
  }
  return into_calls(launches, 3);
}

std::vector<std::string> ids(const Comparison& c) {
  std::vector<std::string> out;
  for (const auto& caveat : c.caveats) out.push_back(caveat.id);
  return out;
}

Comparison plain(const Result& result, const NcuPoint& point = ncu(), const NcuSettings& settings = article) {
  return compare(result, point, "", settings);
}

TEST(Crosscheck, ThePlainCaseAgreesInAllThree) {
  const auto c = plain(ours());
  EXPECT_THAT(ids(c), IsEmpty());
  EXPECT_EQ(c.time_difference_ns, 2'000);
  EXPECT_EQ(c.ours->cycles, 180'000);  // 100 us at 1800 MHz
  EXPECT_EQ(c.cycle_difference, 3'000);
  EXPECT_DOUBLE_EQ(*c.read_ratio, 1.01);
  EXPECT_DOUBLE_EQ(*c.written_ratio, 0.2);
  EXPECT_EQ(c.time, Verdict::agree);
  EXPECT_EQ(c.cycles, Verdict::agree);
  EXPECT_EQ(c.dram, Verdict::agree);
}

/// ncu is up to 3 us longer by its stamps, and 2 % are allowed: 5 us here. Below it may be 0.8 us longer at least.
TEST(Crosscheck, TheLimitsOfAgreementInTime) {
  EXPECT_EQ(plain(ours(), ncu(104'900)).time, Verdict::agree);
  EXPECT_EQ(plain(ours(), ncu(105'100)).time, Verdict::differ);
  EXPECT_EQ(plain(ours(), ncu(98'900)).time, Verdict::agree);
  EXPECT_EQ(plain(ours(), ncu(98'700)).time, Verdict::differ);
}

TEST(Crosscheck, TheLimitsOfAgreementInCycles) {
  EXPECT_EQ(plain(ours(), ncu(102'000, 188'900)).cycles, Verdict::agree);  // 3 us at 1800 MHz are 5400, and 2 % 3600
  EXPECT_EQ(plain(ours(), ncu(102'000, 189'100)).cycles, Verdict::differ);
  EXPECT_EQ(plain(ours(), ncu(102'000, 176'500)).cycles, Verdict::agree);
  EXPECT_EQ(plain(ours(), ncu(102'000, 176'300)).cycles, Verdict::differ);
}

/// Our own interval counts too: what it leaves open is no disagreement.
TEST(Crosscheck, AWideIntervalOfOursWidensTheLimits) {
  auto result = ours();
  result.kernel_time_ns = summary(100'000, 5'000);
  EXPECT_EQ(plain(result, ncu(107'000)).time, Verdict::agree);
}

TEST(Crosscheck, NcuThatDiffersMoreFromItselfThanFromUs) {
  const auto c = plain(ours(), ncu(102'000, 183'000, 2'400));
  EXPECT_THAT(ids(c), ElementsAre("ncu-spread"));
  EXPECT_THAT(c.caveats.front().message, HasSubstr("2.40 us"));
  EXPECT_EQ(c.time, Verdict::within_spread);
}

TEST(Crosscheck, WarmAgainstClearedCachesIsNoPair) {  // F112
  for (const char* cache : {"warm", "cold-dirty", "rotated"}) {
    auto result = ours();
    result.conditions.cache = cache;
    const auto c = plain(result);
    EXPECT_THAT(ids(c), ElementsAre("cache-state"));
    EXPECT_EQ(c.time, Verdict::not_comparable);
    EXPECT_EQ(c.cycles, Verdict::not_comparable);
    EXPECT_EQ(c.dram, Verdict::agree);  // what ncu saw of a cold call is still a check of the counts
  }
}

TEST(Crosscheck, WarmAgainstWarmIsOneAndProvesNoColdStart) {  // F112
  auto result = ours();
  result.conditions.cache = "warm";
  auto settings = article;
  settings.cache_control = "none";
  auto c = plain(result, ncu(), settings);
  EXPECT_THAT(ids(c), ElementsAre("dram-warm"));
  EXPECT_EQ(c.time, Verdict::agree);
  EXPECT_EQ(c.dram, Verdict::not_comparable);
  c = plain(ours(), ncu(), settings);
  EXPECT_THAT(ids(c), ElementsAre("cache-state", "dram-warm"));
  EXPECT_EQ(c.time, Verdict::not_comparable);
}

TEST(Crosscheck, AnotherClockControlLeavesCyclesOfWhatIsComputeBound) {
  auto settings = article;
  settings.clock_control = "base";
  auto result = ours();
  auto c = plain(result, ncu(130'000), settings);
  EXPECT_THAT(ids(c), ElementsAre("clock-control"));
  EXPECT_EQ(c.time, Verdict::not_comparable);
  EXPECT_EQ(c.cycles, Verdict::agree);
  result.sol->bound = "memory";
  c = plain(result, ncu(130'000), settings);
  EXPECT_EQ(c.time, Verdict::not_comparable);
  EXPECT_EQ(c.cycles, Verdict::not_comparable);
}

TEST(Crosscheck, ALockOfOursIsAnotherClockToo) {
  auto result = ours();
  result.conditions.locked_clock_mhz = 1200;
  const auto c = plain(result);
  EXPECT_THAT(ids(c), ElementsAre("locked-clock"));
  EXPECT_THAT(c.caveats.front().message, HasSubstr("1200 MHz"));
  EXPECT_EQ(c.time, Verdict::not_comparable);
  EXPECT_EQ(c.cycles, Verdict::agree);
}

TEST(Crosscheck, SustainedAgainstSingleCallsIsNoPairInTime) {
  auto result = ours();
  result.conditions.regime = "sustained";
  const auto c = plain(result);
  EXPECT_THAT(ids(c), ElementsAre("regime"));
  EXPECT_EQ(c.time, Verdict::not_comparable);
  EXPECT_EQ(c.cycles, Verdict::agree);
}

/// The hand calculation: what limits the kernel says which of time and cycles stays when the clocks differ.
TEST(Crosscheck, ClocksThatDifferLeaveOneOfTheTwoPairs) {
  auto result = ours();
  result.effective_clock.mhz->value = 1950;
  auto c = plain(result);
  EXPECT_THAT(ids(c), ElementsAre("clocks-compute-bound"));
  EXPECT_THAT(c.caveats.front().message, HasSubstr("1950 MHz in ours and at 1800 MHz in ncu"));
  EXPECT_EQ(c.time, Verdict::not_comparable);
  EXPECT_NE(c.cycles, Verdict::not_comparable);
  result.sol->bound = "memory";
  c = plain(result);
  EXPECT_THAT(ids(c), ElementsAre("clocks-memory-bound"));
  EXPECT_EQ(c.time, Verdict::agree);
  EXPECT_EQ(c.cycles, Verdict::not_comparable);
  result.sol.reset();
  c = plain(result);
  EXPECT_THAT(ids(c), ElementsAre("clocks"));
  EXPECT_NE(c.time, Verdict::not_comparable);
  EXPECT_NE(c.cycles, Verdict::not_comparable);
}

/// Seen on an H200: ncu calls 1980 MHz 1923 for an empty kernel of 1.4 us, since its stamps lie further apart than its
/// counters count. That is no other clock: up to 3 us of its 102 us may be missing here, 1855 MHz, and 2 % more.
TEST(Crosscheck, TheStampsExplainAPartOfNcusClock) {
  auto result = ours();
  for (const auto& [mhz, differs] : {std::pair(1890.0, false), {1893.0, true}, {1766.0, false}, {1762.0, true}}) {
    result.effective_clock.mhz->value = mhz;
    EXPECT_EQ(ids(plain(result)) == std::vector<std::string>{"clocks-compute-bound"}, differs) << mhz;
  }
  result.effective_clock.mhz->value = 1980;
  result.kernel_time_ns = summary(640);
  EXPECT_THAT(ids(plain(result, ncu(1'400, 2'700, 0))), IsEmpty());
}

TEST(Crosscheck, WithoutAnEffectiveClockTheProbeStandsInAndDecidesNothing) {
  auto result = ours();
  result.effective_clock = {};
  result.samples = {{.clock_mhz = 1980}, {.clock_mhz = 1978}, {.clock_mhz = 1981}};
  const auto c = plain(result);
  EXPECT_EQ(c.ours->clock_source, "probe");
  EXPECT_EQ(c.ours->clock_mhz, 1980);
  EXPECT_THAT(ids(c), ElementsAre("probe-clock"));
  EXPECT_EQ(c.time, Verdict::agree);
  EXPECT_EQ(c.cycles, Verdict::not_comparable);
}

TEST(Crosscheck, WithoutAnyClockThereAreNoCycles) {
  auto result = ours();
  result.effective_clock = {};
  const auto c = plain(result);
  EXPECT_FALSE(c.ours->cycles);
  EXPECT_EQ(c.cycles, Verdict::missing);
  EXPECT_EQ(c.time, Verdict::agree);
}

NcuPoint two_kernels() {
  const NcuKernel one{.name = "gemm", .time_ns = 51'000, .cycles = 91'000, .clock_mhz = 1800, .dram_read_bytes = 5e6};
  return into_calls({one, one, one, one}, 2);
}

TEST(Crosscheck, SeveralKernelsOfACallFindClearedCachesInNcuAlone) {
  auto result = ours();
  result.kernels.front().per_call = 2;
  auto c = plain(result, two_kernels());
  EXPECT_THAT(ids(c), ElementsAre("cache-within-call"));
  EXPECT_EQ(c.time, Verdict::not_comparable);
  EXPECT_EQ(c.expected_ns->first, 2 * least_stamp_difference_ns);  // the stamps of each of them
  result.conditions.cache = "warm";
  auto settings = article;
  settings.cache_control = "none";
  EXPECT_EQ(plain(result, two_kernels(), settings).time, Verdict::agree);
}

TEST(Crosscheck, KernelsThatOverlapAreSerialisedByNcu) {
  auto result = ours();
  result.kernels.front().per_call = 2;
  result.busy_ns = summary(97'000);
  const auto c = plain(result, two_kernels());
  EXPECT_THAT(ids(c), testing::Contains("overlap"));
  result.busy_ns = summary(99'000);  // within what the stamps make of it
  EXPECT_THAT(ids(plain(result, two_kernels())), Not(testing::Contains("overlap")));
}

/// Seen on an H200: cuBLAS clears a workspace before its matmul, 4 us that ncu does not know of.
TEST(Crosscheck, CopiesAndFillsStayOutOfWhatIsCompared) {
  auto result = ours();
  result.kernel_time_ns = summary(104'000);
  result.kernels.front().time_ns = summary(100'000, 300).median;
  result.kernels.push_back({.name = "fill", .kind = "fill", .per_call = 1, .time_ns = summary(4'000).median});
  const auto c = plain(result);
  EXPECT_THAT(ids(c), ElementsAre("copies"));
  EXPECT_THAT(c.caveats.front().message, HasSubstr("4.00 us"));
  EXPECT_EQ(c.ours->what, OurTime::kernels_only);
  EXPECT_EQ(c.time_difference_ns, 2'000);
  EXPECT_EQ(c.ours->time_ns.high, 100'300);
  EXPECT_EQ(c.ours->cycles, 180'000);
  EXPECT_EQ(c.time, Verdict::agree);
}

TEST(Crosscheck, AnotherNumberOfKernelsIsAnotherThing) {
  auto result = ours();
  result.kernels.front().per_call = 20;  // a CUDA graph of 20, of which ncu saw one
  const auto c = plain(result);
  EXPECT_THAT(ids(c), ElementsAre("launches"));
  EXPECT_THAT(c.caveats.front().message, HasSubstr("CUDA graph"));
  EXPECT_EQ(c.time, Verdict::not_comparable);
}

TEST(Crosscheck, AGraphProfiledAsOneIsNoSumOfKernels) {
  auto settings = article;
  settings.graph_profiling = "graph";
  EXPECT_THAT(ids(plain(ours(), ncu(), settings)), ElementsAre("graph"));
}

TEST(Crosscheck, AnotherKernelIsAnotherThing) {
  const auto named = [](const std::string& our_name, const std::string& ncu_name) {
    auto result = ours();
    result.kernels.front().name = our_name;
    auto point = ncu();
    point.kernels.front() = ncu_name;
    return ids(plain(result, point));
  };
  EXPECT_THAT(named("_ZN7cutlass7Kernel2I4gemmEEvT_", "void cutlass::Kernel2<gemm>(T1::Params)"), IsEmpty());
  EXPECT_THAT(named("nvjet_tst_64x8", "nvjet_tst_64x8"), IsEmpty());
  EXPECT_THAT(named("spin", "warpclock_spin"), IsEmpty());
  EXPECT_THAT(named("nvjet_tst_64x8", "nvjet_tst_128x8"), ElementsAre("other-kernel"));
}

TEST(Crosscheck, AMeanOverABatchIsNoSingleCall) {
  auto result = ours();
  result.conditions.batch = 10;
  const auto c = plain(result);
  EXPECT_THAT(ids(c), ElementsAre("batch"));
  EXPECT_EQ(c.time, Verdict::not_comparable);
}

/// A raw call time holds 2.5 us that ncu does not see: the difference is shown raw, and the limits move by it.
TEST(Crosscheck, ACallTimeMovesWhatIsExpectedByItsOffset) {
  auto result = ours();
  result.kernel_time_ns.reset();
  result.busy_ns.reset();
  result.kernels.clear();
  result.call_time_ns = summary(102'500);
  auto c = plain(result, ncu(102'000));
  EXPECT_THAT(ids(c), ElementsAre("call-time"));
  EXPECT_EQ(c.time_difference_ns, -500);
  EXPECT_EQ(c.expected_ns->first, least_stamp_difference_ns - 2'500);
  EXPECT_EQ(c.time, Verdict::agree);
  result.call_offset_ns.reset();
  c = plain(result, ncu(102'000));
  EXPECT_EQ(c.time, Verdict::not_comparable);
}

TEST(Crosscheck, FewerBytesThanDeclaredMeanACacheThatWasNotCold) {
  auto point = ncu();
  point.dram_read_bytes->value = 6e6;
  const auto c = plain(ours(), point);
  EXPECT_THAT(ids(c), ElementsAre("fewer-bytes"));
  EXPECT_THAT(c.caveats.front().message, HasSubstr("60 %"));
  EXPECT_EQ(c.dram, Verdict::differ);
  EXPECT_EQ(c.time, Verdict::agree);
}

/// Declared bytes are the least: a matmul that reads its operands twice does not contradict them, but it is said.
TEST(Crosscheck, MoreBytesThanDeclaredAreSaid) {
  auto point = ncu();
  point.dram_read_bytes->value = 36e6;
  const auto c = plain(ours(), point);
  EXPECT_THAT(ids(c), ElementsAre("more-bytes"));
  EXPECT_THAT(c.caveats.front().message, HasSubstr("reads 3.60"));
  EXPECT_EQ(c.dram, Verdict::agree);
}

TEST(Crosscheck, TooFewBytesDecideNothing) {  // 3 KB of instructions would be 75 % of 4 KB
  auto result = ours();
  result.work.bytes_read = 4096;
  const auto c = plain(result);
  EXPECT_FALSE(c.read_ratio);
  EXPECT_EQ(c.dram, Verdict::missing);
}

TEST(Crosscheck, OneSideAloneIsKeptAndDecidesNothing) {
  const auto without = compare(ours(), std::nullopt, "ncu is not there", article);
  EXPECT_TRUE(without.ours);
  EXPECT_EQ(without.ncu_missing, "ncu is not there");
  EXPECT_EQ(without.time, Verdict::missing);
  const auto skipped =
      compare({.benchmark = "gemm", .status = Status::skipped, .error = "too large"}, std::nullopt, "not run", article);
  EXPECT_FALSE(skipped.ours);
  EXPECT_EQ(skipped.error, "too large");
}

}  // namespace
}  // namespace warpclock
