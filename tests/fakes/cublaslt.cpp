// Stand-in for cuBLASLt: a matmul is one kernel of a scripted time ("duration.matmul", in ns) in the stand-in driver's
// stream.
#include <cublasLt.h>

#include "fakes/cuda_stream.hpp"
#include "fakes/machine.hpp"

namespace {

fake::Machine& machine() { return fake::Machine::instance(); }
cublasStatus_t scripted(const char* function) { return static_cast<cublasStatus_t>(machine().error_of(function)); }

constexpr std::uint64_t usual_duration = 30'000;  // ns
constexpr unsigned threads = 384;

// What stands behind the handles: nothing reads it.
cublasLtMatmulDescOpaque_t operation{};
cublasLtMatrixLayoutOpaque_t layout{};
cublasLtMatmulPreferenceOpaque_t preference{};
int handle = 0;

}  // namespace

extern "C" {

std::size_t cublasLtGetVersion() { return 130000; }

const char* cublasLtGetStatusName(cublasStatus_t status) {
  return status == CUBLAS_STATUS_NOT_INITIALIZED ? "CUBLAS_STATUS_NOT_INITIALIZED" : "CUBLAS_STATUS_EXECUTION_FAILED";
}

cublasStatus_t cublasLtCreate(cublasLtHandle_t* made) {
  *made = reinterpret_cast<cublasLtHandle_t>(&handle);
  return scripted("cublasLtCreate");
}
cublasStatus_t cublasLtDestroy(cublasLtHandle_t) { return scripted("cublasLtDestroy"); }

cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t* made, cublasComputeType_t, cudaDataType_t) {
  *made = &operation;
  return scripted("cublasLtMatmulDescCreate");
}
cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t) { return CUBLAS_STATUS_SUCCESS; }
cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t, cublasLtMatmulDescAttributes_t, const void*,
                                              std::size_t) {
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t* made, cudaDataType, std::uint64_t, std::uint64_t,
                                          std::int64_t) {
  *made = &layout;
  return scripted("cublasLtMatrixLayoutCreate");
}
cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t) { return CUBLAS_STATUS_SUCCESS; }

cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t* made) {
  *made = &preference;
  return scripted("cublasLtMatmulPreferenceCreate");
}
cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t) { return CUBLAS_STATUS_SUCCESS; }
cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t, cublasLtMatmulPreferenceAttributes_t,
                                                    const void*, std::size_t) {
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t, cublasLtMatmulDesc_t, cublasLtMatrixLayout_t,
                                              cublasLtMatrixLayout_t, cublasLtMatrixLayout_t, cublasLtMatrixLayout_t,
                                              cublasLtMatmulPreference_t, int, cublasLtMatmulHeuristicResult_t* results,
                                              int* count) {
  results[0] = {};
  *count = 1;
  return scripted("cublasLtMatmulAlgoGetHeuristic");
}

cublasStatus_t cublasLtMatmul(cublasLtHandle_t, cublasLtMatmulDesc_t, const void*, const void*, cublasLtMatrixLayout_t,
                              const void*, cublasLtMatrixLayout_t, const void*, const void*, cublasLtMatrixLayout_t,
                              void*, cublasLtMatrixLayout_t, const cublasLtMatmulAlgo_t*, void*, std::size_t,
                              cudaStream_t stream_of_runtime) {
  if (const auto status = scripted("cublasLtMatmul"); status != CUBLAS_STATUS_SUCCESS) return status;
  auto* stream = reinterpret_cast<CUstream>(stream_of_runtime);
  const std::uint32_t correlation = ++stream->context->correlation;
  stream->enqueue({.run = [=] {
    const auto ns = static_cast<std::uint64_t>(machine().number("duration.matmul", usual_duration));
    const std::uint64_t start = stream->occupy(ns, 0);
    machine().record({fake::Activity::Kind::kernel, "matmul", start, stream->time,
                      static_cast<std::uint32_t>(stream->context->ordinal), stream->number, correlation, threads});
  }});
  return CUBLAS_STATUS_SUCCESS;
}

}  // extern "C"
