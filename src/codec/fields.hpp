// Every field of every struct of a result, once, for both directions. Each function takes its struct apart with a
// structured binding, which does not compile when a member is added: then describe it here (`later`, where files of
// the layout before do not have it) and in docs/result.schema.json.
#pragma once

#include <concepts>
#include <type_traits>

#include "codec/archive.hpp"
#include "core/result.hpp"

namespace warpclock::codec {

/// `Value` is `Wanted`, constant when written from and not when read into.
template <class Value, class Wanted>
concept Is = std::same_as<std::remove_const_t<Value>, Wanted>;

/// An estimate whose fields end in "_<unit>".
template <class Archive, Is<Estimate> Value>
void describe_in(Archive& a, Value& estimate, const std::string& unit) {
  auto& [value, low, high, level, samples, effective_samples] = estimate;
  a.field("value_" + unit, value);
  a.field("low_" + unit, low);
  a.field("high_" + unit, high);
  a.field("level", level);
  a.field("samples", samples);
  a.field("effective_samples", effective_samples);
}

inline constexpr auto in_ns = [](auto& a, auto& estimate) { describe_in(a, estimate, "ns"); };
inline constexpr auto in_mhz = [](auto& a, auto& estimate) { describe_in(a, estimate, "mhz"); };
/// For lists and optional values: finds the function of the type.
inline constexpr auto described = [](auto& a, auto& value) { describe(a, value); };

template <class Archive, Is<Spread> Value>
void describe(Archive& a, Value& spread) {
  auto& [min, p5, p25, p75, p95, max, mean, mad] = spread;
  a.field("min", min);
  a.field("p5", p5);
  a.field("p25", p25);
  a.field("p75", p75);
  a.field("p95", p95);
  a.field("max", max);
  a.field("mean", mean);
  a.field("mad", mad);
}

template <class Archive, Is<Mode> Value>
void describe(Archive& a, Value& mode) {
  auto& [center, share] = mode;
  a.field("center", center);
  a.field("share", share);
}

template <class Archive, Is<Summary> Value>
void describe(Archive& a, Value& summary) {
  auto& [median, spread, modes] = summary;
  describe_in(a, median, "ns");
  {
    auto group = a.group("spread_ns");
    describe(group, spread);
  }
  a.list("modes_ns", modes, described);
}

template <class Archive, Is<Counter> Value>
void describe(Archive& a, Value& counter) {
  auto& [name, value, unit, per_second] = counter;
  a.field("name", name);
  a.field("value", value);
  a.field("unit", unit);
  a.field("per_second", per_second);
}

template <class Archive, Is<Work> Value>
void describe(Archive& a, Value& work) {
  auto& [flops, bytes_read, bytes_written, compute_type, items, item, counters] = work;
  a.field("flops", flops);
  a.field("bytes_read", bytes_read);
  a.field("bytes_written", bytes_written);
  a.field("compute_type", compute_type);
  a.later("items", items);
  a.later("item", item);
  if (a.has("counters")) a.list("counters", counters, described);
}

template <class Archive, Is<Sol> Value>
void describe(Archive& a, Value& sol) {
  auto& [percent, bound, peak, unit, source, percent_at_clock] = sol;
  a.field("percent", percent);
  a.field("bound", bound);
  a.field("peak", peak);
  a.field("unit", unit);
  a.field("source", source);
  a.field("percent_at_clock", percent_at_clock);
}

template <class Archive, Is<Check> Value>
void describe(Archive& a, Value& check) {
  auto& [state, max_error, tolerance, detail] = check;
  a.field("state", state);
  a.field("max_error", max_error);
  a.field("tolerance", tolerance);
  a.field("detail", detail);
}

template <class Archive, Is<Finding> Value>
void describe(Archive& a, Value& finding) {
  auto& [id, severity, message, remedy] = finding;
  a.field("id", id);
  a.field("severity", severity);
  a.field("message", message);
  a.field("remedy", remedy);
}

template <class Archive, Is<KernelShare> Value>
void describe(Archive& a, Value& kernel) {
  auto& [name, kind, per_call, time_ns] = kernel;
  a.field("name", name);
  a.field("kind", kind);
  a.field("per_call", per_call);
  auto group = a.group("time");
  describe_in(group, time_ns, "ns");
}

template <class Archive, Is<Telemetry> Value>
void describe(Archive& a, Value& telemetry) {
  auto& [sm_clock_mhz, sm_clock_requested_mhz, sm_clock_max_mhz, memory_clock_mhz, memory_clock_requested_mhz,
         memory_clock_max_mhz, power_watts, power_limit_watts, temperature_celsius, energy_joules, throttle_reasons,
         throttle_time, missing] = telemetry;
  a.field("sm_clock_mhz", sm_clock_mhz);
  a.field("sm_clock_requested_mhz", sm_clock_requested_mhz);
  a.field("sm_clock_max_mhz", sm_clock_max_mhz);
  a.field("memory_clock_mhz", memory_clock_mhz);
  a.field("memory_clock_requested_mhz", memory_clock_requested_mhz);
  a.field("memory_clock_max_mhz", memory_clock_max_mhz);
  a.field("power_watts", power_watts);
  a.field("power_limit_watts", power_limit_watts);
  a.field("temperature_celsius", temperature_celsius);
  a.field("energy_joules", energy_joules);
  a.field("throttle_reasons", throttle_reasons);
  a.field("throttle_time", throttle_time);
  a.field("missing", missing);
}

template <class Archive, Is<TelemetryBlock> Value>
void describe(Archive& a, Value& block) {
  auto& [at, state] = block;
  a.field("at_ns", at);
  auto group = a.group("state");
  describe(group, state);
}

template <class Archive, Is<EffectiveClock> Value>
void describe(Archive& a, Value& clock) {
  auto& [mhz, source, counters_mhz, sentinel_mhz, missing] = clock;
  a.nullable("clock", mhz, in_mhz);
  a.text_or_null("source", source);
  a.nullable("counters", counters_mhz, in_mhz);
  a.nullable("sentinel", sentinel_mhz, in_mhz);
  a.text_or_null("missing", missing);
}

template <class Archive, Is<Energy> Value>
void describe(Archive& a, Value& energy) {
  auto& [joules_per_call, resolution_joules, joules_per_flop, calls, window] = energy;
  a.field("joules_per_call", joules_per_call);
  a.field("resolution_joules", resolution_joules);
  a.field("joules_per_flop", joules_per_flop);
  a.field("calls", calls);
  a.field("window_ns", window);
}

template <class Archive, Is<Conditions> Value>
void describe(Archive& a, Value& conditions) {
  auto& [cache, flush_bytes, cover, regime, batch, copies, call_timer, call_timer_step, kernel_timer, kernel_timer_step,
         gap, settle_wait, settled, reference_clock_mhz, locked_clock_mhz, locked_memory_clock_mhz, soak_time, steady,
         data, seed, just_written, own_buffers] = conditions;
  a.field("cache", cache);
  a.field("flush_bytes", flush_bytes);
  a.field("cover", cover);
  a.field("regime", regime);
  a.field("batch", batch);
  a.field("copies", copies);
  {
    auto timer = a.group("timer");
    timer.field("call", call_timer);
    timer.field("call_step_ns", call_timer_step);
    timer.field("kernel", kernel_timer);
    timer.field("kernel_step_ns", kernel_timer_step);
  }
  {
    auto settle = a.group("settle");
    settle.field("gap_ns", gap);
    settle.field("wait_ns", settle_wait);
    settle.field("settled", settled);
  }
  if (a.has("soak")) {
    auto soak = a.group("soak");
    soak.field("time_ns", soak_time);
    soak.field("steady", steady);
  }
  {
    auto clock = a.group("clock");
    clock.field("reference_mhz", reference_clock_mhz);
    clock.later("locked_mhz", locked_clock_mhz);
    clock.later("locked_memory_mhz", locked_memory_clock_mhz);
  }
  a.field("data", data);
  a.field("seed", seed);
  a.later("just_written", just_written);
  a.later("own_buffers", own_buffers);
}

/// What regime, clock and energy add to a result; layout 1.1.
template <class Archive, class Clock, class Cycles, class Blocks, class Joules, class Text, class Ratio>
void describe_chip(Archive& a, Clock& effective_clock, Cycles& cycles_per_call, Blocks& telemetry, Joules& energy,
                   Text& energy_missing, Ratio& over_burst) {
  if (!a.has("effective_clock")) return;
  {
    auto group = a.group("effective_clock");
    describe(group, effective_clock);
  }
  a.field("cycles_per_call", cycles_per_call);
  a.list("telemetry", telemetry, described);
  a.nullable("energy", energy, described);
  a.text_or_null("energy_missing", energy_missing);
  a.field("over_burst", over_burst);
}

template <class Archive, Is<Result> Value>
void describe(Archive& a, Value& result) {
  // The samples are columns of their own: codec/samples_json.cpp.
  auto& [benchmark, point, status, error, headline, kernel_time_ns, busy_ns, call_time_ns, call_offset_ns, host_time_ns,
         first_call, marginal_time_ns, effective_clock, cycles_per_call, telemetry, energy, energy_missing, over_burst,
         work, sol, check, conditions, launches_per_call, kernels, samples, rejected_stamps, stop_reason, wall_time,
         findings] = result;
  a.field("benchmark", benchmark);
  a.field("point", point);
  a.field("status", status);
  a.text_or_null("error", error);
  a.field("headline", headline);
  a.nullable("kernel_time", kernel_time_ns, described);
  a.nullable("busy", busy_ns, described);
  a.nullable("call_time", call_time_ns, described);
  a.field("call_offset_ns", call_offset_ns);
  a.nullable("host_time", host_time_ns, described);
  a.field("first_call_ns", first_call);
  a.nullable("marginal_time", marginal_time_ns, in_ns);
  describe(a, conditions);
  {
    auto group = a.group("work");
    describe(group, work);
  }
  a.nullable("sol", sol, described);
  a.field("launches_per_call", launches_per_call);
  a.list("kernels", kernels, described);
  describe_chip(a, effective_clock, cycles_per_call, telemetry, energy, energy_missing, over_burst);
  {
    auto group = a.group("check");
    describe(group, check);
  }
  a.list("findings", findings, described);
  a.field("stop_reason", stop_reason);
  a.field("rejected_stamps", rejected_stamps);
  a.field("wall_time_ns", wall_time);
}

template <class Archive, Is<Environment> Value>
void describe(Archive& a, Value& environment) {
  auto& [device, host, versions, settings, variables, started_utc] = environment;
  a.field("device", device);
  a.field("host", host);
  a.field("versions", versions);
  a.field("settings", settings);
  a.field("variables", variables);
  a.field("started_utc", started_utc);
}

}  // namespace warpclock::codec
