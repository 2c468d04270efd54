// What goes wrong in a user's function costs its own row, and the row says whose fault it was and where.
#include "core/errors.hpp"

#include <stdexcept>

#include "support.hpp"

namespace warpclock {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr auto who = "mine (mine.cpp:12): ";

void expect_failure(std::function<void(Case&)> function, const std::string& what) {
  const auto result = run_function(std::move(function));
  EXPECT_EQ(result.status, Status::failed);
  EXPECT_THAT(result.error, AllOf(HasSubstr(who), HasSubstr(what)));
  EXPECT_EQ(result.error.find('\n'), std::string::npos);
}

TEST(Mistake, NeverMeasuring) {
  expect_failure([](Case&) {}, "ended without calling measure()");
}

TEST(Mistake, MeasuringTwice) {
  expect_failure(
      [](Case& c) {
        c.measure([](Launch&) {});
        c.measure([](Launch&) {});
      },
      "measure() is called twice");
}

// Otherwise the second call's result would stand as if nothing had happened.
TEST(Mistake, SwallowingTheErrorDoesNotHelp) {
  expect_failure(
      [](Case& c) {
        c.measure([](Launch&) {});
        try {
          c.measure([](Launch&) {});
        } catch (...) {
        }
      },
      "measure() is called twice");
}

TEST(Mistake, AnUnknownAxisNamesTheNearest) {
  auto declared = declaration([](Case& c) { static_cast<void>(c.axis<int>("size")); });
  declared.axes = {{.name = "sizes", .unit = "", .help = "", .defaults = {std::int64_t{1}}, .choices = {}, .zip = ""}};
  const auto result = run_declared(declared, {{{"sizes", std::int64_t{1}}}});
  EXPECT_EQ(result.status, Status::failed);
  EXPECT_THAT(result.error, AllOf(StartsWith(who), HasSubstr("no axis 'size'"), HasSubstr("sizes")));
}

TEST(Mistake, AnAxisOfTheWrongKindOrTooLarge) {
  const auto with = [](auto use, AxisValue value) {
    return run_declared(declaration([use](Case& c) { use(c); }), {{{"a", std::move(value)}}}).error;
  };
  EXPECT_THAT(with([](Case& c) { static_cast<void>(c.axis<int>("a")); }, std::string("x")), HasSubstr("holds words"));
  EXPECT_THAT(with([](Case& c) { static_cast<void>(c.axis<std::string>("a")); }, std::int64_t{1}),
              HasSubstr("holds whole numbers"));
  EXPECT_THAT(with([](Case& c) { static_cast<void>(c.axis<double>("a")); }, std::string("x")),
              HasSubstr("is no number"));
  EXPECT_THAT(with([](Case& c) { static_cast<void>(c.axis<std::int8_t>("a")); }, std::int64_t{1000}),
              HasSubstr("too large"));
}

TEST(Mistake, AnExceptionInTheSetUp) {
  expect_failure([](Case&) { throw std::runtime_error("no such file"); }, "its function threw: no such file");
}

TEST(Mistake, AnExceptionInTheCall) {
  expect_failure([](Case& c) { c.measure([](Launch&) { throw std::runtime_error("boom"); }); }, "the call threw: boom");
}

TEST(Mistake, AnExceptionInTheReferenceOrInVerify) {
  expect_failure(
      [](Case& c) {
        const auto y = c.output<float>(4);
        c.expect(y, exact(), [](const HostView&, std::span<double>) { throw std::logic_error("no reference today"); });
        c.measure([](Launch&) {});
      },
      "the reference threw: no reference today");
  expect_failure(
      [](Case& c) {
        c.verify([]() -> std::string { throw std::logic_error("cannot look"); });
        c.measure([](Launch&) {});
      },
      "verify threw: cannot look");
}

TEST(Mistake, NoElements) {
  expect_failure([](Case& c) { static_cast<void>(c.input<float>(0)); }, "argument 0 has 0 elements");
  expect_failure([](Case& c) { static_cast<void>(c.output<float>(-1)); }, "argument 0 has -1 elements");
  expect_failure([](Case& c) { static_cast<void>(c.own<float>(nullptr, 4)); }, "give an address");
}

TEST(Mistake, ExpectingSomethingOfAnArgumentThatHasNoResult) {
  const auto each = [](const HostView&, std::int64_t) { return 0.0; };
  expect_failure([&](Case& c) { c.expect_each(c.input<float>(4), exact(), each); }, "is an input");
  expect_failure([&](Case& c) { c.expect_each(c.scratch<float>(4), exact(), each); }, "is a workspace");
  expect_failure(
      [&](Case& c) {
        float mine[4] = {};
        c.expect_each(c.own(mine, 4), exact(), each);
      },
      "memory of the benchmark's own");
  expect_failure([&](Case& c) { c.expect_each(c.output<float>(4), relative(-1), each); }, "tolerance");
  expect_failure(
      [&](Case& c) {
        const auto y = c.output<float>(4);
        c.expect_each(y, exact(), each);
        c.expect_each(y, exact(), each);
      },
      "has a reference already");
}

// A handle that was kept from another point has the address of another point's memory.
TEST(Mistake, AnArgumentOfAnotherCase) {
  std::optional<Output<float>> kept;
  EXPECT_EQ(run_function([&](Case& c) {
              kept = c.output<float>(4);
              c.measure([](Launch&) {});
            }).status,
            Status::ok);
  expect_failure(
      [&](Case& c) {
        static_cast<void>(c.output<float>(4));
        c.measure([&](Launch& l) { *l[*kept] = 1; });
      },
      "argument of another case");
  expect_failure([&](Case& c) { c.name(*kept, "y"); }, "another case");
}

TEST(Mistake, AnInfiniteAmountOfWork) {
  expect_failure([](Case& c) { c.work({.flops = 1e308 * 10}); }, "work: flops is inf");
  expect_failure([](Case& c) { c.items(0); }, "0 items");
}

TEST(Row, AMissingReferenceIsToldAsSuch) {
  const auto result = run_function([](Case& c) {
    const auto y = c.output<float>(4);
    c.name(y, "y");
    c.measure([=](Launch& l) { std::fill_n(l[y], 4, 1.F); });
  });
  EXPECT_EQ(result.status, Status::ok);
  EXPECT_EQ(result.check.state, Check::State::unchecked);
  EXPECT_THAT(result.check.detail, HasSubstr("there is no reference for operand 'y'"));
}

TEST(Row, ASkippedPointSaysWhy) {
  const auto result = run_function([](Case& c) {
    try {
      c.skip("no tensor cores");
    } catch (const std::exception&) {  // must not be caught as an error
    }
  });
  EXPECT_EQ(result.status, Status::skipped);
  EXPECT_EQ(result.error, "mine (mine.cpp:12): no tensor cores");
}

TEST(Row, TooLittleMemoryIsASkippedPointAndTheNextOneRuns) {
  const auto result = run_function([](Case& c) {
    static_cast<void>(c.input<double>(std::int64_t{1} << 50));
    c.measure([](Launch&) {});
  });
  EXPECT_EQ(result.status, Status::skipped);
  EXPECT_THAT(result.error, AllOf(StartsWith(who), HasSubstr("out of memory")));
  EXPECT_EQ(run_function([](Case& c) { c.measure([](Launch&) {}); }).status, Status::ok);
}

}  // namespace
}  // namespace warpclock
