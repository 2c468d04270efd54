// Two ways to have variants of one operation side by side: an axis, or names with a slash.
#include <warpclock/warpclock.hpp>

namespace wc = warpclock;

namespace {

float plain(const float* x, std::int64_t n) {
  float sum = 0;
  for (std::int64_t i = 0; i < n; ++i) sum += x[i];
  return sum;
}

float in_four(const float* x, std::int64_t n) {
  float sum[4] = {};
  for (std::int64_t i = 0; i + 3 < n; i += 4) {
    for (int lane = 0; lane < 4; ++lane) sum[lane] += x[i + lane];
  }
  for (std::int64_t i = n - n % 4; i < n; ++i) sum[0] += x[i];
  return sum[0] + sum[1] + sum[2] + sum[3];
}

void measure_sum(wc::Case& c, float (*function)(const float*, std::int64_t)) {
  const auto n = c.axis<std::int64_t>("n");
  const auto x = c.input<float>(n, wc::ints());
  const auto total = c.output<float>(1);
  c.work({.flops = static_cast<double>(n), .bytes_read = 4.0 * static_cast<double>(n)});
  c.expect(total, wc::exact(), [=](const wc::HostView& in, std::span<double> want) {
    want[0] = 0;
    for (const double value : in[x]) want[0] += value;
  });
  c.measure([=](wc::Launch& l) { *l[total] = function(l[x], n); });
}

void reduce(wc::Case& c) { measure_sum(c, c.axis<std::string>("variant") == "plain" ? plain : in_four); }

}  // namespace

WARPCLOCK_BENCH(reduce).axis("variant", {"plain", "in_four"}).axis("n", {1024, 65536});

WARPCLOCK_BENCH([](wc::Case& c) { measure_sum(c, plain); }).name("sum/plain").axis("n", {1024});
WARPCLOCK_BENCH([](wc::Case& c) { measure_sum(c, in_four); }).name("sum/in_four").axis("n", {1024});
