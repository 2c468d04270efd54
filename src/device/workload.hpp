// What is measured: one point of one benchmark, set up on one device and ready to be called any number of times.
#pragma once

#include <cstdint>

#include "core/result.hpp"

namespace warpclock {

class Workload {
 public:
  virtual ~Workload() = default;
  Workload(const Workload&) = delete;
  Workload& operator=(const Workload&) = delete;

  /// How many copies of the operands there are; at least 1.
  [[nodiscard]] virtual std::uint32_t copies() const = 0;
  /// Bytes of one copy of all operands; 0 where they are not known (a closure).
  [[nodiscard]] virtual Bytes footprint() const = 0;
  [[nodiscard]] virtual Work work() const = 0;

  /// Enqueues what makes `copy` ready for one more call: operands that a call changes are restored, outputs poisoned.
  virtual void prepare(std::uint32_t copy) = 0;
  /// Enqueues what comes between the flush and the hold: arguments that the work before the call has just written.
  virtual void after_flush(std::uint32_t /*copy*/) {}
  /// The call under test on `copy`. It may do anything, also synchronise, wait or throw.
  virtual void call(std::uint32_t copy) = 0;
  /// Compares the outputs of the latest call on `copy` with the reference. Blocking.
  [[nodiscard]] virtual Check check(std::uint32_t copy) = 0;
  /// Fills in what of the conditions the workload alone knows.
  virtual void describe(Conditions& /*conditions*/) const {}

 protected:
  Workload() = default;
};

}  // namespace warpclock
