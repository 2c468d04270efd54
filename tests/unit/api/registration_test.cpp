// From WARPCLOCK_BENCH to points: what a program's author gets wrong is told when it starts, with the line.
#include "core/errors.hpp"
#include "plan/sweep.hpp"
#include "support.hpp"

namespace warpclock {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

void plain(Case& c) {
  c.measure([](Launch&) {});
}

template <class T>
void typed(Case& c) {
  const auto x = c.output<T>(c.axis<std::int64_t>("n"));
  c.counter("size", sizeof(T));
  c.expect_each(x, exact(), [](const HostView&, std::int64_t) { return 3.0; });
  c.measure([=](Launch& l) { std::fill_n(l[x], 4, T(3.F)); });
}

WARPCLOCK_BENCH(plain).name("registered").summary("does nothing").axis("n", {1, 2}).axis("mode", {"a", "b"});
WARPCLOCK_BENCH_TYPES(typed, float, half_t, std::int8_t).axis("n", {4});

const Registration::Declared& find(const std::string& name) {
  return *std::ranges::find(declared(), name, &Registration::Declared::name);
}

std::string refusal(const std::deque<Registration::Declared>& all, const std::vector<std::string>& taken = {}) {
  try {
    static_cast<void>(benchmarks_of(all, taken));
  } catch (const UsageError& error) {
    return error.what();
  }
  return "nothing was refused";
}

/// A declaration made as a program makes it, taken out of the program's list again.
template <class Make>
std::deque<Registration::Declared> made(Make make) {
  const auto before = declared().size();
  make();
  std::deque<Registration::Declared> out(declared().begin() + static_cast<std::ptrdiff_t>(before), declared().end());
  declared().resize(before);
  return out;
}

Registration add(const char* name) { return detail::declare(name, plain, "src/mine.cpp", 7, false); }

TEST(Registration, KeepsNameLineAxesAndBackend) {
  const auto& one = find("registered");
  EXPECT_EQ(one.summary, "does nothing");
  EXPECT_EQ(one.file, "registration_test.cpp");
  EXPECT_GT(one.line, 20U);
  EXPECT_THAT(one.backends, ElementsAre("cpu"));  // not compiled by nvcc
  ASSERT_EQ(one.axes.size(), 2U);
  EXPECT_FALSE(one.axes[0].is_text());
  EXPECT_THAT(one.axes[1].choices, ElementsAre("a", "b"));
}

TEST(Registration, ATypeAxisRunsTheFunctionOfThatType) {
  const auto& one = find("typed");
  EXPECT_THAT(one.axes.front().choices, ElementsAre("fp32", "fp16", "int8"));
  double size = 0;
  for (const auto& [type, bytes] : {std::pair{"fp32", 4.0}, std::pair{"fp16", 2.0}, std::pair{"int8", 1.0}}) {
    const auto result = run_declared(one, {{{"T", std::string(type)}, {"n", std::int64_t{4}}}});
    EXPECT_EQ(result.check.state, Check::State::passed) << type << ": " << result.error << result.check.detail;
    size = result.work.counters.empty() ? 0 : result.work.counters.front().value;
    EXPECT_EQ(size, bytes);
  }
}

TEST(Registration, PowersAndRanges) {
  EXPECT_THAT(pow2(3, 5), ElementsAre(8, 16, 32));
  EXPECT_THAT(pow2(0, 4, 2), ElementsAre(1, 4, 16));
  EXPECT_THAT(pow2(60, 70).back(), std::int64_t{1} << 62);
  EXPECT_THAT(range(1, 8, 3), ElementsAre(1, 4, 7));
  EXPECT_THAT(range(std::numeric_limits<std::int64_t>::max() - 1, std::numeric_limits<std::int64_t>::max()).size(), 2U);
  EXPECT_TRUE(range(5, 1).empty());
}

TEST(Registration, MistakesAreToldWithTheLine) {
  EXPECT_THAT(refusal(made([] {
                add("twice");
                add("twice");
              })),
              AllOf(HasSubstr("twice (mine.cpp:7): "), HasSubstr("same name")));
  EXPECT_THAT(refusal(made([] { add("gemm"); }), {"gemm"}), HasSubstr("gemm (mine.cpp:7): a built-in benchmark"));
  EXPECT_THAT(refusal(made([] { add("a").axis("n", pow2(5, 4)); })), HasSubstr("axis 'n' has no values"));
  EXPECT_THAT(refusal(made([] { add("a").axis("n", {1}).axis("n", {2}); })), HasSubstr("axis 'n' is declared twice"));
  EXPECT_THAT(refusal(made([] { add("a").axis("n=", {1}); })), HasSubstr("no name for an axis"));
  EXPECT_THAT(refusal(made([] { add("a").on({"gpu"}); })), HasSubstr("no backend 'gpu'"));
  EXPECT_THAT(refusal(made([] { add("a").zip({"M", "N"}, {{1, 2}, {3}}); })), HasSubstr("one of their tuples has 1"));
  EXPECT_THAT(refusal(made([] { add("a").zip({"M", "N"}, {}); })), HasSubstr("have no values"));
  EXPECT_THAT(refusal(made([] { add(""); })), HasSubstr("needs a name"));
}

std::vector<std::string> labels(const std::deque<Registration::Declared>& all, const std::vector<AxisOverride>& axes) {
  const auto benchmark = benchmarks_of(all, {}).front();
  std::vector<std::string> out;
  for (const auto& item :
       sweep({{benchmark.name, benchmark.axes("cpu"), benchmark.wanted}}, {.axes = axes, .filter = ""})) {
    out.push_back(to_string(item.point));
  }
  return out;
}

TEST(Registration, ZippedAxesGoTogetherAndFiltersLeavePointsOut) {
  const auto all = made([] {
    add("a").zip({"M", "N"}, {{1, 10}, {2, 10}}).axis("k", {3, 4}).filter([](const PointView& p) {
      return p.number("M") != 2 || p.number("k") != 4;
    });
  });
  EXPECT_THAT(labels(all, {}), ElementsAre("M=1 N=10 k=3", "M=1 N=10 k=4", "M=2 N=10 k=3"));
  EXPECT_THAT(labels(all, {{"M", "5,6"}, {"N", "7,7"}, {"k", "4"}}), ElementsAre("M=5 N=7 k=4", "M=6 N=7 k=4"));
  EXPECT_THROW(labels(all, {{"M", "5"}}), UsageError);
  EXPECT_THROW(labels(all, {{"M", "2,2"}, {"k", "4"}}), UsageError);  // nothing is left
}

TEST(Registration, AFilterThatAsksForAnUnknownAxisNamesTheBenchmark) {
  const auto all = made([] { add("a").axis("n", {1}).filter([](const PointView& p) { return p.number("m") > 0; }); });
  try {
    static_cast<void>(labels(all, {}));
    FAIL() << "nothing was refused";
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("a (mine.cpp:7): its filter: "));
  }
}

}  // namespace
}  // namespace warpclock
