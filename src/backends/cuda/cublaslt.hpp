// Matrix products by cuBLASLt, loaded at run time.
#pragma once

#include <cublasLt.h>

#include <cstdint>
#include <memory>
#include <string>

#include "backends/cuda/context.hpp"
#include "backends/cuda/libraries.hpp"
#include "backends/cuda/memory.hpp"
#include "backends/cuda/stream.hpp"

namespace warpclock::cuda {

/// Which file, and where.  driver_version  of CUDA (13000); a cuBLASLt of a newer major version does not work with it
[[nodiscard]] LibrarySpec cublaslt_spec(int driver_version);

/// The functions and one handle, which belongs to the context.
class CublasLt {
 public:
  /// Takes a second the first time: the library is large.
  ///   throws  DeviceError: no library (and where it was looked for), a function missing, or it refuses to start
  explicit CublasLt(std::shared_ptr<const Context> context);
  ~CublasLt();
  CublasLt(const CublasLt&) = delete;
  CublasLt& operator=(const CublasLt&) = delete;

  [[nodiscard]] const Library& library() const { return library_; }
  /// 130100 is 13.1.0.
  [[nodiscard]] std::size_t version() const { return version_(); }
  [[nodiscard]] const std::shared_ptr<const Context>& context() const { return context_; }
  [[nodiscard]] cublasLtHandle_t handle() const { return handle_; }
  /// throws DeviceError unless `status` is success.  call  "cublasLtMatmul"
  void check(cublasStatus_t status, const char* call) const;

  decltype(&cublasLtMatmul) matmul = nullptr;
  decltype(&cublasLtMatmulDescCreate) operation_create = nullptr;
  decltype(&cublasLtMatmulDescDestroy) operation_destroy = nullptr;
  decltype(&cublasLtMatmulDescSetAttribute) operation_set = nullptr;
  decltype(&cublasLtMatrixLayoutCreate) layout_create = nullptr;
  decltype(&cublasLtMatrixLayoutDestroy) layout_destroy = nullptr;
  decltype(&cublasLtMatmulPreferenceCreate) preference_create = nullptr;
  decltype(&cublasLtMatmulPreferenceDestroy) preference_destroy = nullptr;
  decltype(&cublasLtMatmulPreferenceSetAttribute) preference_set = nullptr;
  decltype(&cublasLtMatmulAlgoGetHeuristic) heuristic = nullptr;

 private:
  std::shared_ptr<const Context> context_;
  Library library_;
  decltype(&cublasLtGetVersion) version_ = nullptr;
  decltype(&cublasLtGetStatusName) status_name_ = nullptr;
  decltype(&cublasLtCreate) create_ = nullptr;
  decltype(&cublasLtDestroy) destroy_ = nullptr;
  cublasLtHandle_t handle_ = nullptr;
};

/// y[M, N] = x[M, K] w[N, K]^T, row-major and dense. The algorithm is chosen once, by the constructor (the first that
/// cuBLASLt's heuristic names for a workspace of 32 MiB), so every call of one object does the same.
class Gemm {
 public:
  struct Shape {
    std::uint64_t m = 0, n = 0, k = 0;
  };

  ///   dtype   "fp32"  fp32 arithmetic, no TF32 (NVIDIA_TF32_OVERRIDE=1 in the environment would change that)
  ///           "tf32"  fp32 in memory, products of TF32
  ///           "fp16", "bf16"  sums in fp32, y of the same type
  ///           "fp8"   e4m3, scales of 1, sums on the tensor cores with full accumulation, y in bf16
  ///   throws  UsageError for another dtype or where cuBLASLt has no algorithm for the shape, DeviceError
  Gemm(std::shared_ptr<const CublasLt> library, const std::string& dtype, Shape shape);

  /// Enqueues one product and does nothing else. Operands are aligned to 256 bytes.  throws KernelError
  void enqueue(CudaStream& stream, const void* x, const void* w, void* y) const;

 private:
  struct Destroy {
    const CublasLt* library;
    void operator()(cublasLtMatmulDesc_t operation) const { (void)library->operation_destroy(operation); }
    void operator()(cublasLtMatrixLayout_t layout) const { (void)library->layout_destroy(layout); }
    void operator()(cublasLtMatmulPreference_t preference) const { (void)library->preference_destroy(preference); }
  };
  using Operation = std::unique_ptr<cublasLtMatmulDescOpaque_t, Destroy>;
  using Layout = std::unique_ptr<cublasLtMatrixLayoutOpaque_t, Destroy>;
  using Preference = std::unique_ptr<cublasLtMatmulPreferenceOpaque_t, Destroy>;

  [[nodiscard]] Operation make_operation(cublasComputeType_t compute) const;
  [[nodiscard]] Layout make_layout(cudaDataType_t type, std::uint64_t rows, std::uint64_t columns) const;
  void choose_algorithm(const std::string& dtype, Shape shape);

  std::shared_ptr<const CublasLt> library_;
  Operation operation_;
  Layout w_, x_, y_;
  DeviceMemory workspace_;
  cublasLtMatmulAlgo_t algorithm_{};
};

}  // namespace warpclock::cuda
