#include "backends/cuda/describe.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cstdlib>
#include <string_view>

#include "backends/cuda/cublaslt.hpp"
#include "backends/cuda/nvrtc.hpp"

namespace warpclock::cuda {

namespace {

// Measured on an H200 with driver 580.159.04: about 1024 launches fit; some of those are the harness's own.
constexpr std::size_t launch_queue = 1000;

const char* yes_no(bool value) { return value ? "yes" : "no"; }

std::string name_text(const Context& context) {
  std::array<char, 256> name{};
  context.check(context.driver().device_name(name.data(), name.size(), context.device()), "cuDeviceGetName");
  return name.data();
}

struct ComputeType {
  const char* name;
  int since;  // compute capability, major * 10 + minor, whose tensor cores (or lanes, for fp32) have it
};
constexpr ComputeType compute_types[] = {{"fp32", 0}, {"fp16", 70}, {"tf32", 80}, {"bf16", 80}, {"fp8", 89}};

int capability(const Context& context) {
  return context.attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) * 10 +
         context.attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
}

/// An ability that needs a library, which is looked for and not opened.
///   return  why it does not work; empty where it should
std::string add_library(DeviceInfo& info, const std::string& ability, const LibrarySpec& spec) {
  const auto file = find_library(spec);
  const std::string problem = file ? "" : not_found(spec);
  info.abilities.push_back({ability, file.has_value(),
                            file ? fmt::format("{} of {} ({})", spec.title, file->path, file->found_by) : problem});
  return problem;
}

void add_abilities(DeviceInfo& info, const Parts& parts) {
  const std::string& hold = parts.stream.hold_problem();
  info.abilities.push_back({"hold", hold.empty(), hold.empty() ? "cuStreamWaitValue32 on mapped host memory" : hold});
  const bool tracing = parts.tracing_problem.empty();
  info.abilities.push_back({"tracing", tracing, tracing ? parts.tracing_library : parts.tracing_problem});
  info.abilities.push_back({"clock probe", true, "SM cycles over the global timer, one warp, 30 us"});
  info.abilities.push_back(
      {"telemetry", parts.nvml != nullptr, parts.nvml != nullptr ? parts.nvml->library() : parts.nvml_problem});
  info.abilities.push_back({"evict", true, "reads or writes a buffer of its own"});
  const std::string gemm = add_library(info, "gemm", cublaslt_spec(parts.context.driver().version));
  add_library(info, "own kernels", nvrtc_spec(parts.context.driver().version));
  for (const ComputeType& type : compute_types) {
    const bool has = capability(parts.context) >= type.since;
    if (has && gemm.empty()) info.compute_types.emplace_back(type.name);
    const std::string detail = !has ? fmt::format("needs compute capability {:.1f}, this is {:.1f}", type.since / 10.0,
                                                  capability(parts.context) / 10.0)
                                    : fmt::format("compute capability {:.1f}", capability(parts.context) / 10.0);
    info.abilities.push_back({type.name, has && gemm.empty(), has && !gemm.empty() ? gemm : detail});
  }
}

void add_telemetry(DeviceInfo& info, NvmlDevice& nvml) {
  const auto add = [&](const char* key, const std::optional<double>& value, const char* unit) {
    if (value) info.details.emplace_back(key, fmt::format("{:.0f} {}", *value, unit));
  };
  if (const std::string driver = nvml.driver_version(); !driver.empty()) {
    info.details.emplace_back("driver", driver);
  }
  const Telemetry now = nvml.telemetry();
  add("SM clock, current", now.sm_clock_mhz, "MHz");
  add("SM clock, largest", now.sm_clock_max_mhz, "MHz");
  add("memory clock, current", now.memory_clock_mhz, "MHz");
  add("memory clock, largest", now.memory_clock_max_mhz, "MHz");
  info.details.emplace_back("clocks, requested", "none by warpclock; NVML cannot tell a lock of others");
  add("power limit", now.power_limit_watts, "W");
  add("power now", now.power_watts, "W");
  add("temperature now", now.temperature_celsius, "C");
  if (now.throttle_reasons) {
    info.details.emplace_back("throttled now by", now.throttle_reasons->empty()
                                                      ? std::string("nothing")
                                                      : fmt::format("{}", fmt::join(*now.throttle_reasons, ", ")));
  }
  if (const auto mode = nvml.persistence_mode()) info.details.emplace_back("persistence mode", yes_no(*mode));
  if (nvml.is_mig_slice()) {
    info.details.emplace_back(
        "MIG", "this is a slice: it shares clocks and power, which are told of the whole chip, with others");
  } else if (const auto enabled = nvml.mig_enabled()) {
    info.details.emplace_back("MIG", *enabled ? "on" : "off");
  }
  const auto others = nvml.other_processes();
  std::string text = others ? "none" : "not told by NVML";
  if (others && !others->empty()) {
    text.clear();
    for (const OtherProcess& other : *others) {
      text += fmt::format("{}{}", text.empty() ? "pid " : ", ", other.pid);
      info.other_processes.push_back(static_cast<std::uint32_t>(other.pid));
    }
  }
  info.details.emplace_back("other processes on it", text);
}

void add_details(DeviceInfo& info, const Parts& parts) {
  const Context& context = parts.context;
  const int version = context.driver().version;
  info.details.emplace_back("PCI bus", pci_bus_text(context));
  info.details.emplace_back("compute capability", fmt::format("{:.1f}", capability(context) / 10.0));
  info.details.emplace_back("SMs", std::to_string(context.attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)));
  info.details.emplace_back("ECC", yes_no(context.attribute(CU_DEVICE_ATTRIBUTE_ECC_ENABLED) != 0));
  info.details.emplace_back("driver supports CUDA", fmt::format("{}.{}", version / 1000, version % 1000 / 10));
  info.details.emplace_back("driver library", context.driver().path);
  if (parts.nvml != nullptr) add_telemetry(info, *parts.nvml);
  // Attribute 133 (CUDA 12.3): newer than our oldest headers.
  const bool mps = context.attribute(static_cast<CUdevice_attribute>(133)) != 0;
  info.details.emplace_back("MPS", mps ? "on: other processes may run on it at the same time" : "off");
}

}  // namespace

DeviceInfo describe(const Parts& parts) {
  const Context& context = parts.context;
  DeviceInfo info;
  info.id = context.id();
  info.backend = "cuda";
  info.name = name_text(context);
  const bool slice = parts.nvml != nullptr && parts.nvml->is_mig_slice();
  // Peaks are looked up by this name, and those of the whole chip are not a slice's.
  if (slice && info.name.find(" MIG ") == std::string::npos) {
    info.name += fmt::format(" MIG slice of {} SMs", context.attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT));
  }
  info.identity = (slice ? "MIG-" : "GPU-") + uuid_text(context);
  info.last_level_cache = static_cast<Bytes>(context.attribute(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE));
  info.last_level_cache_source = "CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE";
  std::size_t memory = 0;
  context.check(context.driver().device_total_memory(&memory, context.device()), "cuDeviceTotalMem");
  info.memory_total = memory;
  info.mark_timer = "CUDA event";
  info.mark_step = parts.stream.mark_step();
  if (parts.tracing_problem.empty()) {
    info.record_timer = "CUPTI activity record";
    info.record_step = parts.record_step;
  }
  info.queue_limit = launch_queue_limit();
  add_abilities(info, parts);
  add_details(info, parts);
  return info;
}

std::string uuid_text(const Context& context) {
  CUuuid uuid{};
  context.check(context.driver().device_uuid(&uuid, context.device()), "cuDeviceGetUuid");
  std::string text;
  for (std::size_t i = 0; i < sizeof uuid.bytes; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += fmt::format("{:02x}", static_cast<unsigned char>(uuid.bytes[i]));
  }
  return text;
}

std::string pci_bus_text(const Context& context) {
  std::array<char, 32> text{};
  context.check(context.driver().device_pci_bus_id(text.data(), static_cast<int>(text.size()), context.device()),
                "cuDeviceGetPCIBusId");
  return text.data();
}

std::size_t launch_queue_limit() {
  const char* scale = std::getenv("CUDA_SCALE_LAUNCH_QUEUES");  // "0.25x", "0.5x", "2x", "4x"
  if (scale == nullptr) return launch_queue;
  const double factor = std::strtod(scale, nullptr);
  return factor > 0 ? static_cast<std::size_t>(factor * static_cast<double>(launch_queue)) : launch_queue;
}

}  // namespace warpclock::cuda
