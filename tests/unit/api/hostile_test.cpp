// Kernels that do not do their work, or do harm. Each would be the fastest of its table if it were believed.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <set>
#include <sstream>

#include "support.hpp"

namespace warpclock {
namespace {

using ::testing::HasSubstr;

constexpr std::int64_t n = 4096;

struct Arrays {
  const float* x;
  float* y;
  int call;  // counted from 0 over the whole measurement
};

/// y = 2 x + 1 by a kernel that may cheat.
Result run_kernel(std::function<void(const Arrays&)> kernel) {
  return run_function([kernel](Case& c) {
    const auto x = c.input<float>(n, uniform());
    const auto y = c.output<float>(n);
    c.name(x, "x");
    c.name(y, "y");
    c.expect(y, relative(1e-6), [=](const HostView& in, std::span<double> want) {
      for (std::size_t i = 0; i < want.size(); ++i) want[i] = 2 * in[x][i] + 1;
    });
    int calls = 0;
    c.measure([&, x, y](Launch& l) { kernel({l[x], l[y], calls++}); });
  });
}

void honest(const Arrays& a) {
  for (std::int64_t i = 0; i < n; ++i) a.y[i] = 2 * a.x[i] + 1;
}

// Row 1: no false alarm.
TEST(Hostile, TheHonestKernelPasses) {
  const auto result = run_kernel(honest);
  EXPECT_EQ(result.status, Status::ok) << result.error;
  EXPECT_EQ(result.check.state, Check::State::passed);
}

// Row 3: a workspace and packed weights are part of an honest kernel.
TEST(Hostile, AWorkspaceAndPackedWeightsAreNoCheat) {
  const auto result = run_function([](Case& c) {
    const auto x = c.input<float>(n, uniform());
    const auto packed = c.scratch<float>(n);
    const auto y = c.output<float>(n);
    c.before_each([=](Launch& l) { std::copy_n(l[x], n, l[packed]); });
    c.expect_each(y, exact(), [=](const HostView& in, std::int64_t i) { return in[x][static_cast<std::size_t>(i)]; });
    c.measure([=](Launch& l) { std::copy_n(l[packed], n, l[y]); });
  });
  EXPECT_EQ(result.status, Status::ok) << result.error;
  EXPECT_EQ(result.check.state, Check::State::passed);
}

// Row 4.
TEST(Hostile, WritingNothingIsWrong) {
  const auto result = run_kernel([](const Arrays&) {});
  EXPECT_EQ(result.status, Status::wrong);
  EXPECT_THAT(result.error, HasSubstr("'y'"));
}

// F43: with a recycled buffer the output of the correct kernel before it would pass.
TEST(Hostile, WritingNothingAfterACorrectKernelIsWrong) {
  EXPECT_EQ(run_kernel(honest).status, Status::ok);
  EXPECT_EQ(run_kernel([](const Arrays&) {}).status, Status::wrong);
}

// Rows 5, 6.
TEST(Hostile, CopyingTheInputIsWrong) {
  EXPECT_EQ(run_kernel([](const Arrays& a) { std::copy_n(a.x, n, a.y); }).status, Status::wrong);
}
TEST(Hostile, ConstantsAreWrong) {
  EXPECT_EQ(run_kernel([](const Arrays& a) { std::fill_n(a.y, n, 1.F); }).status, Status::wrong);
}

// Row 7: a comparison of the first elements, or of a mean error, would pass it.
TEST(Hostile, TheLastHundredthWrongIsWrong) {
  const auto result = run_kernel([](const Arrays& a) {
    honest(a);
    for (std::int64_t i = n - n / 100; i < n; ++i) a.y[i] += 0.01F;
  });
  EXPECT_EQ(result.status, Status::wrong);
  EXPECT_THAT(result.error, HasSubstr("element 4056"));
}

// Row 8: NaN compares false with everything, so a careless |got - want| > tolerance lets it pass.
TEST(Hostile, OneNaNOnARareInputIsWrong) {
  const auto result = run_kernel([](const Arrays& a) {
    honest(a);
    const auto largest = std::max_element(a.x, a.x + n) - a.x;
    a.y[largest] = std::numeric_limits<float>::quiet_NaN();
  });
  EXPECT_EQ(result.status, Status::wrong);
  EXPECT_THAT(result.error, HasSubstr("got nan"));
}

// Row 19: a check before the timing alone would pass it.
TEST(Hostile, HonestAtFirstThenSkippingIsWrong) {
  const auto result = run_kernel([](const Arrays& a) {
    if (a.call < 20) honest(a);
  });
  EXPECT_EQ(result.status, Status::wrong);
}

// Row 19 for a kernel in place: what the call before has left is not what this one must make.
TEST(Hostile, SkippingAnInPlaceUpdateIsWrong) {
  const auto result = run_function([](Case& c) {
    const auto y = c.inout<float>(n, uniform());
    c.expect_each(y, relative(1e-6),
                  [=](const HostView& in, std::int64_t i) { return 2 * in[y][static_cast<std::size_t>(i)]; });
    int calls = 0;
    c.measure([&, y](Launch& l) {
      if (calls++ >= 20) return;
      for (std::int64_t i = 0; i < n; ++i) l[y][i] *= 2;
    });
  });
  EXPECT_EQ(result.status, Status::wrong);
}

// F46: a memo on the address of the input. Its output buffer is poisoned before each call, so it has nothing to return.
TEST(Hostile, AMemoOnThePointerIsWrong) {
  std::set<const float*> seen;
  const auto result = run_kernel([&](const Arrays& a) {
    if (seen.insert(a.x).second) honest(a);
  });
  EXPECT_EQ(result.status, Status::wrong);
}

// Row 27: the result is right, and what lies behind the buffer is gone.
TEST(Hostile, WritingOutsideOfABufferIsWrongAndTheNextBenchmarkIsExact) {
  const auto behind = run_kernel([](const Arrays& a) {
    honest(a);
    a.y[n] = 0;
  });
  EXPECT_EQ(behind.status, Status::wrong);
  EXPECT_THAT(behind.error, HasSubstr("operand 'y': written 0 bytes after its last element"));
  const auto before = run_kernel([](const Arrays& a) {
    honest(a);
    a.y[-1] = 0;
  });
  EXPECT_THAT(before.error, HasSubstr("operand 'y': written 4 bytes before its first element"));
  EXPECT_EQ(run_kernel(honest).check.state, Check::State::passed);
}

// Row 27: reading outside of an input finds NaN, not the zeros that would hide it.
TEST(Hostile, AResultThatNeedsMemoryOutsideOfAnInputIsWrong) {
  const auto result = run_kernel([](const Arrays& a) {
    honest(a);
    a.y[n - 1] += a.x[n] * 0;
  });
  EXPECT_EQ(result.status, Status::wrong);
}

// F74: in place on what was declared an input.
TEST(Hostile, ChangingAnInputIsWrong) {
  const auto result = run_kernel([](const Arrays& a) {
    honest(a);
    const_cast<float*>(a.x)[7] += 1;
  });
  EXPECT_EQ(result.status, Status::wrong);
  EXPECT_THAT(result.error, HasSubstr("operand 'x' is an input and was changed, first at element 7"));
}

// F74: a hundred doublings in a row would be infinite.
TEST(Hostile, AnInOutArgumentIsRestoredBeforeEveryCall) {
  auto protocol = quick();
  protocol.samples = 200;
  const auto result = run_function(
      [](Case& c) {
        const auto y = c.inout<float>(64, normal());
        c.expect_each(y, exact(),
                      [=](const HostView& in, std::int64_t i) { return 2 * in[y][static_cast<std::size_t>(i)]; });
        c.measure([=](Launch& l) {
          for (int i = 0; i < 64; ++i) l[y][i] *= 2;
        });
      },
      protocol);
  EXPECT_EQ(result.status, Status::ok) << result.error;
}

/// True where `pattern`, inverted byte by byte, stands anywhere in the writable memory of this process.
bool in_memory(const std::vector<unsigned char>& inverted) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    std::uintptr_t first = 0, last = 0;
    char dash = 0;
    std::string rights;
    std::istringstream words(line);
    words >> std::hex >> first >> dash >> last >> rights;
    if (!rights.starts_with("rw") || last - first > (64U << 20U)) continue;
    const auto* begin = reinterpret_cast<const unsigned char*>(first);
    const auto* end = reinterpret_cast<const unsigned char*>(last);
    const auto matches = [](unsigned char byte, unsigned char other) {
      return byte == static_cast<unsigned char>(~other);
    };
    if (std::search(begin, end, inverted.begin(), inverted.end(), matches) != end) return true;
  }
  return false;
}

/// Some values of the output, as doubles, inverted so that they are not what is found.
std::vector<unsigned char> inverted(const std::function<double(int)>& value) {
  std::vector<unsigned char> out;
  for (int i = 100; i < 108; ++i) {
    const double want = value(i);
    unsigned char bytes[sizeof want];
    std::memcpy(bytes, &want, sizeof want);
    for (const auto byte : bytes) out.push_back(static_cast<unsigned char>(~byte));
  }
  return out;
}

#if !defined(__SANITIZE_ADDRESS__)  // which forbids to look through memory
// Row 25: a kernel that looks through memory for what is expected of it.
TEST(Hostile, TheExpectedOutputIsNowhereInMemoryWhileTheCallRuns) {
  bool found = false, looked = false;
  const auto result = run_function([&](Case& c) {
    const auto x = c.input<float>(n, uniform());
    const auto y = c.output<float>(n);
    c.expect(y, relative(1e-6), [=](const HostView& in, std::span<double> want) {
      for (std::size_t i = 0; i < want.size(); ++i) want[i] = 2 * in[x][i] + 1;
    });
    int calls = 0;
    c.measure([&, x, y](Launch& l) {
      honest({l[x], l[y], 0});
      if (++calls != 8) return;  // after the first check, in the middle of the timing
      found = in_memory(inverted([&](int i) { return 2 * static_cast<double>(l[x][i]) + 1; })) ||
              in_memory(inverted([&](int i) { return static_cast<double>(l[y][i]); }));  // rounded as y is
      looked = true;
    });
  });
  EXPECT_EQ(result.status, Status::ok) << result.error;
  EXPECT_TRUE(looked);
  EXPECT_FALSE(found);
}
#endif

}  // namespace
}  // namespace warpclock
