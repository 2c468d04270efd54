// Kernels from source: names, headers, options, and what is said when the source is wrong.
#include "backends/cuda/nvrtc.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "core/errors.hpp"

namespace warpclock::cuda {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

TEST(NvrtcLog, FirstErrorIsNotTheWarningBeforeItNorTheSummary) {
  const std::string log =
      "my.cu(2): warning #177-D: variable \"z\" was declared but never referenced\n"
      "    int z;\n"
      "my.cu(3): error: identifier \"y\" is undefined\n"
      "my.cu(4): error: another\n"
      "2 errors detected in the compilation of \"my.cu\".\n";
  EXPECT_EQ(first_error(log), "my.cu(3): error: identifier \"y\" is undefined");
  EXPECT_EQ(first_error("1 error detected in the compilation of \"my.cu\".\n"), "");
}

TEST(NvrtcTarget, CodeForTheDeviceWhereTheCompilerKnowsIt) {
  EXPECT_EQ(compile_target(80, {75, 80, 90}).option, "--gpu-architecture=sm_80");
  // Without the a, a source with wgmma would be refused on the very chip that has it.
  EXPECT_EQ(compile_target(90, {75, 80, 90}).option, "--gpu-architecture=sm_90a");
  EXPECT_FALSE(compile_target(90, {75, 80, 90}).ptx);
}

TEST(NvrtcTarget, AnOlderCompilerGivesPtxOfItsNewestBelowTheDevice) {
  const auto target = compile_target(103, {75, 90, 100, 120});
  EXPECT_EQ(target.option, "--gpu-architecture=compute_100");
  EXPECT_TRUE(target.ptx);
}

TEST(NvrtcTarget, ADeviceOlderThanTheCompilerIsSaid) { EXPECT_THROW((void)compile_target(70, {75, 80}), DeviceError); }

class NvrtcCompile : public testing::Test {
 protected:
  static constexpr int driver = 13000;
  void SetUp() override {
    if (!find_library(nvrtc_spec(driver))) GTEST_SKIP() << not_found(nvrtc_spec(driver));
  }
  static CompiledKernel compile(const std::string& text, const std::string& kernel,
                                std::vector<std::string> options = {}) {
    return cuda::compile({"some/my.cu", text, kernel, std::move(options)}, 90, driver);
  }
  template <class ErrorType>
  static std::string error(const std::string& text, const std::string& kernel, std::vector<std::string> options = {}) {
    try {
      (void)compile(text, kernel, std::move(options));
    } catch (const ErrorType& e) {
      EXPECT_THAT(e.what(), Not(HasSubstr("\n")));
      return e.what();
    }
    ADD_FAILURE() << "compiled";
    return "";
  }
};

TEST_F(NvrtcCompile, ACubinAndTheNameInIt) {
  const auto plain = compile("extern \"C\" __global__ void k(float* x) { *x = 1; }", "k");
  EXPECT_EQ(plain.function, "k");
  EXPECT_THAT(plain.image, StartsWith("\x7f"
                                      "ELF"));
  const auto mangled =
      compile("namespace a { template <class T, int n> __global__ void k(T* x) { *x = n; } }", "a::k<float, 4>");
  EXPECT_EQ(mangled.function, "_ZN1a1kIfLi4EEEvPT_");
}

TEST_F(NvrtcCompile, TheUsualHeadersAreThere) {
  const auto made = compile(
      "#include <cstdint>\n#include <cstddef>\n#include <stdint.h>\n#include <cstdio>\n"
      "__global__ void k(std::uint64_t* x, uint8_t y, std::size_t z) {\n"
      "  static_assert(sizeof(std::uint64_t) == 8 && sizeof(int32_t) == 4);\n"
      "  *x = y + z; printf(\"%d\", int(y)); }",
      "k");
  EXPECT_FALSE(made.image.empty());
}

TEST_F(NvrtcCompile, OptionsReachTheCompiler) {
  const std::string text = "__global__ void k(float* x) { *x = TILE; }";
  EXPECT_FALSE(compile(text, "k", {"-DTILE=16"}).image.empty());
  EXPECT_THAT(error<KernelError>(text, "k"), HasSubstr("TILE"));
  EXPECT_THAT(error<UsageError>(text, "k", {"--no-such-option"}), HasSubstr("no-such-option"));
}

TEST_F(NvrtcCompile, TheFirstErrorWithFileAndLine) {
  const auto line = error<KernelError>("__global__ void k(float* x) {\n  *x = y;\n  *x = z;\n}", "k");
  EXPECT_THAT(line, AllOf(HasSubstr("my.cu(2): error: identifier \"y\" is undefined"), Not(HasSubstr("\"z\""))));
}

TEST_F(NvrtcCompile, AKernelThatIsNotInTheSourceIsNamed) {
  EXPECT_THAT(error<KernelError>("__global__ void k(float* x) {}", "kk"), HasSubstr("no __global__ function 'kk'"));
}

}  // namespace
}  // namespace warpclock::cuda
