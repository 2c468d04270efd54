// What a Case has been told so far.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <new>
#include <optional>
#include <string>
#include <vector>
#include <warpclock/case.hpp>

#include "api/declared.hpp"
#include "device/benchmark.hpp"
#include "verify/operands.hpp"

namespace warpclock::detail {

/// Thrown by Case::skip. Not a std::exception, so that a catch of those does not swallow it.
struct Skip {};

struct Argument {
  std::string name;
  std::optional<std::size_t> operand;  // its place among the specs; empty: memory of the benchmark's own
  void* address = nullptr;             // of that memory
  Bytes bytes = 0;
};

struct Expectation {
  std::size_t argument = 0;
  double tolerance = 0;
  ReferenceFunction all;  // one of the two is set
  ElementReference each;
  std::uint64_t sampled = 0;
};

struct CaseState {
  CaseState(const Registration::Declared& of, Device& on, const Point& at, const WorkloadOptions& with,
            const UseWorkload& for_use, CUstream_st* in)
      : declared(of), device(on), point(at), options(with), use(for_use), stream(in) {}

  /// throws KernelError "saxpy (saxpy.cpp:12): <what>". Also kept, so that swallowing it does not help.
  [[noreturn]] void fail(const std::string& what);
  void fail(const std::string& what, std::nothrow_t);
  /// throws as fail() for a handle that is not of this case
  [[nodiscard]] Argument& argument(const Slot& slot);
  [[nodiscard]] Launch launch_on(std::vector<void*> addresses) const;

  const Registration::Declared& declared;
  Device& device;
  const Point& point;
  const WorkloadOptions& options;
  const UseWorkload& use;
  CUstream_st* stream;

  std::vector<OperandSpec> specs;
  std::vector<Argument> arguments;
  std::vector<Expectation> expectations;
  Work work;
  std::function<std::string()> verify;
  std::function<void(Launch&)> before_each;
  std::optional<std::string> skipped;
  std::exception_ptr failure;
  bool measured = false;
};

}  // namespace warpclock::detail
