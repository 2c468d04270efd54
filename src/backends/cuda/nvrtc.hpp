// Kernels from CUDA source text, compiled at run time by NVRTC.
#pragma once

#include <string>
#include <vector>

#include "backends/cuda/libraries.hpp"

namespace warpclock::cuda {

/// Which file, and where.  driver_version  of CUDA (13000); the code of a newer major version does not load
[[nodiscard]] LibrarySpec nvrtc_spec(int driver_version);

/// A kernel's code and the name that it has in it.
struct CompiledKernel {
  std::string image;     // cubin, or PTX where the compiler is older than the device
  std::string function;  // mangled, unless the source says extern "C"
  std::string warnings;  // the compiler's, as it gave them; may be empty
};

struct SourceKernel {
  std::string file;  // as messages name it; its folder is searched for #include "..."
  std::string text;
  std::string kernel;                // "saxpy", "ns::saxpy", "tile<float, 4>": any name that the source could use
  std::vector<std::string> options;  // for NVRTC: "-DTILE=16", "-I/path", "--use_fast_math"
};

/// Compiles one kernel for the architecture of the device (its own features included: sm_90a), as C++17 unless the
/// options say otherwise. The headers of the toolkit or wheel that NVRTC belongs to are found (cuda_fp16.h,
/// cuda/std/...), and <cstdint>, <cstddef> and <cstdio>, which NVRTC itself lacks.
///   capability      of the device: 90;  driver_version  of CUDA: 13000
///   throws  KernelError with the compiler's first error, its file and line; UsageError for an option that it does not
///           know; DeviceError where there is no NVRTC, or none for this device
[[nodiscard]] CompiledKernel compile(const SourceKernel& source, int capability, int driver_version);

/// The first error in a compiler's log: "my.cu(3): error: identifier \"y\" is undefined"; empty where there is none.
[[nodiscard]] std::string first_error(const std::string& log);

/// The option that names the code to generate, and whether that is PTX.
struct Target {
  std::string option;  // "--gpu-architecture=sm_90a"
  bool ptx = false;
};
/// capability  of the device: 90;  supported  architectures of the compiler, ascending and not empty.
///   throws  DeviceError where the compiler has dropped an architecture this old
[[nodiscard]] Target compile_target(int capability, const std::vector<int>& supported);

}  // namespace warpclock::cuda
