#include "api/call_context.hpp"

#include <utility>

#include "backends/cpu/device.hpp"
#include "core/errors.hpp"
#ifdef WARPCLOCK_WITH_CUDA
#include "backends/cuda/context.hpp"
#include "backends/cuda/device.hpp"
#endif

namespace warpclock {

#ifdef WARPCLOCK_WITH_CUDA
struct CallContext::Current {
  explicit Current(const cuda::Context& context) : guard(context) {}
  cuda::ContextGuard guard;
};
#else
struct CallContext::Current {};
#endif

CallContext::CallContext(Device& device) {
  if (device.info().backend == "cpu") return;
#ifdef WARPCLOCK_WITH_CUDA
  if (device.info().backend == "cuda") {
    auto& gpu = cuda::as_cuda(device);
    current_ = std::make_unique<Current>(*gpu.context());
    stream_ = gpu.cuda_stream().handle();
    return;
  }
#endif
  throw UsageError("a callable cannot run on " + device.info().id + "; use cpu or cuda");
}

CallContext::~CallContext() = default;

void enqueue(Device& device, const std::string& name, std::function<void()> task) {
  if (device.info().backend == "cpu") {
    static_cast<cpu::CpuDevice&>(device).stream().launch(name, std::move(task));
    return;
  }
  task();
}

}  // namespace warpclock
