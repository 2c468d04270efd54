#include "backends/cuda/nvrtc.hpp"

#include <fmt/format.h>
#include <nvrtc.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <sstream>

#include "core/errors.hpp"

namespace warpclock::cuda {

namespace {

namespace fs = std::filesystem;

struct Nvrtc {
  explicit Nvrtc(int driver_version);

  Library library;
  decltype(&nvrtcGetErrorString) error_string = nullptr;
  decltype(&nvrtcGetNumSupportedArchs) arch_count = nullptr;
  decltype(&nvrtcGetSupportedArchs) archs = nullptr;
  decltype(&nvrtcCreateProgram) create = nullptr;
  decltype(&nvrtcDestroyProgram) destroy = nullptr;
  decltype(&nvrtcAddNameExpression) add_name = nullptr;
  decltype(&nvrtcCompileProgram) compile = nullptr;
  decltype(&nvrtcGetLoweredName) lowered_name = nullptr;
  decltype(&nvrtcGetProgramLogSize) log_size = nullptr;
  decltype(&nvrtcGetProgramLog) log = nullptr;
  decltype(&nvrtcGetCUBINSize) cubin_size = nullptr;
  decltype(&nvrtcGetCUBIN) cubin = nullptr;
  decltype(&nvrtcGetPTXSize) ptx_size = nullptr;
  decltype(&nvrtcGetPTX) ptx = nullptr;

  void check(nvrtcResult result, const char* call) const {
    if (result == NVRTC_SUCCESS) return;
    throw DeviceError(fmt::format("NVRTC: {}: {} ({}), of {}; try another NVRTC", call, error_string(result),
                                  static_cast<int>(result), library.path()));
  }
  [[nodiscard]] std::vector<int> supported() const {
    int count = 0;
    check(arch_count(&count), "nvrtcGetNumSupportedArchs");
    std::vector<int> all(static_cast<std::size_t>(count));
    check(archs(all.data()), "nvrtcGetSupportedArchs");
    return all;
  }
};

Nvrtc::Nvrtc(int driver_version) : library(nvrtc_spec(driver_version)) {
  library.bind(error_string, "nvrtcGetErrorString");
  library.bind(arch_count, "nvrtcGetNumSupportedArchs");
  library.bind(archs, "nvrtcGetSupportedArchs");
  library.bind(create, "nvrtcCreateProgram");
  library.bind(destroy, "nvrtcDestroyProgram");
  library.bind(add_name, "nvrtcAddNameExpression");
  library.bind(compile, "nvrtcCompileProgram");
  library.bind(lowered_name, "nvrtcGetLoweredName");
  library.bind(log_size, "nvrtcGetProgramLogSize");
  library.bind(log, "nvrtcGetProgramLog");
  library.bind(cubin_size, "nvrtcGetCUBINSize");
  library.bind(cubin, "nvrtcGetCUBIN");
  library.bind(ptx_size, "nvrtcGetPTXSize");
  library.bind(ptx, "nvrtcGetPTX");
}

// Most sources include these for a type or two; NVRTC has no system headers, and printf and math are built in.
constexpr const char* integers =
    "#pragma once\n"
    "typedef signed char int8_t; typedef short int16_t; typedef int int32_t; typedef long int64_t;\n"
    "typedef unsigned char uint8_t; typedef unsigned short uint16_t; typedef unsigned uint32_t;\n"
    "typedef unsigned long uint64_t; typedef long intptr_t; typedef unsigned long uintptr_t;\n"
    "namespace std { using ::int8_t; using ::int16_t; using ::int32_t; using ::int64_t; using ::uint8_t;\n"
    "using ::uint16_t; using ::uint32_t; using ::uint64_t; using ::intptr_t; using ::uintptr_t; }\n";
constexpr const char* sizes =
    "#pragma once\n"
    "typedef unsigned long size_t; typedef long ptrdiff_t;\n"
    "namespace std { using ::size_t; using ::ptrdiff_t; }\n";
constexpr std::array header_names{"cstdint", "stdint.h", "cstddef", "stddef.h", "cstdio", "stdio.h"};
constexpr std::array header_texts{integers, integers, sizes, sizes, "", ""};

class Program {
 public:
  Program(const Nvrtc& nvrtc, const SourceKernel& source) : nvrtc_(nvrtc) {
    nvrtc_.check(nvrtc_.create(&program_, source.text.c_str(), source.file.c_str(),
                               static_cast<int>(header_names.size()), header_texts.data(), header_names.data()),
                 "nvrtcCreateProgram");
  }
  ~Program() { (void)nvrtc_.destroy(&program_); }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  [[nodiscard]] nvrtcProgram handle() const { return program_; }

  [[nodiscard]] std::string log() const { return text(nvrtc_.log_size, nvrtc_.log, "nvrtcGetProgramLog"); }
  [[nodiscard]] std::string image(bool ptx) const {
    return ptx ? text(nvrtc_.ptx_size, nvrtc_.ptx, "nvrtcGetPTX")
               : text(nvrtc_.cubin_size, nvrtc_.cubin, "nvrtcGetCUBIN");
  }

 private:
  template <class Size, class Get>
  [[nodiscard]] std::string text(Size size, Get get, const char* call) const {
    std::size_t count = 0;
    nvrtc_.check(size(program_, &count), call);
    std::string out(count, '\0');
    nvrtc_.check(get(program_, out.data()), call);
    return out;
  }

  const Nvrtc& nvrtc_;
  nvrtcProgram program_ = nullptr;
};

/// Folders of CUDA's own headers: those beside the library, then those of any wheel or toolkit.
std::vector<std::string> header_folders(const std::string& library) {
  std::vector<fs::path> candidates{fs::path(library).parent_path().parent_path() / "include"};
  for (const std::string& wheel : nvidia_wheel_folders()) {
    for (const char* part : {"cu13", "cuda_runtime"}) candidates.push_back(fs::path(wheel) / part / "include");
  }
  for (const std::string& root : toolkit_roots()) candidates.push_back(fs::path(root) / "include");
  for (const auto& folder : candidates) {
    std::error_code ignored;
    if (fs::exists(folder / "cuda_fp16.h", ignored)) return {folder.string(), (folder / "cccl").string()};
  }
  return {};
}

std::vector<std::string> all_options(const Nvrtc& nvrtc, const SourceKernel& source, const Target& target) {
  std::vector<std::string> options{target.option};
  const bool standard_given = std::any_of(source.options.begin(), source.options.end(), [](const std::string& option) {
    return option.starts_with("-std") || option.starts_with("--std");
  });
  if (!standard_given) options.emplace_back("--std=c++17");
  options.insert(options.end(), source.options.begin(), source.options.end());
  const auto folder = fs::path(source.file).parent_path();
  options.push_back("-I" + (folder.empty() ? "." : folder.string()));
  for (const std::string& headers : header_folders(nvrtc.library.path())) options.push_back("-I" + headers);
  return options;
}

[[noreturn]] void report_failure(const SourceKernel& source, const std::string& log) {
  if (log.find("__nv_name_map") != std::string::npos && first_error(log).starts_with("__nv_name_map")) {
    throw KernelError(
        fmt::format("{}: no __global__ function '{}' in it; name one of its kernels, with its namespace "
                    "and template arguments if it has any",
                    source.file, source.kernel));
  }
  const std::string error = first_error(log);
  throw KernelError(
      fmt::format("{}; NVRTC could not compile {}", error.empty() ? "no error in its log" : error, source.file));
}

}  // namespace

LibrarySpec nvrtc_spec(int driver_version) {
  return {"NVRTC",
          "WARPCLOCK_LIBNVRTC",
          versioned_names("libnvrtc", driver_version / 1000, 12),
          {"cuda_nvrtc/lib", "cu13/lib", "cu12/lib"},
          {"lib64", "targets/x86_64-linux/lib"}};
}

CompiledKernel compile(const SourceKernel& source, int capability, int driver_version) {
  const Nvrtc nvrtc(driver_version);
  const Target target = compile_target(capability, nvrtc.supported());
  const Program program(nvrtc, source);
  nvrtc.check(nvrtc.add_name(program.handle(), source.kernel.c_str()), "nvrtcAddNameExpression");
  const auto options = all_options(nvrtc, source, target);
  std::vector<const char*> words;
  for (const auto& option : options) words.push_back(option.c_str());
  const nvrtcResult result = nvrtc.compile(program.handle(), static_cast<int>(words.size()), words.data());
  std::string log = program.log();
  while (!log.empty() && (log.back() == '\0' || log.back() == '\n')) log.pop_back();
  if (result == NVRTC_ERROR_COMPILATION) report_failure(source, log);
  if (result == NVRTC_ERROR_INVALID_OPTION) throw UsageError("NVRTC: " + log.substr(0, log.find('\n')));
  nvrtc.check(result, "nvrtcCompileProgram");
  const char* name = nullptr;
  nvrtc.check(nvrtc.lowered_name(program.handle(), source.kernel.c_str(), &name), "nvrtcGetLoweredName");
  return {program.image(target.ptx), name, log};
}

std::string first_error(const std::string& log) {
  std::stringstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    // "error:", "catastrophic error:"; a summary ("1 error detected in ...") has no colon behind the word
    if (line.find("error: ") != std::string::npos || line.find("error : ") != std::string::npos) return line;
  }
  return "";
}

Target compile_target(int capability, const std::vector<int>& supported) {
  if (std::find(supported.begin(), supported.end(), capability) != supported.end()) {
    // From Hopper on an architecture has features of its own (wgmma, setmaxnreg), which only the name with an a allows.
    return {fmt::format("--gpu-architecture=sm_{}{}", capability, capability >= 90 ? "a" : ""), false};
  }
  if (capability < supported.front()) {
    throw DeviceError(
        fmt::format("NVRTC: compute capability {:.1f} is older than the oldest that it compiles for, "
                    "{:.1f}; use an older NVRTC",
                    capability / 10.0, supported.front() / 10.0));
  }
  const auto next = std::upper_bound(supported.begin(), supported.end(), capability);
  return {fmt::format("--gpu-architecture=compute_{}", *(next - 1)), true};
}

}  // namespace warpclock::cuda
