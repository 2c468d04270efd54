// The kernels of the suite for one core of a CPU: plain loops that the compiler turns into vector code. Pointers do not
// overlap. What each computes stands in kernels.hpp.
#pragma once

#include <cstdint>

namespace warpclock::cpu {

void add(const float* x, const float* y, float* z, std::uint64_t n);
void copy(const float* x, float* y, std::uint64_t n);
void fill(float* y, std::uint64_t n);
void scale(float* x, std::uint64_t n);
void read(const float* x, float* sums, std::uint64_t n);
void rmsnorm(const float* x, const float* w, float* y, std::uint64_t rows, std::uint64_t cols);
void softmax(const float* x, float* y, std::uint64_t rows, std::uint64_t cols);

/// OpenBLAS.  throws UsageError for a size above 2^31 - 1, which its interface cannot take
void gemm(const float* a, const float* b, float* y, std::uint64_t m, std::uint64_t n, std::uint64_t k);

}  // namespace warpclock::cpu
