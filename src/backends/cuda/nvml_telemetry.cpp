#include "backends/cuda/nvml_telemetry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

namespace warpclock::cuda {

namespace {

/// What a value can be; outside of it NVML told nonsense (an unset field, another unit, a failed sensor).
struct Range {
  double least;
  double most;
  const char* unit;
};
constexpr Range clock_range{1, 20'000, "MHz"};   // no chip comes near: memory is below 10 GHz
constexpr Range power_range{0.001, 5'000, "W"};  // no board draws that much, and none that answers draws nothing
constexpr Range temperature_range{-20, 150, "C"};

constexpr Range energy_range{0, 1e12, "J"};   // 30 years of a kW
constexpr double longest_throttle_ns = 1e18;  // 30 years

constexpr unsigned temperature_gpu = 0;
constexpr unsigned long long idle_bit = 0x1;  // no throttling: nothing to do

constexpr std::array<std::pair<unsigned long long, const char*>, 8> reason_bits{{
    {0x2, "application or locked clocks"},
    {0x4, "power limit"},
    {0x8, "hardware slowdown"},
    {0x10, "sync boost"},
    {0x20, "temperature"},
    {0x40, "temperature (hardware)"},
    {0x80, "power brake"},
    {0x100, "display clocks"},
}};

/// A time counter: its field (NVML_FI_DEV_..., ns), and the policy of nvmlDeviceGetViolationStatus that drivers without
/// the field have instead (580.159.04 on an H200 has none from 251 on).
struct TimeCounter {
  const char* reason;
  unsigned field;
  std::optional<unsigned> policy;
};
const std::array<TimeCounter, 6> time_counters{{
    {"power limit", 74, 0U},                        // CLOCKS_EVENT_REASON_SW_POWER_CAP; PERF_POLICY_POWER
    {"sync boost", 76, 2U},                         // CLOCKS_EVENT_REASON_SYNC_BOOST
    {"board limit", 77, 3U},                        // PERF_POLICY_BOARD_LIMIT
    {"temperature", 251, 1U},                       // CLOCKS_EVENT_REASON_SW_THERM_SLOWDOWN; PERF_POLICY_THERMAL
    {"temperature (hardware)", 252, std::nullopt},  // CLOCKS_EVENT_REASON_HW_THERM_SLOWDOWN
    {"power brake", 253, std::nullopt},             // CLOCKS_EVENT_REASON_HW_POWER_BRAKE_SLOWDOWN
}};

/// Keeps `value`, or the reason why it is not to be believed.
std::optional<double> believed(Telemetry& out, const char* field, double value, const Range& range) {
  if (value >= range.least && value <= range.most) return value;
  out.missing[field] = fmt::format("NVML tells {:g} {}, which cannot be", value, range.unit);
  return std::nullopt;
}

template <class Function, class... Args>
std::optional<double> number(const NvmlFunctions& nvml, Telemetry& out, const char* field, double scale,
                             const Range& range, Function function, Args... args) {
  unsigned value = 0;
  if (auto problem = nvml_problem(nvml, function, args..., &value); !problem.empty()) {
    out.missing[field] = "NVML: " + std::move(problem);
    return std::nullopt;
  }
  // Temperatures are signed behind an unsigned pointer.
  const bool is_signed = range.least < 0;
  return believed(out, field, scale * (is_signed ? static_cast<double>(static_cast<int>(value)) : value), range);
}

}  // namespace

Telemetry TelemetryReader::read() {
  Telemetry out;
  const auto clock = [&](const char* field, auto function, unsigned type) {
    return number(nvml_, out, field, 1, clock_range, function, chip_, type);
  };
  out.sm_clock_mhz = clock("sm_clock_mhz", nvml_.clock, nvml_clock_sm);
  out.sm_clock_max_mhz = clock("sm_clock_max_mhz", nvml_.max_clock, nvml_clock_sm);
  out.memory_clock_mhz = clock("memory_clock_mhz", nvml_.clock, nvml_clock_memory);
  out.memory_clock_max_mhz = clock("memory_clock_max_mhz", nvml_.max_clock, nvml_clock_memory);
  out.power_watts = number(nvml_, out, "power_watts", 1e-3, power_range, nvml_.power, chip_);
  out.power_limit_watts = number(nvml_, out, "power_limit_watts", 1e-3, power_range, nvml_.power_limit, chip_);
  out.temperature_celsius =
      number(nvml_, out, "temperature_celsius", 1, temperature_range, nvml_.temperature, chip_, temperature_gpu);
  read_energy(out);
  read_reasons(out);
  read_throttle_time(out);
  return out;
}

void TelemetryReader::read_energy(Telemetry& out) {
  unsigned long long millijoules = 0;
  if (auto problem = nvml_problem(nvml_, nvml_.energy, chip_, &millijoules); !problem.empty()) {
    out.missing["energy_joules"] = "NVML: " + std::move(problem);
    return;
  }
  const double joules = 1e-3 * static_cast<double>(millijoules);
  if (!believed(out, "energy_joules", joules, energy_range)) return;
  const auto before = std::exchange(last_energy_, joules);
  if (before && joules < *before) {
    out.missing["energy_joules"] = fmt::format("the counter went back from {:.3f} to {:.3f} J", *before, joules);
    return;
  }
  out.energy_joules = joules;
}

void TelemetryReader::read_reasons(Telemetry& out) const {
  unsigned long long bits = 0;
  if (auto problem = nvml_problem(nvml_, nvml_.throttle_reasons, chip_, &bits); !problem.empty()) {
    out.missing["throttle_reasons"] = "NVML: " + std::move(problem);
    return;
  }
  std::vector<std::string> reasons;
  bits &= ~idle_bit;
  for (const auto& [bit, name] : reason_bits) {
    if ((bits & bit) != 0) reasons.emplace_back(name);
    bits &= ~bit;
  }
  if (bits != 0) reasons.push_back(fmt::format("unknown (0x{:x})", bits));  // a newer driver's; not to be hidden
  out.throttle_reasons = std::move(reasons);
}

void TelemetryReader::read_throttle_time(Telemetry& out) {
  std::array<NvmlFieldValue, time_counters.size()> values{};
  for (std::size_t i = 0; i < values.size(); ++i) values[i].field = time_counters[i].field;
  auto problem = nvml_problem(nvml_, nvml_.field_values, chip_, static_cast<int>(values.size()), values.data());
  const bool answered = problem.empty();
  std::map<std::string, Nanoseconds> times;
  const auto keep = [&](const char* reason, unsigned long long ns) {
    const bool believable = static_cast<double>(ns) < longest_throttle_ns;
    if (believable) times[reason] = Nanoseconds{static_cast<double>(ns)};
    if (!believable) problem = fmt::format("{} ns of '{}', which cannot be", ns, reason);
  };
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto& [reason, field, policy] = time_counters[i];
    const auto& value = values[i];
    if (answered && value.result == nvml_success && value.type == nvml_type_unsigned_long_long) {
      keep(reason, value.value.u64);
      continue;
    }
    if (answered && value.result != nvml_success) problem = nvml_.text(value.result);
    NvmlViolationTime old{};
    if (policy && nvml_problem(nvml_, nvml_.violation, chip_, *policy, &old).empty()) {
      keep(reason, old.violation_ns);
    }
  }
  if (times.empty()) {
    out.missing["throttle_time"] = problem.empty() ? "NVML tells no time counters" : "NVML: " + problem;
    return;
  }
  const auto before = std::exchange(last_throttle_time_, times);
  const auto went_back = std::ranges::find_if(times, [&](const auto& entry) {
    const auto old = before.find(entry.first);
    return old != before.end() && entry.second < old->second;
  });
  if (went_back != times.end()) {
    out.missing["throttle_time"] = fmt::format("the counter of '{}' went back", went_back->first);
    return;
  }
  out.throttle_time = std::move(times);
}

}  // namespace warpclock::cuda
