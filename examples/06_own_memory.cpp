// Memory of one's own: a library object that allocates by itself, say. The harness can neither rotate nor restore nor
// guard it, and the result says so; verify() is the check then.
#include <numeric>
#include <vector>
#include <warpclock/warpclock.hpp>

namespace wc = warpclock;

namespace {

void prefix_sum(wc::Case& c) {
  const auto n = c.axis<std::int64_t>("n");
  std::vector<float> values(static_cast<std::size_t>(n), 1.F);  // lives until measure() has returned
  std::vector<float> sums(values.size());
  const auto x = c.own(values.data(), n);
  const auto y = c.own(sums.data(), n);
  c.name(x, "values");
  c.name(y, "sums");
  c.verify([&] { return sums.back() == static_cast<float>(n) ? std::string() : "the last sum is wrong"; });
  c.measure([=](wc::Launch& l) { std::partial_sum(l[x], l[x] + n, l[y]); });
}

}  // namespace

WARPCLOCK_BENCH(prefix_sum).axis("n", {1000});
