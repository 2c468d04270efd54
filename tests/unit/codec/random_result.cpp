#include "random_result.hpp"

#include <bit>
#include <cmath>
#include <limits>

namespace warpclock {
namespace {

/// Fills a value of any type; structs are taken apart, so that a new member does not compile until it is filled too.
class Filler {
 public:
  explicit Filler(std::mt19937_64& random) : random_(random) {}

  void fill(double& x) {
    do x = std::bit_cast<double>(random_());
    while (!std::isfinite(x));
  }
  void fill(bool& x) { x = coin(); }
  void fill(std::uint64_t& x) { x = coin() ? random_() : random_() % 100; }
  void fill(std::int64_t& x) { x = static_cast<std::int64_t>(random_()); }
  void fill(std::uint32_t& x) { x = static_cast<std::uint32_t>(random_()); }
  void fill(Nanoseconds& x) {
    double count = 0;
    fill(count);
    x = Nanoseconds{count};
  }
  void fill(std::string& x) {
    static const std::vector<std::string> pieces{
        "a", "B", "7", " ", "\"", "\\", "\n", "\x01", "\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x98\x80", "null", "="};
    x.clear();
    for (auto n = random_() % 12; n > 0; --n) x += pieces[random_() % pieces.size()];
  }
  void fill(AxisValue& x) {
    if (coin()) {
      fill(x.emplace<std::int64_t>());
    } else {
      fill(x.emplace<std::string>());
    }
  }
  void fill(Point& x) {
    for (const auto* name : {"n", "M", "dtype"}) fill(x.values.emplace_back(name, "").second);
  }
  void fill(Marks& x) { x.bits = static_cast<std::uint16_t>(random_() % 64); }
  void fill(Status& x) { x = static_cast<Status>(random_() % 5); }
  void fill(StopReason& x) { x = static_cast<StopReason>(random_() % 6); }
  void fill(Headline& x) { x = static_cast<Headline>(random_() % 2); }
  void fill(Pass& x) { x = static_cast<Pass>(random_() % 2); }
  void fill(Check::State& x) { x = static_cast<Check::State>(random_() % 3); }
  void fill(Finding::Severity& x) { x = static_cast<Finding::Severity>(random_() % 2); }

  template <class T>
  void fill(std::optional<T>& x) {
    x.reset();
    if (coin()) fill(x.emplace());
  }
  template <class T>
  void fill(std::vector<T>& x) {
    x.resize(random_() % 4);
    for (auto& entry : x) fill(entry);
  }
  template <class T>
  void fill(std::map<std::string, T>& x) {
    for (const auto* name : {"power", "a b", "\xC3\xA9"}) {
      if (coin()) fill(x[name]);
    }
  }
  void fill(std::vector<std::pair<std::string, std::string>>& x) {
    for (const auto* name : {"z", "a", "id"}) fill(x.emplace_back(name, "").second);
  }

  void fill(Estimate& x) {
    auto& [a, b, c, d, e, f] = x;
    all(a, b, c, d, e, f);
  }
  void fill(Spread& x) {
    auto& [a, b, c, d, e, f, g, h] = x;
    all(a, b, c, d, e, f, g, h);
  }
  void fill(Mode& x) {
    auto& [a, b] = x;
    all(a, b);
  }
  void fill(Summary& x) {
    auto& [a, b, c] = x;
    all(a, b, c);
  }
  void fill(Counter& x) {
    auto& [a, b, c, d] = x;
    all(a, b, c, d);
  }
  void fill(Work& x) {
    auto& [a, b, c, d, e, f, g] = x;
    all(a, b, c, d, e, f, g);
  }
  void fill(Sol& x) {
    auto& [a, b, c, d, e, f] = x;
    all(a, b, c, d, e, f);
  }
  void fill(Check& x) {
    auto& [a, b, c, d] = x;
    all(a, b, c, d);
  }
  void fill(Finding& x) {
    auto& [a, b, c, d] = x;
    all(a, b, c, d);
  }
  void fill(KernelShare& x) {
    auto& [a, b, c, d] = x;
    all(a, b, c, d);
  }
  void fill(EffectiveClock& x) {
    auto& [a, b, c, d, e] = x;
    all(a, b, c, d, e);
  }
  void fill(Energy& x) {
    auto& [a, b, c, d, e] = x;
    all(a, b, c, d, e);
  }
  void fill(Telemetry& x) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m] = x;
    all(a, b, c, d, e, f, g, h, i, j, k, l, m);
  }
  void fill(TelemetryBlock& x) {
    auto& [a, b] = x;
    all(a, b);
  }
  void fill(Sample& x) {
    auto& [a, b, c, d, e, f, g, h, i] = x;
    all(a, b, c, d, e, f, g, h, i);
  }
  void fill(Conditions& x) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v] = x;
    all(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v);
  }
  void fill(Result& x) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, y, z, aa, bb, cc, dd] = x;
    all(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, y, z, aa, bb, cc, dd);
  }
  void fill(Environment& x) {
    auto& [a, b, c, d, e, f] = x;
    all(a, b, c, d, e, f);
  }

 private:
  bool coin() { return random_() % 2 == 0; }
  template <class... T>
  void all(T&... members) {
    (fill(members), ...);
  }

  std::mt19937_64& random_;
};

}  // namespace

Result random_result(std::mt19937_64& random) {
  Result out;
  Filler(random).fill(out);
  return out;
}

Environment random_environment(std::mt19937_64& random) {
  Environment out;
  Filler(random).fill(out);
  return out;
}

}  // namespace warpclock
