// Work of known duration on the calling thread: in cycles, in flops.
#pragma once

#include <cstdint>
#include <vector>

namespace warpclock::cpu {

/// Runs a chain of `n` dependent additions: n cycles of the core, since an addition of two registers takes one cycle
/// and none can start before the one before it has ended.
void dependent_adds(std::uint64_t n);

/// Effective clock of the core in MHz, by dependent additions against the steady clock: the best of a few runs of some
/// microseconds, so that an interrupt in one of them does not read as a slow clock.  cost about 30 us
[[nodiscard]] double effective_mhz();

/// An FP32 matmul through OpenBLAS that heats the core and fills its caches as the article's cover does a GPU's.
class CoverMatmul {
 public:
  /// Sizes the matmul: 4096 in each dimension, or less where a timed trial says that it would exceed 60 ms.
  CoverMatmul();
  void run();
  [[nodiscard]] std::int64_t size() const { return size_; }

 private:
  std::int64_t size_ = 0;
  std::vector<float> a_, b_, c_;
};

}  // namespace warpclock::cpu
