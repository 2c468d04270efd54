#include "backends/cuda/cublaslt.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "core/errors.hpp"

namespace warpclock::cuda {

namespace {

constexpr Bytes workspace_bytes = Bytes{32} << 20;  // what NVIDIA advises for Hopper; others need less

struct GemmType {
  const char* name;
  cudaDataType_t in;
  cudaDataType_t out;
  cublasComputeType_t compute;
};

constexpr std::array<GemmType, 5> gemm_types{{
    {"fp32", CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F},
    {"tf32", CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_TF32},
    {"fp16", CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_32F},
    {"bf16", CUDA_R_16BF, CUDA_R_16BF, CUBLAS_COMPUTE_32F},
    {"fp8", CUDA_R_8F_E4M3, CUDA_R_16BF, CUBLAS_COMPUTE_32F},
}};

const GemmType& gemm_type(const std::string& name) {
  const auto* found = std::find_if(gemm_types.begin(), gemm_types.end(), [&](const auto& t) { return t.name == name; });
  if (found == gemm_types.end()) {
    throw UsageError(
        fmt::format("gemm: cuBLASLt is not asked for dtype={}; choose fp32, tf32, fp16, bf16 or fp8", name));
  }
  return *found;
}

}  // namespace

LibrarySpec cublaslt_spec(int driver_version) {
  return {"cuBLASLt",
          "WARPCLOCK_LIBCUBLASLT",
          versioned_names("libcublasLt", driver_version / 1000, 12),
          {"cublas/lib", "cu13/lib", "cu12/lib"},
          {"lib64", "targets/x86_64-linux/lib"}};
}

CublasLt::CublasLt(std::shared_ptr<const Context> context)
    : context_(std::move(context)), library_(cublaslt_spec(context_->driver().version)) {
  library_.bind(version_, "cublasLtGetVersion");
  library_.bind(status_name_, "cublasLtGetStatusName");
  library_.bind(create_, "cublasLtCreate");
  library_.bind(destroy_, "cublasLtDestroy");
  library_.bind(matmul, "cublasLtMatmul");
  library_.bind(operation_create, "cublasLtMatmulDescCreate");
  library_.bind(operation_destroy, "cublasLtMatmulDescDestroy");
  library_.bind(operation_set, "cublasLtMatmulDescSetAttribute");
  library_.bind(layout_create, "cublasLtMatrixLayoutCreate");
  library_.bind(layout_destroy, "cublasLtMatrixLayoutDestroy");
  library_.bind(preference_create, "cublasLtMatmulPreferenceCreate");
  library_.bind(preference_destroy, "cublasLtMatmulPreferenceDestroy");
  library_.bind(preference_set, "cublasLtMatmulPreferenceSetAttribute");
  library_.bind(heuristic, "cublasLtMatmulAlgoGetHeuristic");
  const ContextGuard guard(*context_);
  check(create_(&handle_), "cublasLtCreate");
}

CublasLt::~CublasLt() {
  const ContextGuard guard(*context_, std::nothrow);
  (void)destroy_(handle_);
}

void CublasLt::check(cublasStatus_t status, const char* call) const {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  const char* name = status_name_(status);
  throw DeviceError(fmt::format("{}: {}: {} ({}), of {}; see that it fits the driver (CUDA {}.{})", context_->id(),
                                call, name == nullptr ? "unknown status" : name, static_cast<int>(status),
                                library_.path(), context_->driver().version / 1000,
                                context_->driver().version % 1000 / 10));
}

// A row-major matrix is the column-major transpose of itself: y^T[N, M] = w[N, K] x^T[K, M], where w and x lie in
// memory as K x N and K x M. So w is the transposed first operand and x the second one as it is: the form that fp8
// needs.
Gemm::Gemm(std::shared_ptr<const CublasLt> library, const std::string& dtype, Shape shape)
    : library_(std::move(library)),
      operation_(make_operation(gemm_type(dtype).compute)),
      w_(make_layout(gemm_type(dtype).in, shape.k, shape.n)),
      x_(make_layout(gemm_type(dtype).in, shape.k, shape.m)),
      y_(make_layout(gemm_type(dtype).out, shape.n, shape.m)),
      workspace_(library_->context(), workspace_bytes) {
  choose_algorithm(dtype, shape);
}

Gemm::Operation Gemm::make_operation(cublasComputeType_t compute) const {
  cublasLtMatmulDesc_t made = nullptr;
  library_->check(library_->operation_create(&made, compute, CUDA_R_32F), "cublasLtMatmulDescCreate");
  Operation operation(made, {library_.get()});
  const cublasOperation_t transposed = CUBLAS_OP_T;  // the second operand is not by default
  library_->check(library_->operation_set(made, CUBLASLT_MATMUL_DESC_TRANSA, &transposed, sizeof transposed),
                  "cublasLtMatmulDescSetAttribute");
  return operation;
}

Gemm::Layout Gemm::make_layout(cudaDataType_t type, std::uint64_t rows, std::uint64_t columns) const {
  cublasLtMatrixLayout_t made = nullptr;
  library_->check(library_->layout_create(&made, type, rows, columns, static_cast<std::int64_t>(rows)),
                  "cublasLtMatrixLayoutCreate");
  return {made, {library_.get()}};
}

void Gemm::choose_algorithm(const std::string& dtype, Shape shape) {
  cublasLtMatmulPreference_t made = nullptr;
  library_->check(library_->preference_create(&made), "cublasLtMatmulPreferenceCreate");
  const Preference preference(made, {library_.get()});
  const std::size_t workspace = workspace_bytes;  // operands are taken to be aligned to 256 bytes, the default
  library_->check(
      library_->preference_set(made, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &workspace, sizeof workspace),
      "cublasLtMatmulPreferenceSetAttribute");
  cublasLtMatmulHeuristicResult_t found{};
  int count = 0;
  const ContextGuard guard(*library_->context());
  const cublasStatus_t status = library_->heuristic(library_->handle(), operation_.get(), w_.get(), x_.get(), y_.get(),
                                                    y_.get(), made, 1, &found, &count);
  const bool none = status == CUBLAS_STATUS_NOT_SUPPORTED || status == CUBLAS_STATUS_INVALID_VALUE;
  if (!none) library_->check(status, "cublasLtMatmulAlgoGetHeuristic");
  if (none || count == 0 || found.state != CUBLAS_STATUS_SUCCESS) {
    throw UsageError(
        fmt::format("gemm: cuBLASLt {} has no algorithm for M={} N={} K={} dtype={} on {}; {}", library_->version(),
                    shape.m, shape.n, shape.k, dtype, library_->context()->id(),
                    dtype == "fp8" ? "fp8 needs N and K to be multiples of 16" : "choose another size or dtype"));
  }
  algorithm_ = found.algo;
}

void Gemm::enqueue(CudaStream& stream, const void* x, const void* w, void* y) const {
  const float one = 1, zero = 0;
  const ContextGuard guard(*library_->context());
  // The runtime's stream type is the driver's.
  const cublasStatus_t status =
      library_->matmul(library_->handle(), operation_.get(), &one, w, w_.get(), x, x_.get(), &zero, y, y_.get(), y,
                       y_.get(), &algorithm_, workspace_.address(), workspace_bytes, stream.handle());
  try {
    library_->check(status, "cublasLtMatmul");
  } catch (const DeviceError& error) {
    throw KernelError(error.what());
  }
}

}  // namespace warpclock::cuda
