// Wrong kernels must be caught: each of these would otherwise win a comparison.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "backends/cpu/device.hpp"
#include "verify/operands.hpp"

namespace warpclock {
namespace {

using testing::HasSubstr;

// y = 2 x over n fp32, checked element by element or by a sample.
class WrongKernel : public testing::TestWithParam<std::uint64_t> {
 protected:
  static constexpr std::int64_t n = 3'000'000;  // not a multiple of anything, and beyond one turn of the input tile

  using Kernel = std::function<void(float* x, float* y)>;

  static void right(const float* x, float* y, std::int64_t first = 0, std::int64_t last = n) {
    for (std::int64_t i = first; i < last; ++i) y[i] = 2 * x[i];
  }

  Check run(const Kernel& kernel) {
    set.prepare(device->stream(), 0);
    const auto operands = set.of(0);
    device->stream().launch(
        "kernel", [&] { kernel(static_cast<float*>(operands[0].address), static_cast<float*>(operands[1].address)); });
    return set.check(0, references);
  }

  void expect_failed(const Kernel& kernel, const std::string& why) {
    ASSERT_EQ(run(right_kernel).state, Check::State::passed);  // what it left must not help the wrong one
    const auto check = run(kernel);
    EXPECT_EQ(check.state, Check::State::failed);
    EXPECT_THAT(check.detail, HasSubstr(why));
  }

  Kernel right_kernel = [](float* x, float* y) { right(x, y); };
  std::unique_ptr<cpu::CpuDevice> device = cpu::make_device();
  OperandSet set{*device, {{"x", DType::fp32, n, Role::input}, {"y", DType::fp32, n, Role::output}}, {}};
  std::vector<Reference> references{
      {1, 1e-6,
       [](const OperandSet& s, std::uint32_t copy, std::uint64_t first, std::span<double> want) {
         s.initial(0, copy, first, want);
         for (auto& value : want) value *= 2;
       },
       GetParam()}};
};

INSTANTIATE_TEST_SUITE_P(AllAndSampled, WrongKernel, testing::Values(0, 4096));

TEST_P(WrongKernel, WritesNothing) {
  expect_failed([](float*, float*) {}, "nan");
}

TEST_P(WrongKernel, WritesAConstant) {
  expect_failed([](float*, float* y) { std::fill_n(y, n, 0.0F); }, "got 0, want");
}

TEST_P(WrongKernel, LeavesTheLastPercentUnwritten) {
  expect_failed([](float* x, float* y) { right(x, y, 0, n - n / 100); }, "element 2970000");
}

TEST_P(WrongKernel, LeavesOneElementUnwritten) {
  expect_failed(
      [](float* x, float* y) {
        right(x, y, 0, 1'234'567);
        right(x, y, 1'234'568, n);
      },
      "element 1234567");
}

TEST_P(WrongKernel, HasTheLastPercentWrong) {
  expect_failed(
      [](float* x, float* y) {
        right(x, y);
        for (std::int64_t i = n - n / 100; i < n; ++i) y[i] = x[i];
      },
      "want");
}

TEST_P(WrongKernel, IsOffByOneElement) {
  expect_failed([](float* x, float* y) { right(x + 1, y, 0, n - 1), y[n - 1] = 2 * x[0]; }, "want");
}

TEST_P(WrongKernel, IsOffByAThousandthEverywhere) {
  expect_failed(
      [](float* x, float* y) {
        for (std::int64_t i = 0; i < n; ++i) y[i] = 2.002F * x[i];
      },
      "want");
}

TEST_P(WrongKernel, WritesNanAtTheEnd) {
  expect_failed(
      [](float* x, float* y) {
        right(x, y);
        y[n - 1] = std::numeric_limits<float>::quiet_NaN();
      },
      "nan");
}

TEST_P(WrongKernel, WritesBehindItsOutput) {
  expect_failed(
      [](float* x, float* y) {
        right(x, y);
        y[n] = 1;
      },
      "operand 'y': written 0 bytes after its last element");
}

TEST_P(WrongKernel, WritesBeforeItsOutput) {
  expect_failed(
      [](float* x, float* y) {
        right(x, y);
        y[-1] = 1;
      },
      "operand 'y': written 4 bytes before its first element");
}

TEST_P(WrongKernel, WritesBehindItsInput) {
  expect_failed(
      [](float* x, float* y) {
        right(x, y);
        x[n + 100] = 1;
      },
      "operand 'x': written 400 bytes after its last element");
}

TEST_P(WrongKernel, ChangesItsInput) {
  expect_failed(
      [](float* x, float* y) {
        right(x, y);
        x[2'000'000] += 1;
      },
      "operand 'x' is an input and was changed, first at element 2000000");
}

TEST_P(WrongKernel, AnOutputWithoutAReferenceIsUncheckedNotPassed) {
  references.clear();
  EXPECT_EQ(run(right_kernel).state, Check::State::unchecked);
}

}  // namespace
}  // namespace warpclock
