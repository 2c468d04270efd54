// Registering a benchmark: its name, axes and points.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>
#include <warpclock/element.hpp>

namespace warpclock {

class Case;
struct Point;

/// Powers of two from 2^first to 2^last, both included.
[[nodiscard]] std::vector<std::int64_t> pow2(int first, int last, int step = 1);
/// first, first + step, ... up to last.
[[nodiscard]] std::vector<std::int64_t> range(std::int64_t first, std::int64_t last, std::int64_t step = 1);

/// A point as a filter sees it.
class PointView {
 public:
  explicit PointView(const Point& point) : point_(point) {}
  /// throws UsageError for an axis that is not there or holds the other kind
  [[nodiscard]] std::int64_t number(std::string_view axis) const;
  [[nodiscard]] std::string text(std::string_view axis) const;

 private:
  const Point& point_;
};

/// A benchmark that was registered. Nothing is checked here, where an exception would end the program before main():
/// mistakes are told when it starts, with the line.
class Registration {
 public:
  struct Declared;
  explicit Registration(Declared& declared) : declared_(&declared) {}

  /// How it is called on the command line; unset: as its function. "op/variant" puts variants of one operation side by
  /// side.
  Registration& name(std::string_view name);
  /// One line for `list`.
  Registration& summary(std::string_view text);
  /// Backends on which its callable runs: "cpu", "cuda" or both. Unset: cuda in a file that nvcc compiled, cpu in
  /// others.
  Registration& on(std::initializer_list<std::string_view> backends);

  /// An axis of whole numbers or of words, with the values it takes unless --axis gives others. The last axis is the
  /// fastest. Words are a closed choice; numbers are not.
  Registration& axis(std::string_view name, std::initializer_list<std::int64_t> values, std::string_view help = "");
  Registration& axis(std::string_view name, std::initializer_list<const char*> words, std::string_view help = "");
  Registration& axis(std::string_view name, const std::vector<std::int64_t>& values, std::string_view help = "");
  Registration& axis(std::string_view name, const std::vector<std::string>& words, std::string_view help = "");
  /// Axes whose values belong together: one tuple a point. zip({"M", "N", "K"}, {{1, 4096, 4096}, {16, 512, 64}})
  Registration& zip(const std::vector<std::string>& names, const std::vector<std::vector<std::int64_t>>& tuples);
  /// Leaves out the points for which `wanted` is false: they are in no plan. Case::skip() instead keeps a row.
  Registration& filter(std::function<bool(const PointView&)> wanted);

 private:
  Declared* declared_;
};

namespace detail {

#if defined(__CUDACC__)
inline constexpr bool compiled_for_cuda = true;
#else
inline constexpr bool compiled_for_cuda = false;
#endif

[[nodiscard]] Registration declare(std::string_view name, std::function<void(Case&)> function, const char* file,
                                   unsigned line, bool cuda);
[[nodiscard]] Registration declare_types(std::string_view name, std::vector<std::string> types,
                                         std::function<void(Case&, std::size_t type)> function, const char* file,
                                         unsigned line, bool cuda);

/// `function` is a templated lambda: function.operator()<T>(c).
template <class... Types, class Function>
[[nodiscard]] Registration declare_over(std::string_view name, Function function, const char* file, unsigned line) {
  static_assert(sizeof...(Types) > 0, "name at least one type");
  return declare_types(
      name, {TypeName<Types>::value()...},
      [function](Case& c, std::size_t type) {
        std::size_t at = 0;
        static_cast<void>(((at++ == type && (function.template operator()<Types>(c), true)) || ...));
      },
      file, line, compiled_for_cuda);
}

}  // namespace detail
}  // namespace warpclock

#define WARPCLOCK_JOIN_AGAIN(a, b) a##b
#define WARPCLOCK_JOIN(a, b) WARPCLOCK_JOIN_AGAIN(a, b)

/// Registers a function `void f(warpclock::Case&)`, or a lambda, at namespace scope.
#define WARPCLOCK_BENCH(...)                                                                                       \
  [[maybe_unused]] static const auto WARPCLOCK_JOIN(warpclock_bench_, __COUNTER__) = ::warpclock::detail::declare( \
      #__VA_ARGS__, __VA_ARGS__, __FILE__, __LINE__, ::warpclock::detail::compiled_for_cuda)

/// Registers a template `template <class T> void f(warpclock::Case&)` for each of the types, with a text axis "T".
#define WARPCLOCK_BENCH_TYPES(function, ...)                                         \
  [[maybe_unused]] static const auto WARPCLOCK_JOIN(warpclock_bench_, __COUNTER__) = \
      ::warpclock::detail::declare_over<__VA_ARGS__>(                                \
          #function, []<class T>(::warpclock::Case& c) { function<T>(c); }, __FILE__, __LINE__)
