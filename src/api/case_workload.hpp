// A case that is ready to be called: its operands on the device, and the callable with the addresses of each copy.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "api/case_state.hpp"
#include "device/workload.hpp"
#include "verify/operands.hpp"
#include "verify/wiped.hpp"

namespace warpclock {

class CaseWorkload final : public Workload {
 public:
  /// Allocates and fills.  throws  UsageError, DeviceError as OperandSet does, naming the benchmark
  CaseWorkload(detail::CaseState& state, const std::function<void(Launch&)>& call);

  [[nodiscard]] std::uint32_t copies() const override { return operands_ ? operands_->copies() : 1; }
  [[nodiscard]] Bytes footprint() const override;
  [[nodiscard]] Work work() const override { return state_.work; }
  void prepare(std::uint32_t copy) override;
  void after_flush(std::uint32_t copy) override;
  void call(std::uint32_t copy) override;
  [[nodiscard]] Check check(std::uint32_t copy) override;
  void describe(Conditions& conditions) const override;

 private:
  /// Whole outputs as the references want them. They live for one check: nothing to find while the callable runs.
  using WantedValues = std::map<std::size_t, WipedVector<double>>;  // [argument]

  void enqueue_user_code(const char* what, const std::function<void(Launch&)>& code, std::uint32_t copy);
  [[nodiscard]] std::vector<Reference> references(const HostView& view, WantedValues& wanted);
  [[nodiscard]] Check check_operands(std::uint32_t copy);

  detail::CaseState& state_;
  const std::function<void(Launch&)>& call_;
  std::optional<OperandSet> operands_;  // none where all memory is the benchmark's own
  std::vector<Launch> launches_;        // [copy]
};

}  // namespace warpclock
