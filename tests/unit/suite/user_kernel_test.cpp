// Words for a kernel of one's own: what they mean, and what is said when they cannot be understood.
#include "suite/user_kernel.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

#include "backends/sim/device.hpp"
#include "core/errors.hpp"
#include "verify/sizes.hpp"

namespace warpclock {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

UserKernelWords saxpy() {
  return {.source = "dir/my.cu:saxpy",
          .grid = "{n}//256",
          .block = "256",
          .shared = "",
          .args = {"in:f32:{n}", "inout:f32:{n}", "f32:2.5", "i32:{n}", "out:bf16:{rows}"},
          .nvrtc = {},
          .flops = "2*{n}",
          .bytes_read = "",
          .bytes_written = "",
          .compute = "fp32"};
}

Point point(std::int64_t n, std::int64_t rows) { return {{{"n", n}, {"rows", rows}}}; }

std::string refusal(const UserKernelWords& words, const Point& at = point(1000, 3)) {
  try {
    const auto kernel = parse_user_kernel(words);
    (void)kernel.work(at);
    for (const auto& argument : kernel.arguments) {
      if (const auto* scalar = std::get_if<ScalarArgument>(&argument.value)) (void)scalar->bytes(at);
    }
  } catch (const UsageError& error) {
    return error.what();
  }
  ADD_FAILURE() << "accepted";
  return "";
}

std::string refused_arg(const std::string& word) {
  auto words = saxpy();
  words.args = {word};
  return refusal(words);
}

template <class T>
T scalar(const std::string& word) {
  auto words = saxpy();
  words.args = {word};
  const auto kernel = parse_user_kernel(words);
  const auto& argument = std::get<ScalarArgument>(kernel.arguments.front().value);
  EXPECT_EQ(argument.size(), sizeof(T)) << word;
  const auto bytes = argument.bytes(point(1000, 3));
  T value{};
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

TEST(UserKernelWords, FileAndKernelAreToldApartAlsoWithColonsInBoth) {
  const auto kernel = [](const std::string& word) {
    auto words = saxpy();
    words.source = word;
    return parse_user_kernel(words);
  };
  EXPECT_EQ(kernel("dir/my.cu:saxpy").path, "dir/my.cu");
  EXPECT_EQ(kernel("dir/my.cu:ns::tile<float,4>").name, "ns::tile<float,4>");
  EXPECT_EQ(kernel("c:/a.b/my.cubin:k").path, "c:/a.b/my.cubin");
  EXPECT_EQ(kernel("my.cubin:k").kind, UserKernel::Kind::image);
  EXPECT_EQ(kernel("my.ptx:k").kind, UserKernel::Kind::image);
  EXPECT_EQ(kernel("my.cu:k").kind, UserKernel::Kind::source);
}

TEST(UserKernelWords, OnlyFilesAreTakenForOnes) {
  for (const char* word : {"my.cu:k", "my.cubin:k", "a/b.ptx:k", "my.cu"}) EXPECT_TRUE(names_user_kernel(word)) << word;
  for (const char* word : {"gemm", "my.cuh:k", "cu:k", ".cu:k"}) EXPECT_FALSE(names_user_kernel(word)) << word;
}

TEST(UserKernelWords, AxesComeFromEveryWordOnce) {
  auto words = saxpy();
  words.source = "my.cu:tile<{t}>";
  words.nvrtc = {"-DDEPTH={depth}"};
  EXPECT_THAT(parse_user_kernel(words).axes, ElementsAre("t", "n", "rows", "depth"));
}

TEST(UserKernelWords, BuffersAndTheirBytes) {
  const auto kernel = parse_user_kernel(saxpy());
  const auto specs = kernel.operands(point(1000, 3));
  ASSERT_EQ(specs.size(), 3U);
  EXPECT_EQ(specs[0].role, Role::input);
  EXPECT_EQ(specs[1].role, Role::inout);
  EXPECT_EQ(specs[2].role, Role::output);
  EXPECT_EQ(specs[2].type, DType::bf16);
  EXPECT_EQ(specs[2].count, 3U);
  EXPECT_EQ(specs[2].name, "arg 5 (out:bf16:{rows})");
  const auto work = kernel.work(point(1000, 3));
  EXPECT_EQ(work.bytes_read, 8000);  // in and inout
  EXPECT_EQ(work.bytes_written, 4006);
  EXPECT_EQ(work.flops, 2000);
  EXPECT_EQ(work.compute_type, "fp32");
}

TEST(UserKernelWords, DeclaredBytesReplaceTheSizesOfBuffers) {  // a gather reads less than its table
  auto words = saxpy();
  words.bytes_read = "4*{rows}";
  const auto work = parse_user_kernel(words).work(point(1000, 3));
  EXPECT_EQ(work.bytes_read, 12);
  EXPECT_EQ(work.bytes_written, 4006);
}

TEST(UserKernelWords, NumbersHaveTheBytesOfTheirType) {
  EXPECT_EQ(scalar<float>("f32:2.5"), 2.5F);
  EXPECT_EQ(scalar<float>("f32:-1e-3"), -1e-3F);
  EXPECT_EQ(scalar<float>("f32:{n}"), 1000.0F);  // an expression where it is no decimal number
  EXPECT_EQ(scalar<double>("f64:1/3"), 0.0);     // of whole numbers
  EXPECT_EQ(scalar<std::uint16_t>("f16:1"), 0x3c00);
  EXPECT_EQ(scalar<std::uint16_t>("bf16:1"), 0x3f80);
  EXPECT_EQ(scalar<std::int32_t>("i32:-5"), -5);
  EXPECT_EQ(scalar<std::uint32_t>("u32:4294967295"), 0xffffffffU);
  EXPECT_EQ(scalar<std::int64_t>("i64:-2^62-2^62"), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(scalar<std::int8_t>("i8:-128"), -128);
  EXPECT_EQ(scalar<std::uint8_t>("u8:255"), 255);
}

TEST(UserKernelWords, ANumberThatDoesNotFitIsRefusedRatherThanCut) {
  for (const char* word : {"i32:2^31", "u32:-1", "u32:2^32", "i8:128", "u8:256", "i16:0-32769", "i32:2.5"}) {
    EXPECT_THAT(refused_arg(word), HasSubstr(word)) << word;
  }
}

TEST(UserKernelWords, ArgumentsThatCannotBeUnderstood) {
  EXPECT_THAT(refused_arg("in:u7:5"), AllOf(HasSubstr("in:u7:5"), HasSubstr("bf16")));
  EXPECT_THAT(refused_arg("in:f32"), HasSubstr("in:f32:1024"));
  EXPECT_THAT(refused_arg("in:f32:0"), HasSubstr("must be from 1"));
  EXPECT_THAT(refused_arg("in:f32:"), HasSubstr("in:f32:"));
  for (const char* word : {"", "5", "i32", "i32:", "buffer:f32:5"}) {
    EXPECT_THAT(refused_arg(word), HasSubstr("in:f32:COUNT")) << word;
  }
}

TEST(UserKernelWords, OtherWordsThatCannotBeUnderstood) {
  const auto with = [](auto change) {
    auto words = saxpy();
    change(words);
    return refusal(words);
  };
  EXPECT_THAT(with([](auto& w) { w.source = "my.cu"; }), HasSubstr("my.cu:saxpy"));
  EXPECT_THAT(with([](auto& w) { w.source = "my.cu:"; }), HasSubstr("my.cu:saxpy"));
  EXPECT_THAT(with([](auto& w) { w.grid = ""; }), HasSubstr("--grid is needed"));
  EXPECT_THAT(with([](auto& w) { w.block = ""; }), HasSubstr("--block is needed"));
  EXPECT_THAT(with([](auto& w) { w.grid = "1,2,3,4"; }), HasSubstr("more than three"));
  EXPECT_THAT(with([](auto& w) { w.grid = "1,,3"; }), HasSubstr("--grid"));
  EXPECT_THAT(with([](auto& w) { w.flops = ""; }), HasSubstr("belong together"));
  EXPECT_THAT(with([](auto& w) { w.compute = "fp23"; }), HasSubstr("fp16"));
  EXPECT_THAT(with([](auto& w) { w.flops = "0-1"; }), HasSubstr("--flops"));
  EXPECT_THAT(with([](auto& w) { w.nvrtc = {"-DT={"}; }), HasSubstr("--nvrtc"));
  EXPECT_THAT(with([](auto& w) {
                w.source = "my.cubin:k";
                w.nvrtc = {"-DT=1"};
              }),
              HasSubstr("compiled already"));
}

class UserKernelFile : public testing::Test {
 protected:
  void SetUp() override {
    path_ = testing::TempDir() + "warpclock_user_kernel_test.cu";
    std::ofstream(path_) << "__global__ void saxpy() {}\n";
  }
  void TearDown() override { std::filesystem::remove(path_); }
  [[nodiscard]] UserKernelWords words() const {
    auto out = saxpy();
    out.source = path_ + ":saxpy";
    return out;
  }
  std::string path_;
};

TEST_F(UserKernelFile, IsABenchmarkLikeTheBuiltInOnes) {
  const auto benchmark = user_kernel(words());
  EXPECT_EQ(benchmark.name, path_ + ":saxpy");  // with its file: a built-in kernel may have the same name
  EXPECT_THAT(benchmark.backends, ElementsAre("cuda"));
  const auto axes = benchmark.axes("cuda");
  ASSERT_EQ(axes.size(), 2U);
  EXPECT_EQ(axes[0].name, "n");
  EXPECT_THAT(axes[0].defaults, IsEmpty());
  EXPECT_GE(benchmark.footprint(point(1000, 3)), 12006U);
  EXPECT_EQ(benchmark.footprint(point(std::int64_t{1} << 62, 1)), saturated);
  EXPECT_EQ(benchmark.footprint(point(0, 1)), saturated);  // refused by make, and no crash before
}

TEST_F(UserKernelFile, AnotherDeviceIsRefusedBeforeAnythingIsCompiled) {
  const auto device = sim::make_device();
  EXPECT_ANY_THROW((void)user_kernel(words()).make(*device, point(1000, 3), {}));
}

TEST_F(UserKernelFile, AMissingFileIsNamed) {
  auto missing = words();
  missing.source = "no/such.cu:k";
  EXPECT_THROW((void)user_kernel(missing), DataError);
  std::ofstream(path_, std::ios::trunc).flush();
  EXPECT_THROW((void)user_kernel(words()), DataError);  // empty
}

}  // namespace
}  // namespace warpclock
