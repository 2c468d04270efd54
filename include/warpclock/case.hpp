// One point of a benchmark while it is set up and measured. A benchmark is a function `void f(warpclock::Case&)`.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <warpclock/distribution.hpp>
#include <warpclock/element.hpp>
#include <warpclock/launch.hpp>

#if defined(__CUDACC__)
#include <warpclock/cuda.hpp>
#endif

namespace warpclock {

/// What one call has to do at least, by the algorithm: what its speed is compared with. Left out: not compared.
struct CaseWork {
  double flops = 0;
  double bytes_read = 0;
  double bytes_written = 0;
  std::string_view compute =
      {};  // row of the peak table: "fp32", "bf16", ...; unset: the first floating argument's type
};

/// How far an output may be from its reference: |got - want| <= tolerance max(|want|, root mean square of want).
struct Tolerance {
  double value = 0;
};
/// throws  where it is used, for a value that is negative or not finite
[[nodiscard]] inline Tolerance relative(double value) { return {value}; }
[[nodiscard]] inline Tolerance exact() { return {0}; }

/// The inputs of one copy before the call, in double precision, for references.
class HostView {
 public:
  /// All elements, decoded when first asked for; valid until the reference returns.
  template <class T>
  [[nodiscard]] std::span<const double> operator[](const Input<T>& argument) const {
    return values(argument.slot);
  }
  template <class T>
  [[nodiscard]] std::span<const double> operator[](const InOut<T>& argument) const {
    return values(argument.slot);
  }

 protected:
  HostView() = default;
  ~HostView() = default;

 private:
  [[nodiscard]] virtual std::span<const double> values(const detail::Slot& slot) const = 0;
};

/// Fills `want`, the whole output, from the inputs. Rounded to the output's type afterwards.
using ReferenceFunction = std::function<void(const HostView& in, std::span<double> want)>;
/// One element of the output.
using ElementReference = std::function<double(const HostView& in, std::int64_t index)>;

/// Everything that a benchmark's function says goes through its Case. Mistakes are thrown as exceptions that name the
/// benchmark and the line that registered it; they cost the row of this point and no other.
class Case {
 public:
  explicit Case(detail::CaseState& state) : state_(state) {}
  Case(const Case&) = delete;
  Case& operator=(const Case&) = delete;

  /// Value of an axis at this point: a whole number, text, or a floating-point number written as either.
  ///   throws  for an axis that the benchmark has not, or a value that T cannot hold
  template <class T>
  [[nodiscard]] T axis(std::string_view name) const {
    static_assert(std::is_arithmetic_v<T> || std::is_same_v<T, std::string>, "an axis holds a number or a std::string");
    if constexpr (std::is_same_v<T, std::string>) {
      return axis_text(name);
    } else if constexpr (std::is_floating_point_v<T>) {
      return static_cast<T>(axis_real(name));
    } else {
      const auto value = axis_number(name);
      if (!std::in_range<T>(value)) axis_does_not_fit(name);
      return static_cast<T>(value);
    }
  }

  /// "cuda" or "cpu".
  [[nodiscard]] const std::string& backend() const;
  /// Of --seed: for what a benchmark draws itself.
  [[nodiscard]] std::uint64_t seed() const;

  /// Memory that the harness owns: as many copies as the cache state asks for, seeded, restored or poisoned before
  /// every call, with guard bands, aligned to 4 KiB.
  ///   count   elements, above 0
  ///   throws  for another count. Too little memory is told when measure() allocates
  template <IsElement T>
  [[nodiscard]] Input<T> input(std::int64_t count, Distribution data = {}, Residency residency = weights) {
    return {add(Kind::input, ElementOf<T>::value, count, std::move(data), residency)};
  }
  template <IsElement T>
  [[nodiscard]] InOut<T> inout(std::int64_t count, Distribution data = {}, Residency residency = weights) {
    return {add(Kind::inout, ElementOf<T>::value, count, std::move(data), residency)};
  }
  template <IsElement T>
  [[nodiscard]] Output<T> output(std::int64_t count) {
    return {add(Kind::output, ElementOf<T>::value, count, {}, weights)};
  }
  /// A workspace: what a call leaves in it is not compared with anything.
  template <IsElement T>
  [[nodiscard]] Output<T> scratch(std::int64_t count) {
    return {add(Kind::scratch, ElementOf<T>::value, count, {}, weights)};
  }
  /// Memory of your own, device memory on CUDA. It has one copy, nothing restores it before a call and nothing guards
  /// it; the result says so. It must live until measure() returns.
  template <IsElement T>
  [[nodiscard]] InOut<T> own(T* address, std::int64_t count) {
    return {add_own(address, ElementOf<T>::value, count)};
  }
  /// What messages call an argument; unset: "argument 0".
  template <class Handle>
  void name(const Handle& argument, std::string_view text) {
    rename(argument.slot, text);
  }

  void work(const CaseWork& work);
  /// A call works on so many items: the time per item stands beside the time per call.
  void items(double count, std::string_view name = "item");
  /// A figure of your own about one call, shown as it is.
  void counter(std::string_view name, double value, std::string_view unit = "");
  /// An amount per call, shown a second: rate("rows", 4096) at 1 ms is 4.096e6 rows/s.
  void rate(std::string_view name, double amount, std::string_view unit = "");

  /// What `output` must hold after a call. Without it the result says that it was not checked.
  ///   reference  pure; called for each copy that is checked, before and after the timing
  template <class T>
  void expect(const Output<T>& output, Tolerance tolerance, ReferenceFunction reference) {
    expect_all(output.slot, tolerance, std::move(reference));
  }
  template <class T>
  void expect(const InOut<T>& output, Tolerance tolerance, ReferenceFunction reference) {
    expect_all(output.slot, tolerance, std::move(reference));
  }
  template <class T>
  void expect(const Input<T>&, Tolerance, ReferenceFunction) {
    static_assert(!sizeof(T), "expect: an input must not be changed by a call; make it an inout or an output");
  }
  /// The same, element by element.
  ///   sampled  0: all of them; otherwise about so many at random places, the others must only not be NaN
  template <class Handle>
  void expect_each(const Handle& output, Tolerance tolerance, ElementReference reference, std::uint64_t sampled = 0) {
    expect_elements(output.slot, tolerance, std::move(reference), sampled);
  }
  /// A check of your own after a call, with the device idle: says what is wrong, or nothing.
  void verify(std::function<std::string()> problem);

  /// Enqueued before every call and never timed, before the caches are brought into their state.
  void before_each(std::function<void(Launch&)> setup);

  /// Ends this point; its row says why. Does not return.
  [[noreturn]] void skip(std::string_view reason);

  /// Measures `callable`, which is called as callable(launch) some hundred times while this function's locals live.
  /// It must only enqueue into launch.stream() (on the CPU: do the work, on another thread than this one). Call it
  /// exactly once, after everything else was said.
  ///   throws  what the harness cannot do, and what the callable throws; let these pass
  template <class Callable>
  void measure(Callable&& callable) {
    static_assert(std::is_invocable_v<Callable&, Launch&>,
                  "measure takes a callable as [=](warpclock::Launch& l) {...}");
    measure_call([&callable](Launch& launch) {
      std::invoke(callable, launch);
#if defined(__CUDACC__)
      detail::check_launch(launch);
#endif
    });
  }

 private:
  enum class Kind : std::uint8_t { input, inout, output, scratch };

  [[nodiscard]] std::int64_t axis_number(std::string_view name) const;
  [[nodiscard]] double axis_real(std::string_view name) const;
  [[nodiscard]] std::string axis_text(std::string_view name) const;
  [[noreturn]] void axis_does_not_fit(std::string_view name) const;
  [[nodiscard]] detail::Slot add(Kind kind, Element element, std::int64_t count, Distribution data,
                                 Residency residency);
  [[nodiscard]] detail::Slot add_own(void* address, Element element, std::int64_t count);
  void rename(const detail::Slot& slot, std::string_view text);
  void expect_all(const detail::Slot& slot, Tolerance tolerance, ReferenceFunction reference);
  void expect_elements(const detail::Slot& slot, Tolerance tolerance, ElementReference reference,
                       std::uint64_t sampled);
  void measure_call(const std::function<void(Launch&)>& call);

  detail::CaseState& state_;
};

}  // namespace warpclock
