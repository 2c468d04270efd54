#include "report/google_benchmark.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <vector>

#include "core/utf8.hpp"
#include "report/derived.hpp"

namespace warpclock::report {
namespace {

using Json = nlohmann::ordered_json;

/// "gemm/M:2/N:64/dtype:bf16", as that library names the arguments of a benchmark; the state where it is not the usual.
std::string name_of(const Result& result) {
  std::string out = result.benchmark;
  for (const auto& [axis, value] : result.point.values) out += "/" + axis + ":" + to_string(value);
  if (result.conditions.regime != "burst") out += "/" + result.conditions.regime;
  if (result.conditions.locked_clock_mhz) {
    out += "/clock:" + std::to_string(std::llround(*result.conditions.locked_clock_mhz));
  }
  return valid_utf8(out);
}

/// The two times of a repetition, in ns.
struct Times {
  double real = 0;
  double cpu = 0;
};

std::vector<Times> times_of(const Result& result) {
  std::vector<Times> out;
  for (const auto& sample : result.samples) {
    const auto& time = result.headline == Headline::kernel_time ? sample.kernel : sample.call;
    if (time && std::isfinite(time->count()) && !sample.marks.has(Mark::bad_stamp)) {
      out.push_back({time->count(), sample.host.count()});
    }
  }
  return out;
}

Json entry(const std::string& name, std::size_t family, std::size_t repetitions) {
  return {{"name", name},
          {"family_index", family},
          {"per_family_instance_index", 0},
          {"run_name", name},
          {"run_type", "iteration"},
          {"repetitions", repetitions},
          {"repetition_index", 0},
          {"threads", 1}};
}

double mean_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

double deviation_of(const std::vector<double>& values) {
  if (values.size() < 2) return 0;
  const double mean = mean_of(values);
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

double median_of(std::vector<double> values) {
  std::ranges::sort(values);
  const auto middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

double variation_of(const std::vector<double>& values) { return deviation_of(values) / mean_of(values); }

void add_aggregates(Json& out, const std::string& name, std::size_t family, const std::vector<Times>& times) {
  std::vector<double> real, cpu;
  for (const auto& [r, c] : times) {
    real.push_back(r);
    cpu.push_back(c);
  }
  struct Aggregate {
    const char* name;
    const char* unit;
    double (*function)(const std::vector<double>&);
  };
  static constexpr auto median = +[](const std::vector<double>& values) { return median_of(values); };
  for (const auto& aggregate :
       {Aggregate{"mean", "time", mean_of}, Aggregate{"median", "time", median},
        Aggregate{"stddev", "time", deviation_of}, Aggregate{"cv", "percentage", variation_of}}) {
    auto row = entry(name, family, times.size());
    row["name"] = name + "_" + aggregate.name;
    row["run_type"] = "aggregate";
    row.erase("repetition_index");
    row["aggregate_name"] = aggregate.name;
    row["aggregate_unit"] = aggregate.unit;
    row["iterations"] = times.size();
    row["real_time"] = aggregate.function(real);
    row["cpu_time"] = aggregate.function(cpu);
    row["time_unit"] = "ns";
    out.push_back(std::move(row));
  }
}

void add_result(Json& out, const Result& result, std::size_t family) {
  const auto name = name_of(result);
  const auto times = times_of(result);
  if (times.empty() || result.status == Status::wrong) {
    auto row = entry(name, family, 1);
    row["error_occurred"] = true;
    row["error_message"] = valid_utf8(result.error.empty() ? "it has no time" : result.error);
    row["iterations"] = 0;
    row["real_time"] = 0;
    row["cpu_time"] = 0;
    row["time_unit"] = "ns";
    out.push_back(std::move(row));
    return;
  }
  const double median = headline_ns(result).value_or(0);
  for (std::size_t i = 0; i < times.size(); ++i) {
    auto row = entry(name, family, times.size());
    row["repetition_index"] = i;
    row["iterations"] = result.conditions.batch;
    row["real_time"] = times[i].real;
    row["cpu_time"] = times[i].cpu;
    row["time_unit"] = "ns";
    if (result.work.bytes() > 0 && times[i].real > 0)
      row["bytes_per_second"] = result.work.bytes() / times[i].real * 1e9;
    if (result.work.flops > 0 && times[i].real > 0) row["flops_per_second"] = result.work.flops / times[i].real * 1e9;
    out.push_back(std::move(row));
  }
  if (median > 0) add_aggregates(out, name, family, times);
}

std::string value_of(const std::vector<std::pair<std::string, std::string>>& pairs, const std::string& name) {
  const auto found = std::ranges::find(pairs, name, [](const auto& pair) { return pair.first; });
  return found == pairs.end() ? "" : valid_utf8(found->second);
}

}  // namespace

std::string google_benchmark(const Environment& environment, std::span<const Result> results) {
  Json context{{"date", valid_utf8(environment.started_utc)}, {"executable", "warpclock"}};
  context["library_build_type"] = "release";
  context["device"] = value_of(environment.device, "name");
  context["warpclock"] = value_of(environment.versions, "warpclock");
  for (const auto& [name, value] : environment.settings) context[valid_utf8(name)] = valid_utf8(value);
  Json benchmarks = Json::array();
  std::size_t family = 0;
  for (const auto& result : results) add_result(benchmarks, result, family++);
  return Json{{"context", context}, {"benchmarks", benchmarks}}.dump(1) + "\n";
}

}  // namespace warpclock::report
