// Equality of results, member by member. Every struct is taken apart, so that a new member does not compile until it
// is compared too.
#pragma once

#include <tuple>

#include "core/result.hpp"

namespace warpclock {

template <class T>
auto members(const T& x) {
  if constexpr (std::is_same_v<T, Result>) {
    const auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, y, z, aa, bb, cc, dd] = x;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, y, z, aa, bb, cc, dd);
  } else if constexpr (std::is_same_v<T, Conditions>) {
    const auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v] = x;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v);
  } else if constexpr (std::is_same_v<T, Telemetry>) {
    const auto& [a, b, c, d, e, f, g, h, i, j, k, l, m] = x;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m);
  } else if constexpr (std::is_same_v<T, Sample>) {
    const auto& [a, b, c, d, e, f, g, h, i] = x;
    return std::tie(a, b, c, d, e, f, g, h, i);
  } else if constexpr (std::is_same_v<T, Spread>) {
    const auto& [a, b, c, d, e, f, g, h] = x;
    return std::tie(a, b, c, d, e, f, g, h);
  } else if constexpr (std::is_same_v<T, Estimate> || std::is_same_v<T, Sol> || std::is_same_v<T, Environment>) {
    const auto& [a, b, c, d, e, f] = x;
    return std::tie(a, b, c, d, e, f);
  } else if constexpr (std::is_same_v<T, EffectiveClock> || std::is_same_v<T, Energy>) {
    const auto& [a, b, c, d, e] = x;
    return std::tie(a, b, c, d, e);
  } else if constexpr (std::is_same_v<T, Work>) {
    const auto& [a, b, c, d, e, f, g] = x;
    return std::tie(a, b, c, d, e, f, g);
  } else if constexpr (std::is_same_v<T, Summary>) {
    const auto& [a, b, c] = x;
    return std::tie(a, b, c);
  } else if constexpr (std::is_same_v<T, Mode> || std::is_same_v<T, TelemetryBlock>) {
    const auto& [a, b] = x;
    return std::tie(a, b);
  } else {  // Counter, Check, Finding, KernelShare
    const auto& [a, b, c, d] = x;
    return std::tie(a, b, c, d);
  }
}

template <class T>
concept Plain = std::equality_comparable<T>;

template <Plain T>
bool same(const T& a, const T& b) {
  return a == b;
}
template <class T>
bool same(const T& a, const T& b);
template <class T>
bool same(const std::optional<T>& a, const std::optional<T>& b) {
  return a.has_value() == b.has_value() && (!a || same(*a, *b));
}
template <class T>
bool same(const std::vector<T>& a, const std::vector<T>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!same(a[i], b[i])) return false;
  }
  return true;
}
template <class T>
bool same(const T& a, const T& b) {
  const auto left = members(a);
  const auto right = members(b);
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    return (same(std::get<I>(left), std::get<I>(right)) && ...);
  }
  (std::make_index_sequence<std::tuple_size_v<decltype(left)>>());
}

}  // namespace warpclock
