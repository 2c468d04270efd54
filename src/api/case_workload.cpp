#include "api/case_workload.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "api/call_context.hpp"
#include "core/errors.hpp"
#include "verify/compare.hpp"

namespace warpclock {
namespace {

/// Decodes the inputs of one copy when a reference asks for them.
class OperandView final : public HostView {
 public:
  OperandView(detail::CaseState& state, const OperandSet& operands, std::uint32_t copy)
      : state_(state), operands_(operands), copy_(copy) {}

 private:
  [[nodiscard]] std::span<const double> values(const detail::Slot& slot) const override {
    const auto& argument = state_.argument(slot);
    if (!argument.operand) state_.fail(argument.name + " is memory of the benchmark's own; a reference cannot see it");
    auto& values = decoded_[*argument.operand];
    if (values.empty()) {
      values.resize(operands_.specs()[*argument.operand].count);
      operands_.initial(*argument.operand, copy_, 0, values);
    }
    return values;
  }

  detail::CaseState& state_;
  const OperandSet& operands_;
  std::uint32_t copy_;
  mutable std::map<std::size_t, std::vector<double>> decoded_;
};

/// Runs code of the user's: what it throws says whose it is.
template <class Code>
auto guarded(const detail::CaseState& state, const char* what, Code code) {
  try {
    return code();
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    throw KernelError(fmt::format("{}: {} threw: {}", state.declared.where(), what, error.what()));
  } catch (...) {
    throw KernelError(fmt::format("{}: {} threw something that is no std::exception", state.declared.where(), what));
  }
}

std::optional<OperandSet> make_operands(detail::CaseState& state) {
  if (state.specs.empty()) return std::nullopt;
  const auto where = state.declared.where();
  try {
    return std::optional<OperandSet>(std::in_place, state.device, state.specs, state.options);
  } catch (const UsageError& error) {
    throw UsageError(where + ": " + error.what());
  } catch (const DeviceError& error) {
    throw DeviceError(where + ": " + error.what());
  }
}

}  // namespace

CaseWorkload::CaseWorkload(detail::CaseState& state, const std::function<void(Launch&)>& call)
    : state_(state), call_(call), operands_(make_operands(state)) {
  for (std::uint32_t copy = 0; copy < copies(); ++copy) {
    std::vector<void*> addresses;
    for (const auto& argument : state_.arguments) {
      addresses.push_back(argument.operand ? operands_->of(copy)[*argument.operand].address : argument.address);
    }
    launches_.push_back(state_.launch_on(std::move(addresses)));
  }
}

Bytes CaseWorkload::footprint() const {
  Bytes sum = operands_ ? operands_->footprint() : 0;
  for (const auto& argument : state_.arguments) sum += argument.bytes;
  return sum;
}

void CaseWorkload::prepare(std::uint32_t copy) {
  if (operands_) operands_->prepare(state_.device.stream(), copy);
  if (state_.before_each) enqueue_user_code("before_each", state_.before_each, copy);
}

void CaseWorkload::after_flush(std::uint32_t copy) {
  if (operands_) operands_->refresh(state_.device.stream(), copy);
}

void CaseWorkload::call(std::uint32_t copy) { enqueue_user_code("the call", call_, copy); }

void CaseWorkload::enqueue_user_code(const char* what, const std::function<void(Launch&)>& code, std::uint32_t copy) {
  enqueue(state_.device, state_.declared.name,
          [this, what, &code, copy] { guarded(state_, what, [&] { code(launches_[copy]); }); });
}

std::vector<Reference> CaseWorkload::references(const HostView& view, WantedValues& all_wanted) {
  std::vector<Reference> out;
  for (const auto& expectation : state_.expectations) {
    const auto operand = *state_.arguments[expectation.argument].operand;
    const auto count = operands_->specs()[operand].count;
    Reference reference{.operand = operand, .tolerance = expectation.tolerance, .sampled = expectation.sampled};
    if (expectation.all) {
      auto& wanted = all_wanted[expectation.argument];
      wanted.resize(count);
      guarded(state_, "the reference", [&] { expectation.all(view, wanted); });
      reference.values = [&wanted](const OperandSet&, std::uint32_t, std::uint64_t first, std::span<double> want) {
        std::copy_n(wanted.begin() + static_cast<std::ptrdiff_t>(first), want.size(), want.begin());
      };
    } else {
      reference.values = [&, this](const OperandSet&, std::uint32_t, std::uint64_t first, std::span<double> want) {
        guarded(state_, "the reference", [&] {
          for (std::size_t i = 0; i < want.size(); ++i) {
            want[i] = expectation.each(view, static_cast<std::int64_t>(first + i));
          }
        });
      };
    }
    out.push_back(std::move(reference));
  }
  return out;
}

Check CaseWorkload::check_operands(std::uint32_t copy) {
  if (!operands_) return unchecked("the harness owns no output of this benchmark");
  const OperandView view(state_, *operands_, copy);
  WantedValues wanted;
  return operands_->check(copy, references(view, wanted));
}

Check CaseWorkload::check(std::uint32_t copy) {
  state_.device.stream().synchronize();
  auto check = check_operands(copy);
  if (!state_.verify || check.state == Check::State::failed) return check;
  const auto problem = guarded(state_, "verify", [&] { return state_.verify(); });
  if (!problem.empty()) return {.state = Check::State::failed, .detail = problem};
  // Its own verdict stands for what has no reference.
  if (check.state == Check::State::unchecked) check = {.state = Check::State::passed, .detail = ""};
  return check;
}

void CaseWorkload::describe(Conditions& conditions) const {
  for (const auto& argument : state_.arguments) {
    if (!argument.operand) {
      conditions.own_buffers.push_back(argument.name);
      continue;
    }
    const auto& spec = state_.specs[*argument.operand];
    if (spec.role != Role::input && spec.role != Role::inout) continue;
    if (spec.just_written) conditions.just_written.push_back(spec.name);
    const auto data = spec.generate ? "generated" : to_string(spec.data.value_or(state_.options.data));
    if (conditions.data.empty()) conditions.data = data;
    if (conditions.data.find(data) == std::string::npos) conditions.data += "+" + data;
  }
  if (conditions.data.empty() && !conditions.own_buffers.empty()) conditions.data = "the benchmark's own";
}

}  // namespace warpclock
