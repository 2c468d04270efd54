// How a GPU launches the kernels of the suite: those of backends/cuda/kernels/suite.cu, and cuBLASLt for gemm.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <memory>

#include "backends/cuda/cublaslt.hpp"
#include "backends/cuda/device.hpp"
#include "core/errors.hpp"
#include "suite/kernels.hpp"
#include "suite/launchers.hpp"

namespace warpclock {
namespace {

using Operands = std::span<const Operand>;

constexpr unsigned elementwise_block = 256;
constexpr unsigned read_block = 256;  // 4 float4 of a chunk of 4096 a thread: as many loads in flight as the kernel has
constexpr std::uint64_t most_blocks = 0x7fffffff;  // gridDim.x, all compute capabilities

// CUDA passes pointers as 64-bit addresses; launchers pass them on as they are.
CUdeviceptr at(const Operand& operand) {
  return static_cast<CUdeviceptr>(std::bit_cast<std::uintptr_t>(operand.address));
}

std::uint64_t ceil_div(std::uint64_t a, std::uint64_t b) { return a / b + (a % b != 0 ? 1 : 0); }

// One pass of float4 over n elements, a quarter of them a thread; the kernels stride where the grid ends.
cuda::Dim3 elementwise_grid(std::uint64_t n) {
  return {static_cast<unsigned>(std::clamp<std::uint64_t>(ceil_div(n, 4 * elementwise_block), 1, most_blocks))};
}

// A row whose launch is `run(stream, function, operands)` with the kernel called `function`.
template <typename Run>
LauncherRow row(const std::string& kernel, const std::string& function, Run run) {
  return {kernel, [function, run](Device& device, const Point&, const KernelPlan&) -> Launcher {
            return [run, code = cuda::as_cuda(device).kernel(function)](Stream& stream, Operands operands) {
              run(static_cast<cuda::CudaStream&>(stream), code, operands);
            };
          }};
}

template <typename... Args>
void launch_elementwise(cuda::CudaStream& stream, CUfunction code, std::uint64_t n, const Args&... args) {
  stream.launch(code, elementwise_grid(n), {elementwise_block}, 0, args..., n);
}

void launch_read(cuda::CudaStream& stream, CUfunction code, Operands o) {
  stream.launch(code, {static_cast<unsigned>(o[1].count)}, {read_block}, 0, at(o[0]), at(o[1]), o[0].count, read_chunk);
}

struct Rows {
  unsigned rows;
  std::uint64_t cols;
  unsigned block;  // threads, about 4 float4 of a row each
};

Rows shape_of(const std::string& kernel, const Point& point) {
  const auto rows = static_cast<std::uint64_t>(point.integer("rows"));
  const auto cols = static_cast<std::uint64_t>(point.integer("cols"));
  if (cols % 4 != 0) {
    throw UsageError(fmt::format("{}: cuda reads rows as float4; cols={} is no multiple of 4", kernel, cols));
  }
  if (rows > most_blocks)
    throw UsageError(fmt::format("{}: cuda takes up to {} rows, not {}", kernel, most_blocks, rows));
  const auto warps = std::clamp<std::uint64_t>(ceil_div(cols, 4 * 4 * 32), 1, 32);
  return {static_cast<unsigned>(rows), cols, static_cast<unsigned>(32 * warps)};
}

// The same for kernels on rows, one block a row: `run(stream, function, operands, shape)`.
template <typename Run>
LauncherRow matrix_row(const std::string& kernel, const std::string& function, Run run) {
  return {kernel, [kernel, function, run](Device& device, const Point& point, const KernelPlan&) -> Launcher {
            const auto shape = shape_of(kernel, point);
            return [run, shape, code = cuda::as_cuda(device).kernel(function)](Stream& stream, Operands operands) {
              run(static_cast<cuda::CudaStream&>(stream), code, operands, shape);
            };
          }};
}

LauncherRow gemm_row() {
  return {"gemm", [](Device& device, const Point& point, const KernelPlan&) -> Launcher {
            const auto size = [&](const char* axis) { return static_cast<std::uint64_t>(point.integer(axis)); };
            const auto gemm = std::make_shared<const cuda::Gemm>(cuda::as_cuda(device).cublaslt(), point.text("dtype"),
                                                                 cuda::Gemm::Shape{size("M"), size("N"), size("K")});
            return [gemm](Stream& stream, Operands o) {
              gemm->enqueue(static_cast<cuda::CudaStream&>(stream), o[0].address, o[1].address, o[2].address);
            };
          }};
}

}  // namespace

LauncherTable cuda_launchers() {
  using cuda::CudaStream;
  return {"cuda",
          {
              gemm_row(),
              row("add", "add_f32",
                  [](CudaStream& stream, CUfunction code, Operands o) {
                    launch_elementwise(stream, code, o[2].count, at(o[0]), at(o[1]), at(o[2]));
                  }),
              row("copy", "copy_f32",
                  [](CudaStream& stream, CUfunction code, Operands o) {
                    launch_elementwise(stream, code, o[1].count, at(o[0]), at(o[1]));
                  }),
              row("read", "read_f32", launch_read),
              row("fill", "fill_f32",
                  [](CudaStream& stream, CUfunction code, Operands o) {
                    launch_elementwise(stream, code, o[0].count, at(o[0]), fill_value);
                  }),
              row("scale", "scale_f32",
                  [](CudaStream& stream, CUfunction code, Operands o) {
                    launch_elementwise(stream, code, o[0].count, at(o[0]), at(o[0]), 2.0F);
                  }),
              matrix_row("rmsnorm", "rmsnorm_f32",
                         [](CudaStream& stream, CUfunction code, Operands o, const Rows& shape) {
                           stream.launch(code, {shape.rows}, {shape.block}, 0, at(o[0]), at(o[1]), at(o[2]), shape.cols,
                                         rmsnorm_epsilon);
                         }),
              matrix_row("softmax", "softmax_f32",
                         [](CudaStream& stream, CUfunction code, Operands o, const Rows& shape) {
                           stream.launch(code, {shape.rows}, {shape.block}, 0, at(o[0]), at(o[1]), shape.cols);
                         }),
          }};
}

}  // namespace warpclock
