// A call that works on many items: the time per item stands beside the time per call, and so do figures of one's own.
#include <algorithm>
#include <vector>
#include <warpclock/warpclock.hpp>

namespace wc = warpclock;

namespace {

void sort_rows(wc::Case& c) {
  const auto rows = c.axis<std::int64_t>("rows");
  const std::int64_t width = 64;
  const auto keys = c.inout<std::int32_t>(rows * width, wc::uniform());
  c.items(static_cast<double>(rows), "row");
  c.counter("row size", 4.0 * width, "B");
  c.rate("keys", static_cast<double>(rows * width));
  c.expect(keys, wc::exact(), [=](const wc::HostView& in, std::span<double> want) {
    std::copy(in[keys].begin(), in[keys].end(), want.begin());
    for (auto row = want.begin(); row != want.end(); row += width) std::sort(row, row + width);
  });
  c.measure([=](wc::Launch& l) {
    for (std::int64_t row = 0; row < rows; ++row) std::sort(l[keys] + row * width, l[keys] + (row + 1) * width);
  });
}

}  // namespace

WARPCLOCK_BENCH(sort_rows).axis("rows", {1, 100});
