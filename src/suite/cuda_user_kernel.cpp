// A kernel of one's own on a GPU: compiled by NVRTC or loaded as it is, its parameters compared with the arguments.
#include <fmt/format.h>

#include <cstring>
#include <map>
#include <memory>
#include <utility>

#include "backends/cuda/device.hpp"
#include "backends/cuda/nvrtc.hpp"
#include "core/errors.hpp"
#include "suite/user_launcher.hpp"

namespace warpclock {
namespace {

constexpr std::int64_t shared_without_asking = 48 << 10;  // bytes; more must be allowed for each kernel

class Code {
 public:
  Code(UserKernel kernel, std::string content) : kernel_(std::move(kernel)), content_(std::move(content)) {}

  /// Compilations are kept by everything that they depend on: the device and the words with their axes filled in.
  const cuda::CompiledKernel& compiled(const cuda::Context& context, const Point& point) {
    const std::string name = with_axes(kernel_.name, point);
    if (kernel_.kind == UserKernel::Kind::image) {
      image_ = {content_, name, ""};
      return image_;
    }
    cuda::SourceKernel source{kernel_.path, content_, name, {}};
    std::string key = context.id() + '\n' + name;
    for (const auto& option : kernel_.nvrtc) {
      source.options.push_back(with_axes(option, point));
      key += '\n' + source.options.back();
    }
    if (const auto found = compiled_.find(key); found != compiled_.end()) return found->second;
    const int capability = 10 * context.attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) +
                           context.attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
    return compiled_.emplace(key, cuda::compile(source, capability, context.driver().version)).first->second;
  }

  [[nodiscard]] const UserKernel& kernel() const { return kernel_; }

 private:
  UserKernel kernel_;
  std::string content_;
  cuda::CompiledKernel image_;
  std::map<std::string, cuda::CompiledKernel> compiled_;
};

/// One point, ready to be enqueued. Buffers' addresses are filled in by each call, since its copies differ.
struct Launch {
  std::unique_ptr<cuda::Module> module;
  CUfunction function = nullptr;
  cuda::Dim3 grid, block;
  unsigned shared = 0;
  std::vector<std::array<std::byte, 8>> values;  // [argument]
  std::vector<void*> addresses;                  // of the values
  std::vector<std::size_t> buffers;              // which arguments are buffers
};

cuda::Dim3 dimensions(const std::vector<Expression>& sizes, const Point& point) {
  // gridDim.x goes up to 2^31 - 1, the others are smaller; the launch itself knows the device's limits.
  const auto size = [&](std::size_t i) { return static_cast<unsigned>(sizes[i].value(point, 1, 0x7fffffff)); };
  return {size(0), size(1), size(2)};
}

/// A wrong list of arguments would have the kernel read memory of the host that is not there, or take one number for
/// another. Drivers before CUDA 12.4 do not tell the parameters; there nothing is compared.
void check_parameters(const cuda::Context& context, const UserKernel& kernel, const Launch& launch) {
  const auto info = context.driver().function_parameter_info;
  if (info == nullptr) return;
  const cuda::ContextGuard guard(context);
  std::vector<std::size_t> sizes;
  std::size_t offset = 0, size = 0;
  while (info(launch.function, sizes.size(), &offset, &size) == CUDA_SUCCESS) sizes.push_back(size);
  if (sizes.size() != kernel.arguments.size()) {
    throw UsageError(fmt::format("{}: the kernel has {} parameters and there are {} --arg; give one for each, in order",
                                 kernel.word, sizes.size(), kernel.arguments.size()));
  }
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const auto* scalar = std::get_if<ScalarArgument>(&kernel.arguments[i].value);
    const std::size_t given = scalar != nullptr ? scalar->size() : sizeof(CUdeviceptr);
    if (given == sizes[i]) continue;
    throw UsageError(fmt::format("{}: parameter {} of the kernel takes {} bytes and --arg {} has {}; see its type",
                                 kernel.word, i + 1, sizes[i], kernel.arguments[i].word, given));
  }
}

void allow_shared(const cuda::Context& context, const UserKernel& kernel, const Launch& launch) {
  if (launch.shared <= shared_without_asking) return;
  const cuda::ContextGuard guard(context);
  const CUresult result = context.driver().function_set_attribute(
      launch.function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, static_cast<int>(launch.shared));
  if (result == CUDA_ERROR_INVALID_VALUE) {
    throw UsageError(fmt::format("{}: {} bytes of dynamic shared memory are more than a block can have here",
                                 kernel.word, launch.shared));
  }
  context.check(result, "cuFuncSetAttribute");
}

std::unique_ptr<cuda::Module> load(const std::shared_ptr<const cuda::Context>& context, const UserKernel& kernel,
                                   const std::string& image) {
  try {
    return std::make_unique<cuda::Module>(context, image.c_str(), kernel.path);  // c_str: PTX must end in a zero byte
  } catch (const DeviceError& error) {
    throw KernelError(fmt::format("{}: the driver cannot load it: {}", kernel.path, error.what()));
  }
}

std::shared_ptr<Launch> prepare(Code& code, cuda::CudaDevice& device, const Point& point) {
  const auto& kernel = code.kernel();
  auto launch = std::make_shared<Launch>();
  launch->grid = dimensions(kernel.grid, point);
  launch->block = dimensions(kernel.block, point);
  launch->shared = static_cast<unsigned>(kernel.shared.value(point, 0, 0x7fffffff));
  launch->values.resize(kernel.arguments.size());
  for (std::size_t i = 0; i < kernel.arguments.size(); ++i) {
    launch->addresses.push_back(launch->values[i].data());
    if (const auto* scalar = std::get_if<ScalarArgument>(&kernel.arguments[i].value)) {
      launch->values[i] = scalar->bytes(point);
    } else {
      launch->buffers.push_back(i);
    }
  }
  const auto& compiled = code.compiled(*device.context(), point);
  launch->module = load(device.context(), kernel, compiled.image);
  launch->function = launch->module->function(compiled.function);
  check_parameters(*device.context(), kernel, *launch);
  allow_shared(*device.context(), kernel, *launch);
  return launch;
}

}  // namespace

UserLauncher cuda_user_launcher(UserKernel kernel, std::string content) {
  const auto code = std::make_shared<Code>(std::move(kernel), std::move(content));
  return [code](Device& device, const Point& point) -> Launcher {
    const auto launch = prepare(*code, cuda::as_cuda(device), point);
    return [launch](Stream& stream, std::span<const Operand> operands) {
      for (std::size_t i = 0; i < operands.size(); ++i) {
        std::memcpy(launch->values[launch->buffers[i]].data(), &operands[i].address, sizeof operands[i].address);
      }
      static_cast<cuda::CudaStream&>(stream).launch_raw(launch->function, launch->grid, launch->block, launch->shared,
                                                        launch->addresses.data());
    };
  };
}

}  // namespace warpclock
