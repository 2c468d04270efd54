#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <utility>

#include "api/case_state.hpp"
#include "api/case_workload.hpp"
#include "core/errors.hpp"
#include "plan/suggest.hpp"

namespace warpclock {
namespace detail {

void CaseState::fail(const std::string& what, std::nothrow_t) {
  failure = std::make_exception_ptr(KernelError(fmt::format("{}: {}", declared.where(), what)));
}

void CaseState::fail(const std::string& what) {
  fail(what, std::nothrow);
  std::rethrow_exception(failure);
}

Argument& CaseState::argument(const Slot& slot) {
  if (slot.owner != this || slot.index >= arguments.size()) {
    fail("an argument belongs to another case; make it from the Case of this call");
  }
  return arguments[slot.index];
}

Launch CaseState::launch_on(std::vector<void*> addresses) const {
  Launch launch;
  launch.owner_ = this;
  launch.stream_ = stream;
  launch.backend_ = &device.info().backend;
  launch.addresses_ = std::move(addresses);
  return launch;
}

void refuse_handle(const Launch& launch) {
  const auto& state = *static_cast<const CaseState*>(launch.owner_);
  throw KernelError(
      fmt::format("{}: the callable was given an argument of another case; make it from the Case of this "
                  "call",
                  state.declared.where()));
}

}  // namespace detail

namespace {

static_assert(static_cast<int>(Element::fp64) == static_cast<int>(DType::fp64) &&
              static_cast<int>(Element::fp8) == static_cast<int>(DType::fp8) &&
              static_cast<int>(Element::int8) == static_cast<int>(DType::int8));
DType dtype_of(Element element) { return static_cast<DType>(element); }

static_assert(static_cast<int>(Distribution::Kind::normal) == static_cast<int>(Data::normal) &&
              static_cast<int>(Distribution::Kind::zeros) == static_cast<int>(Data::zeros));

const AxisValue& value_of(detail::CaseState& state, std::string_view name) {
  std::vector<std::string> known;
  for (const auto& [axis, value] : state.point.values) {
    if (axis == name) return value;
    known.push_back(axis);
  }
  state.fail(fmt::format("it has no axis '{}'; {}", name,
                         known.empty() ? "it has none at all" : did_you_mean(std::string(name), known)));
}

/// Amounts that are asked about a call: counts and figures.
double amount(detail::CaseState& state, const char* what, double value) {
  if (!std::isfinite(value) || value < 0) state.fail(fmt::format("{} is {}; give a number of 0 or more", what, value));
  return value;
}

/// The type at whose peak flops count when nobody says.
std::string compute_type(const detail::CaseState& state) {
  for (const auto& spec : state.specs) {
    if (is_floating(spec.type)) return name_of(spec.type);
  }
  return "fp32";
}

void refuse_after_measure(detail::CaseState& state) {
  if (state.measured) state.fail("something was said after measure(); say everything before it");
}

}  // namespace

std::int64_t Case::axis_number(std::string_view name) const {
  const auto* number = std::get_if<std::int64_t>(&value_of(state_, name));
  if (number != nullptr) return *number;
  state_.fail(fmt::format("axis '{}' holds words; ask for axis<std::string>", name));
}

double Case::axis_real(std::string_view name) const {
  const auto& value = value_of(state_, name);
  if (const auto* number = std::get_if<std::int64_t>(&value)) return static_cast<double>(*number);
  const auto& text = std::get<std::string>(value);
  double real = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), real);
  if (error == std::errc{} && end == text.data() + text.size()) return real;
  state_.fail(fmt::format("axis '{}' holds '{}', which is no number", name, text));
}

std::string Case::axis_text(std::string_view name) const {
  const auto* text = std::get_if<std::string>(&value_of(state_, name));
  if (text != nullptr) return *text;
  state_.fail(fmt::format("axis '{}' holds whole numbers; ask for axis<std::int64_t>", name));
}

void Case::axis_does_not_fit(std::string_view name) const {
  state_.fail(
      fmt::format("axis '{}' is {}, too large for the type asked for", name, to_string(value_of(state_, name))));
}

const std::string& Case::backend() const { return state_.device.info().backend; }

std::uint64_t Case::seed() const { return state_.options.seed; }

detail::Slot Case::add(Kind kind, Element element, std::int64_t count, Distribution data, Residency residency) {
  static constexpr Role roles[] = {Role::input, Role::inout, Role::output, Role::scratch};
  refuse_after_measure(state_);
  const auto index = static_cast<std::uint32_t>(state_.arguments.size());
  const auto name = fmt::format("argument {}", index);
  if (count <= 0) state_.fail(fmt::format("{} has {} elements; give it at least 1", name, count));
  OperandSpec spec{.name = name,
                   .type = dtype_of(element),
                   .count = static_cast<std::uint64_t>(count),
                   .role = roles[static_cast<int>(kind)],
                   .just_written = residency == Residency::activation};
  if (data.kind()) spec.data = static_cast<Data>(*data.kind());
  if (data.value()) {
    spec.generate = [value = data.value()](std::uint64_t seed, std::uint64_t first, std::span<double> to) {
      for (std::size_t i = 0; i < to.size(); ++i) to[i] = value(seed, static_cast<std::int64_t>(first + i));
    };
  }
  state_.arguments.push_back({.name = name, .operand = state_.specs.size()});
  state_.specs.push_back(std::move(spec));
  return {&state_, index};
}

detail::Slot Case::add_own(void* address, Element element, std::int64_t count) {
  refuse_after_measure(state_);
  const auto index = static_cast<std::uint32_t>(state_.arguments.size());
  if (address == nullptr || count <= 0) {
    state_.fail(fmt::format("own memory at {} with {} elements; give an address and at least 1", address, count));
  }
  const auto bytes = static_cast<std::uint64_t>(count) * size_of(dtype_of(element));
  state_.arguments.push_back(
      {.name = fmt::format("argument {}", index), .operand = {}, .address = address, .bytes = bytes});
  return {&state_, index};
}

void Case::rename(const detail::Slot& slot, std::string_view text) {
  auto& argument = state_.argument(slot);
  argument.name = text;
  if (argument.operand) state_.specs[*argument.operand].name = text;
}

void Case::work(const CaseWork& work) {
  refuse_after_measure(state_);
  state_.work.flops = amount(state_, "work: flops", work.flops);
  state_.work.bytes_read = amount(state_, "work: bytes_read", work.bytes_read);
  state_.work.bytes_written = amount(state_, "work: bytes_written", work.bytes_written);
  state_.work.compute_type = work.compute;
}

void Case::items(double count, std::string_view name) {
  refuse_after_measure(state_);
  if (amount(state_, "items", count) == 0) state_.fail("a call of 0 items has no time per item");
  state_.work.items = count;
  state_.work.item = name;
}

void Case::counter(std::string_view name, double value, std::string_view unit) {
  refuse_after_measure(state_);
  if (!std::isfinite(value)) state_.fail(fmt::format("counter '{}' is {}; give a finite number", name, value));
  state_.work.counters.push_back({std::string(name), value, std::string(unit), false});
}

void Case::rate(std::string_view name, double value, std::string_view unit) {
  refuse_after_measure(state_);
  const auto what = fmt::format("rate '{}'", name);
  state_.work.counters.push_back({std::string(name), amount(state_, what.c_str(), value), std::string(unit), true});
}

namespace {

void expect(detail::CaseState& state, const detail::Slot& slot, detail::Expectation expectation) {
  refuse_after_measure(state);
  const auto& argument = state.argument(slot);
  const auto refuse = [&](const std::string& why) { state.fail(fmt::format("expect: {} {}", argument.name, why)); };
  if (!argument.operand) refuse("is memory of the benchmark's own, which is not restored; use verify()");
  const auto role = state.specs[*argument.operand].role;
  if (role == Role::input) refuse("is an input; make it an inout or an output");
  if (role == Role::scratch) refuse("is a workspace; make it an output");
  if (!std::isfinite(expectation.tolerance) || expectation.tolerance < 0)
    refuse("has a tolerance that is no number of 0 or more");
  if (!expectation.all && !expectation.each) refuse("has an empty function as reference");
  expectation.argument = slot.index;
  for (const auto& other : state.expectations) {
    if (other.argument == slot.index) refuse("has a reference already");
  }
  state.expectations.push_back(std::move(expectation));
}

}  // namespace

void Case::expect_all(const detail::Slot& slot, Tolerance tolerance, ReferenceFunction reference) {
  warpclock::expect(state_, slot, {.tolerance = tolerance.value, .all = std::move(reference), .each = {}});
}

void Case::expect_elements(const detail::Slot& slot, Tolerance tolerance, ElementReference reference,
                           std::uint64_t sampled) {
  warpclock::expect(state_, slot,
                    {.tolerance = tolerance.value, .all = {}, .each = std::move(reference), .sampled = sampled});
}

void Case::verify(std::function<std::string()> problem) {
  refuse_after_measure(state_);
  state_.verify = std::move(problem);
}

void Case::before_each(std::function<void(Launch&)> setup) {
  refuse_after_measure(state_);
  state_.before_each = std::move(setup);
}

void Case::skip(std::string_view reason) {
  if (state_.measured) state_.fail("skip() after measure(); decide before it");
  state_.skipped = std::string(reason.empty() ? "skipped, no reason was given" : reason);
  throw detail::Skip{};
}

void Case::measure_call(const std::function<void(Launch&)>& call) {
  if (state_.failure) std::rethrow_exception(state_.failure);
  if (state_.measured)
    state_.fail("measure() is called twice; a point has one measurement, so add an axis or a variant");
  state_.measured = true;
  if (state_.work.flops > 0 && state_.work.compute_type.empty()) state_.work.compute_type = compute_type(state_);
  try {
    CaseWorkload workload(state_, call);
    state_.use(workload);
  } catch (...) {
    state_.failure = std::current_exception();
    throw;
  }
}

}  // namespace warpclock
