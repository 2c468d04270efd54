#include "fixture.hpp"

#include <clocale>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

namespace warpclock::report {
namespace {

AxisValue whole(std::int64_t n) { return n; }

Summary around(double median, double half_width, std::size_t samples, double effective) {
  Summary out;
  out.median = {median, median - half_width, median + half_width, 0.9586, samples, effective};
  out.spread = {median * 0.97, median * 0.98, median * 0.99,  median * 1.01,
                median * 1.03, median * 1.2,  median * 1.004, median * 0.006};
  out.modes = {{median, 1.0}};
  return out;
}

Sample sample_at(double kernel, std::uint32_t index) {
  Sample out;
  const bool traced = index % 2 == 0;
  out.pass = traced ? Pass::traced : Pass::untraced;
  if (traced) {
    out.kernel = Nanoseconds{kernel + index};
    out.busy = out.kernel;
  } else {
    out.call = Nanoseconds{kernel + 2400 + index};
  }
  out.host = Nanoseconds{4100.5};
  out.at = microseconds(150.0 * index);
  out.clock_mhz = 1960.0 + 5.0 * index;
  if (index == 3) out.marks.set(Mark::host_late);
  return out;
}

Conditions on_h200() {
  Conditions out;
  out.cache = "cold-clean";
  out.flush_bytes = 125'829'120;
  out.cover = "hold";
  out.call_timer = "events";
  out.call_timer_step = Nanoseconds{32};
  out.kernel_timer = "CUPTI";
  out.kernel_timer_step = Nanoseconds{1};
  out.gap = microseconds(100);
  out.settle_wait = milliseconds(12);
  out.reference_clock_mhz = 1980;
  out.data = "normal";
  out.seed = 1;
  return out;
}

Result gemm(std::int64_t m, double kernel_ns, double sol_percent, const std::string& bound) {
  Result out;
  out.benchmark = "gemm";
  out.point.values = {{"M", whole(m)}, {"N", whole(19456)}, {"K", whole(2560)}, {"dtype", "bf16"}};
  out.kernel_time_ns = around(kernel_ns, kernel_ns * 0.004, 40, 23.4);
  out.busy_ns = out.kernel_time_ns;
  out.call_time_ns = around(kernel_ns + 2400, kernel_ns * 0.005, 40, 31);
  out.call_offset_ns = 2400;
  out.host_time_ns = around(4100, 90, 40, 40);
  out.first_call = milliseconds(182.5);
  const auto rows = static_cast<double>(m);
  out.work = {2 * rows * 19456 * 2560, 2.0 * (rows * 2560 + 19456.0 * 2560), 2.0 * rows * 19456, "bf16"};
  const bool memory = bound == "memory";
  out.sol = Sol{sol_percent,
                bound,
                memory ? 4800.0 : 989.0,
                memory ? "GB/s" : "TFLOP/s",
                "H200 SXM data sheet",
                memory ? std::nullopt : std::optional(sol_percent * 1.15)};
  out.check = {Check::State::passed, 0.0021, 0.016, ""};
  out.conditions = on_h200();
  out.launches_per_call = 1;
  out.kernels = {{"nvjet_tst_64x8_64x16_4x1_v_bz_TNT", "kernel", 1, out.kernel_time_ns->median}};
  for (std::uint32_t i = 0; i < 6; ++i) out.samples.push_back(sample_at(kernel_ns, i));
  out.wall_time = milliseconds(310);
  return out;
}

Result without_figures(Result result, Status status, std::string error) {
  Result out;
  out.benchmark = std::move(result.benchmark);
  out.point = std::move(result.point);
  out.status = status;
  out.error = std::move(error);
  out.check.detail = "not run";
  return out;
}

Estimate clock_of(double mhz) { return {mhz, mhz - 4, mhz + 3, 0.96, 12, 9.5}; }

/// What regime sustained at a locked clock adds to a result.
Result sustained(Result out) {
  out.conditions.regime = "sustained";
  out.conditions.locked_clock_mhz = 1500;
  out.conditions.locked_memory_clock_mhz = 3201;
  out.conditions.soak_time = seconds(6.5);
  out.conditions.steady = false;
  out.effective_clock = {clock_of(1487), "counters", clock_of(1487), clock_of(1486), ""};
  out.cycles_per_call = 425'000;
  auto state = no_telemetry("no NVML");
  state.power_watts = 687.5;
  state.temperature_celsius = 61;
  state.throttle_reasons = {"sw-power-cap"};
  state.throttle_time = {{"sw-power-cap", milliseconds(12)}};
  for (const auto* told : {"power_watts", "temperature_celsius", "throttle_reasons", "throttle_time"}) {
    state.missing.erase(told);
  }
  out.telemetry = {{milliseconds(-1), state}, {milliseconds(20), state}};
  out.energy = Energy{0.19, 1e-4, 1.1e-12, 1000, seconds(2)};
  out.over_burst = 1.07;
  return out;
}

Finding host_late(const std::string& share) {
  return {"host-late", Finding::Severity::warning,
          share + " % of the samples started before the host had enqueued them", "keep --cover hold, or lower --batch"};
}

Result softmax(std::int64_t rows, double call_ns) {
  Result out = gemm(rows, call_ns, 61.2, "memory");
  out.benchmark = "softmax";
  out.point.values = {{"rows", whole(rows)}, {"columns", whole(4096)}};
  out.headline = Headline::call_time;
  out.call_time_ns = around(call_ns, call_ns * 0.003, 60, 60);
  out.kernel_time_ns = around(call_ns - 4000, call_ns * 0.002, 60, 60);
  out.busy_ns = around(call_ns - 4100, call_ns * 0.002, 60, 60);
  out.launches_per_call = 2;
  out.kernels = {{"row_max<float, 4>", "kernel", 1, out.busy_ns->median},
                 {"memset", "fill", 1, {900, 890, 910, 0.95, 60, 60}}};
  out.work = {0, static_cast<double>(rows) * 4096 * 4, static_cast<double>(rows) * 4096 * 4, ""};
  out.check = {Check::State::unchecked, 0, 0, "no reference"};
  return out;
}

Environment environment() {
  return {{{"id", "cuda:0"}, {"name", "NVIDIA H200"}, {"L2", "60 MiB"}, {"SMs", "132"}, {"clock", "1980 MHz"}},
          {{"cpu", "AMD EPYC 9575F"}, {"cores", "16"}, {"kernel", "Linux 6.8.0"}},
          {{"warpclock", "0.1.0"}, {"driver", "580.159.04"}, {"CUDA", "13.0"}, {"compiler", "GNU 12.2.0"}},
          {{"cache", "cold"}, {"precision", "0.5%"}, {"seed", "1"}},
          {{"CUDA_VISIBLE_DEVICES", "0"}},
          "2026-11-29T12:00:00Z"};
}

}  // namespace

Run plausible() {
  Run out{environment(), {}};
  auto narrow = gemm(2, 28340, 73.4, "memory");
  narrow.findings = {host_late("12.5")};
  auto wide = gemm(2048, 285900, 72.2, "compute");
  wide.findings = {
      host_late("2.5"),
      {"clock-low", Finding::Severity::note, "the effective clock was 1610 MHz, 18.7 % below the recovered clock",
       "compare by the SOL at the effective clock"}};
  auto odd = gemm(16, 30110, 70.1, "memory");
  odd.stop_reason = StopReason::max_time;
  odd.kernel_time_ns->modes = {{29000, 0.6}, {33500, 0.4}};
  odd.findings = {{"two-modes", Finding::Severity::warning, "the samples have 2 modes, at 29.00 and 33.50 us",
                   "look at the samples"}};
  auto wrong = gemm(3, 28500, 73.0, "memory");
  wrong.status = Status::wrong;
  wrong.error = "output differs from the reference: element [1, 77] is 3.5, should be -1.25 (tolerance 0.016)";
  wrong.check = {Check::State::failed, 4.75, 0.016, "element [1, 77] is 3.5, should be -1.25"};
  out.results = {narrow,
                 odd,
                 wide,
                 wrong,
                 without_figures(gemm(4096, 1, 1, "memory"), Status::failed,
                                 "kernel wrote 64 bytes behind the end of C; run it under compute-sanitizer"),
                 without_figures(gemm(1048576, 1, 1, "memory"), Status::skipped,
                                 "needs 186 GiB of device memory, there are 139 GiB; ask for a smaller M")};
  auto stopped = softmax(65536, 512300);
  stopped.status = Status::interrupted;
  stopped.error = "interrupted after 9 of at least 20 samples";
  stopped.stop_reason = StopReason::interrupted;
  stopped.marginal_time_ns = Estimate{498000, 497000, 499500, 0.95, 20, 20};
  out.results.push_back(softmax(64, 7420));
  out.results.push_back(stopped);
  return out;
}

Run hot() { return {environment(), {sustained(gemm(2048, 285900, 72.2, "compute"))}}; }

Run hostile() {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  constexpr double inf = std::numeric_limits<double>::infinity();
  Run out{environment(), {}};
  out.environment.host.emplace_back("na\"me,\n\xC3\xA4\xFF", "v\x1b[31m\x80\xE2\x82");
  auto odd_names = gemm(2, 1e-9, nan, "memory");
  odd_names.benchmark = "add<float, 4>|\"quoted\"\nsecond line \xC3\xA9\xE2\x82\xAC \xFF";
  odd_names.point.values = {{"n,1", whole(1)}, {"status", "a\"b"}, {"\xC3\xB6", " blank "}, {"big", whole(INT64_MAX)}};
  odd_names.error = "line one\r\nline two\x07";
  odd_names.status = Status::wrong;
  odd_names.findings = {
      {"odd", Finding::Severity::note, "tab\there, | and \xF0\x9F\x98\x80 \xED\xA0\x80", "\x1b]0;title\x07"}};
  odd_names.conditions.seed = UINT64_MAX;
  odd_names.conditions.cover = "hold|none";
  auto not_finite = gemm(3, 1e9, inf, "compute");
  not_finite.kernel_time_ns->median = {nan, -inf, inf, nan, 0, nan};
  not_finite.kernel_time_ns->modes = {{nan, nan}, {inf, 0.5}};
  not_finite.samples[0].kernel = Nanoseconds{inf};
  not_finite.samples[0].clock_mhz = nan;
  not_finite.samples[0].marks.bits = 63;
  not_finite.work.flops = nan;
  not_finite.call_offset_ns = nan;
  not_finite.wall_time = Nanoseconds{inf};
  not_finite = sustained(not_finite);
  not_finite.effective_clock.missing = "\x1b[31m \xFF";
  not_finite.energy->joules_per_call = inf;
  not_finite.energy->joules_per_flop = nan;
  not_finite.telemetry[0].state.power_watts = nan;
  not_finite.telemetry[0].state.throttle_time = {{"odd\n\xFF", Nanoseconds{inf}}};
  not_finite.energy_missing = "two\nlines";
  not_finite.over_burst = inf;
  auto large = gemm(4, 1e9, 99.9, "memory");
  large.kernel_time_ns->median.value = 1234567890.123;
  auto extreme = gemm(5, std::numeric_limits<double>::max(), 1e300, "memory");
  extreme.call_time_ns->median.value = std::numeric_limits<double>::denorm_min();
  extreme.headline = Headline::call_time;
  Result empty;
  out.results = {odd_names, not_finite, large, extreme, empty};
  return out;
}

GermanLocale::GermanLocale() : c_before_(std::setlocale(LC_ALL, nullptr)) {
  struct Comma : std::numpunct<char> {
    char do_decimal_point() const override { return ','; }
    char do_thousands_sep() const override { return '.'; }
    std::string do_grouping() const override { return "\3"; }
  };
  before_ = std::locale::global(std::locale(std::locale::classic(), new Comma));
  std::setlocale(LC_ALL, "de_DE.UTF-8");
}

GermanLocale::~GermanLocale() {
  std::locale::global(before_);
  std::setlocale(LC_ALL, c_before_.c_str());
}

}  // namespace warpclock::report
