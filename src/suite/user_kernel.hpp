// A kernel of one's own as a benchmark. The words are described in user_kernel_words.hpp.
#pragma once

#include "device/benchmark.hpp"
#include "suite/user_kernel_words.hpp"

namespace warpclock {

/// The benchmark that the words describe, called like the kernel's word ("my.cu:saxpy"); it runs on cuda. Its axes have
/// no defaults. Its outputs have no reference, so a check says "unchecked", unless the kernel wrote outside of a buffer
/// or changed an input: that fails.
///   throws  UsageError for words that cannot be understood, DataError for a file that cannot be read
///   make    throws UsageError for a point that cannot be launched or arguments that do not fit the kernel's
///   parameters,
///           KernelError with the compiler's first error, DeviceError where NVRTC or the CUDA backend is missing
[[nodiscard]] Benchmark user_kernel(const UserKernelWords& words);

}  // namespace warpclock
