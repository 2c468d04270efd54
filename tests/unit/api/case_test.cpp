// What a case does for a benchmark: arguments, state before a call, figures beside the time.
#include <algorithm>
#include <chrono>
#include <thread>

#include "report/csv.hpp"
#include "report/json.hpp"
#include "report/text.hpp"
#include "support.hpp"

namespace warpclock {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A continuation that ran after the function had returned would use what is gone.
TEST(Case, LocalsOfTheFunctionLiveUntilTheLastCall) {
  struct Handle {
    explicit Handle(std::vector<std::string>& log) : log_(log) {}
    ~Handle() { log_.push_back("destroyed"); }
    std::vector<std::string>& log_;
  };
  std::vector<std::string> log;
  const auto result = run_function([&](Case& c) {
    const Handle handle(log);
    c.measure([&](Launch&) {
      if (handle.log_.empty()) handle.log_.push_back("called");
      EXPECT_EQ(handle.log_.back(), "called");
    });
    log.push_back("measured");
  });
  EXPECT_EQ(result.status, Status::ok) << result.error;
  EXPECT_THAT(log, ElementsAre("called", "measured", "destroyed"));
}

TEST(Case, RotationGivesEachCopyItsOwnMemoryAndValues) {
  auto protocol = quick();
  protocol.cache = CacheState::rotate;
  protocol.copies = 3;
  std::vector<const float*> addresses;
  std::vector<float> first;
  const auto result = run_function(
      [&](Case& c) {
        const auto x = c.input<float>(100, uniform());
        const auto y = c.output<float>(100);
        c.expect_each(y, exact(),
                      [=](const HostView& in, std::int64_t i) { return in[x][static_cast<std::size_t>(i)]; });
        c.measure([&, x, y](Launch& l) {
          if (std::ranges::find(addresses, l[x]) == addresses.end()) {
            addresses.push_back(l[x]);
            first.push_back(*l[x]);
          }
          std::copy_n(l[x], 100, l[y]);
        });
      },
      protocol);
  EXPECT_EQ(result.status, Status::ok) << result.error;
  EXPECT_EQ(addresses.size(), 3U);
  EXPECT_NE(first[0], first[1]);
  EXPECT_EQ(result.conditions.copies, 3U);
}

// Set-up that fell into the timed part would make a call of nothing look like one of 20 ms.
TEST(Case, SetUpBeforeEachCallIsNotTimed) {
  int set_ups = 0, calls = 0;
  const auto result = run_function([&](Case& c) {
    c.before_each([&](Launch&) {
      ++set_ups;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    });
    c.measure([&](Launch&) { ++calls; });
  });
  ASSERT_TRUE(result.kernel_time_ns && result.call_time_ns);
  EXPECT_LT(result.kernel_time_ns->median.value, 5e6);
  EXPECT_LT(result.call_time_ns->median.value, 5e6);
  EXPECT_EQ(set_ups, calls);
}

TEST(Case, MemoryOfOnesOwnIsDisclosed) {
  std::vector<float> mine(8);
  const auto result = run_function([&](Case& c) {
    const auto y = c.own(mine.data(), 8);
    c.name(y, "state");
    c.verify([&] { return mine[0] > 0 ? "" : "nothing was counted"; });
    c.measure([=](Launch& l) { ++*l[y]; });
  });
  EXPECT_EQ(result.status, Status::ok) << result.error;
  EXPECT_GT(mine[0], 12);  // nothing restored it
  EXPECT_THAT(result.conditions.own_buffers, ElementsAre("state"));
  const auto finding = std::ranges::find(result.findings, "own-buffers", &Finding::id);
  ASSERT_NE(finding, result.findings.end());
  EXPECT_THAT(finding->message, HasSubstr("state"));
}

TEST(Case, ItsOwnVerdictCounts) {
  const auto result = run_function([](Case& c) {
    c.verify([] { return "the sum is off"; });
    c.measure([](Launch&) {});
  });
  EXPECT_EQ(result.status, Status::wrong);
  EXPECT_THAT(result.error, HasSubstr("the sum is off"));
}

// F45: the distribution of the inputs belongs to the result.
TEST(Case, DistributionAndResidencyAreRecorded) {
  const auto result = run_function([](Case& c) {
    const auto w = c.input<float>(16, ones());
    const auto x = c.input<std::int32_t>(
        16, generated([](std::uint64_t, std::int64_t i) { return static_cast<double>(i); }), activation);
    const auto y = c.output<float>(16);
    c.name(x, "x");
    c.expect_each(y, exact(), [=](const HostView& in, std::int64_t i) {
      const auto at = static_cast<std::size_t>(i);
      return in[w][at] + in[x][at];
    });
    c.measure([=](Launch& l) {
      for (int i = 0; i < 16; ++i) l[y][i] = l[w][i] + static_cast<float>(l[x][i]);
    });
  });
  EXPECT_EQ(result.check.state, Check::State::passed) << result.check.detail;
  EXPECT_EQ(result.conditions.data, "ones+generated");
  EXPECT_THAT(result.conditions.just_written, ElementsAre("x"));
}

// F73: a time of 1000 items shown as the time of one, or divided twice.
TEST(Case, ItemsAndCountersStandInEveryFormatBesideTheTimePerCall) {
  auto result = run_function([](Case& c) {
    c.items(1000, "row");
    c.counter("blocks", 12);
    c.rate("keys", 5000);
    c.measure([](Launch&) { std::this_thread::sleep_for(std::chrono::microseconds(100)); });
  });
  ASSERT_NE(result.headline_summary(), nullptr);
  result.kernel_time_ns->median.value = 1e6;  // 1 ms a call, as in the case
  const std::vector<Result> results{result};
  const auto json = report::json({}, results);
  EXPECT_THAT(json, HasSubstr("\"item_ns\":1000.0"));
  EXPECT_THAT(json, HasSubstr("\"items\": 1000.0"));
  EXPECT_THAT(json, HasSubstr("\"blocks\""));
  const auto csv = report::csv({}, results);
  EXPECT_THAT(csv, HasSubstr(",items,item,item_ns,counter_blocks,counter_keys\r\n"));
  EXPECT_THAT(csv, HasSubstr(",1000,row,1000,12,5000000\r\n"));
  const auto text = report::text({}, results, {});
  EXPECT_THAT(text, HasSubstr("per row"));
  EXPECT_THAT(text, HasSubstr("blocks"));
  EXPECT_THAT(text, HasSubstr("keys/s"));
}

TEST(Case, FlopsWithoutATypeCountAtThePeakOfTheFirstFloatingArgument) {
  const auto result = run_function([](Case& c) {
    static_cast<void>(c.input<std::int32_t>(4));
    static_cast<void>(c.input<bfloat16_t>(4));
    c.work({.flops = 8});
    c.measure([](Launch&) {});
  });
  EXPECT_EQ(result.work.compute_type, "bf16");
}

TEST(Element, NarrowTypesRoundToNearestEven) {
  EXPECT_EQ(half_t(1.F).bits, 0x3c00);
  EXPECT_EQ(half_t(1.F + 0x1p-11F).bits, 0x3c00);      // a tie, to the even one
  EXPECT_EQ(half_t(1.F + 3 * 0x1p-11F).bits, 0x3c02);  // a tie, to the even one above
  EXPECT_EQ(bfloat16_t(1.F + 0x1p-8F).bits, 0x3f80);
  EXPECT_EQ(static_cast<float>(fp8_e4m3_t(1000.F)), 448.F);
  EXPECT_EQ(static_cast<float>(half_t(-2.5F)), -2.5F);
}

}  // namespace
}  // namespace warpclock
