// F76: strict parsers must accept the JSON, and what they read must be what was measured.
#include "report/json.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "fixture.hpp"

namespace warpclock::report {
namespace {

using Json = nlohmann::ordered_json;

Json read(const Run& run) { return Json::parse(json(run.environment, run.results)); }

TEST(JsonReport, NumbersReadBackAsTheSameDoubleUnderAnyLocale) {
  const GermanLocale german;
  const auto run = plausible();
  const auto out = read(run);
  ASSERT_EQ(out["results"].size(), run.results.size());
  const auto& first = out["results"][0];
  EXPECT_EQ(first["kernel_time"]["value_ns"].get<double>(), run.results[0].kernel_time_ns->median.value);
  EXPECT_EQ(first["kernel_time"]["spread_ns"]["p95"].get<double>(), run.results[0].kernel_time_ns->spread.p95);
  EXPECT_EQ(first["call_time"]["high_ns"].get<double>(), run.results[0].call_time_ns->median.high);
  EXPECT_EQ(first["host_time"]["value_ns"].get<double>(), 4100);
  EXPECT_EQ(first["first_call_ns"].get<double>(), 182.5e6);
  EXPECT_EQ(first["flush_bytes"].get<std::uint64_t>(), 125'829'120U);
}

// Swapped columns would be plausible numbers under wrong names.
TEST(JsonReport, AllSamplesStandInRunOrderUnderTheirOwnNames) {
  const auto run = plausible();
  const auto samples = read(run)["results"][0]["samples"];
  const auto& wanted = run.results[0].samples;
  for (const auto& [name, column] : samples.items()) EXPECT_EQ(column.size(), wanted.size()) << name;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    EXPECT_EQ(samples["pass"][i], i % 2 == 0 ? "traced" : "untraced");
    EXPECT_EQ(samples["kernel_ns"][i], wanted[i].kernel ? Json(wanted[i].kernel->count()) : Json());
    EXPECT_EQ(samples["call_ns"][i], wanted[i].call ? Json(wanted[i].call->count()) : Json());
    EXPECT_EQ(samples["host_ns"][i], 4100.5);
    EXPECT_EQ(samples["at_ns"][i], 150e3 * static_cast<double>(i));
    EXPECT_EQ(samples["clock_mhz"][i], 1960.0 + 5.0 * static_cast<double>(i));
    EXPECT_EQ(samples["marks"][i], i == 3 ? Json::array({"host-late"}) : Json::array());
  }
}

TEST(JsonReport, WhatWasNotMeasuredIsNullNotZero) {
  const auto failed = read(plausible())["results"][4];
  EXPECT_EQ(failed["status"], "failed");
  for (const auto* name : {"kernel_time", "call_time", "host_time", "marginal_time", "call_offset_ns", "first_call_ns",
                           "sol", "effective_samples"}) {
    EXPECT_TRUE(failed[name].is_null()) << name;
  }
  EXPECT_TRUE(failed["throughput"]["gb_per_s"].is_null());
}

TEST(JsonReport, NotFiniteIsNullAndHostileNamesAreKept) {
  const GermanLocale german;
  const auto run = hostile();
  const auto out = read(run);
  const auto& odd = out["results"][0];
  EXPECT_EQ(odd["point"]["n,1"], 1);
  EXPECT_EQ(odd["point"]["status"], "a\"b");
  EXPECT_EQ(odd["point"]["\xC3\xB6"], " blank ");
  EXPECT_EQ(odd["point"]["big"], INT64_MAX);
  EXPECT_EQ(odd["seed"], UINT64_MAX);
  EXPECT_EQ(odd["kernel_time"]["value_ns"], 1e-9);
  EXPECT_EQ(odd["error"], "line one\r\nline two\x07");
  EXPECT_EQ(odd["benchmark"], "add<float, 4>|\"quoted\"\nsecond line \xC3\xA9\xE2\x82\xAC \xEF\xBF\xBD");
  EXPECT_TRUE(odd["sol"]["percent"].is_null());

  const auto& not_finite = out["results"][1];
  EXPECT_TRUE(not_finite["kernel_time"]["value_ns"].is_null());
  EXPECT_TRUE(not_finite["kernel_time"]["low_ns"].is_null());
  EXPECT_TRUE(not_finite["wall_time_ns"].is_null());
  EXPECT_TRUE(not_finite["samples"]["kernel_ns"][0].is_null());
  EXPECT_EQ(not_finite["samples"]["marks"][0].size(), 6U);
  EXPECT_TRUE(not_finite["clock"]["start_mhz"].is_number());  // the NaN among the clocks is left out
}

// The clock of the probes beside the samples and the clock while the call runs are two figures; so are the chip's
// averaged clock and what was locked.
TEST(JsonReport, ClocksEnergyAndTelemetryStandUnderTheirOwnNames) {
  const auto result = read(hot())["results"][0];
  EXPECT_EQ(result["clock"]["locked_mhz"], 1500);
  EXPECT_EQ(result["clock"]["locked_memory_mhz"], 3201);
  EXPECT_EQ(result["clock"]["start_mhz"], 1972.5);
  EXPECT_EQ(result["effective_clock"]["clock"]["value_mhz"], 1487);
  EXPECT_EQ(result["effective_clock"]["sentinel"]["low_mhz"], 1482);
  EXPECT_EQ(result["effective_clock"]["source"], "counters");
  EXPECT_TRUE(result["effective_clock"]["missing"].is_null());
  EXPECT_EQ(result["cycles_per_call"], 425'000);
  EXPECT_EQ(result["soak"], Json({{"time_ns", 6.5e9}, {"steady", false}}));
  EXPECT_EQ(result["energy"]["joules_per_call"], 0.19);
  EXPECT_EQ(result["energy"]["window_ns"], 2e9);
  EXPECT_EQ(result["over_burst"], 1.07);
  ASSERT_EQ(result["telemetry"].size(), 2U);
  EXPECT_EQ(result["telemetry"][0]["at_ns"], -1e6);
  const auto& state = result["telemetry"][1]["state"];
  EXPECT_EQ(state["power_watts"], 687.5);
  EXPECT_TRUE(state["sm_clock_mhz"].is_null());
  EXPECT_EQ(state["missing"]["sm_clock_mhz"], "no NVML");
  EXPECT_FALSE(state["missing"].contains("power_watts"));
  EXPECT_EQ(state["throttle_reasons"], Json::array({"sw-power-cap"}));
  EXPECT_EQ(state["throttle_time"]["sw-power-cap"], 12e6);
}

TEST(JsonReport, EnvironmentKeepsItsOrder) {
  const auto device = read(plausible())["environment"]["device"];
  EXPECT_EQ(device.begin().key(), "id");
  EXPECT_EQ(device["name"], "NVIDIA H200");
}

}  // namespace
}  // namespace warpclock::report
