// A type axis ("T", one function template) beside an axis of words.
#include <warpclock/warpclock.hpp>

namespace wc = warpclock;

namespace {

template <class T>
void sum(wc::Case& c) {
  const auto n = c.axis<std::int64_t>("n");
  const bool backwards = c.axis<std::string>("order") == "backwards";
  const auto x = c.input<T>(n, wc::ints());  // small whole numbers: the sum is exact in float, in whatever order
  const auto total = c.output<float>(1);
  c.name(x, "x");
  c.name(total, "total");
  c.work({.bytes_read = static_cast<double>(n) * sizeof(T)});
  c.expect(total, wc::exact(), [=](const wc::HostView& in, std::span<double> want) {
    want[0] = 0;
    for (const double value : in[x]) want[0] += value;
  });
  c.measure([=](wc::Launch& l) {
    const T* values = l[x];
    float result = 0;
    for (std::int64_t i = 0; i < n; ++i) result += static_cast<float>(values[backwards ? n - 1 - i : i]);
    *l[total] = result;
  });
}

}  // namespace

WARPCLOCK_BENCH_TYPES(sum, float, double, wc::bfloat16_t).axis("order", {"forwards", "backwards"}).axis("n", {4096});
