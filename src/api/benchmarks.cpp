#include "api/benchmarks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>

#include "api/call_context.hpp"
#include "api/case_state.hpp"
#include "core/errors.hpp"

namespace warpclock {
namespace {

using Declared = Registration::Declared;

void refuse_mistakes(const Declared& one) {
  if (!one.mistakes.empty()) throw UsageError(fmt::format("{}: {}", one.where(), one.mistakes.front()));
  if (one.name.empty()) throw UsageError(fmt::format("{}: a benchmark needs a name", one.where()));
  if (one.name.front() == '-') {
    throw UsageError(
        fmt::format("{}: a name that begins with '-' reads like an option; call it .name(...)", one.where()));
  }
  for (const auto& backend : one.backends) {
    if (backend == "cpu" || backend == "cuda") continue;
    throw UsageError(
        fmt::format("{}: there is no backend '{}' for callables; on() takes cpu and cuda", one.where(), backend));
  }
  for (auto axis = one.axes.begin(); axis != one.axes.end(); ++axis) {
    const bool twice = std::ranges::count(one.axes, axis->name, &AxisSpec::name) > 1;
    if (axis->name.empty() || axis->name.find_first_of("= ") != std::string::npos) {
      throw UsageError(fmt::format("{}: '{}' is no name for an axis: no blanks and no '='", one.where(), axis->name));
    }
    if (twice) throw UsageError(fmt::format("{}: axis '{}' is declared twice", one.where(), axis->name));
  }
}

void refuse_taken(const std::deque<Declared>& all, std::size_t at, const std::vector<std::string>& taken) {
  const auto& one = all[at];
  for (std::size_t i = 0; i < at; ++i) {
    if (all[i].name != one.name) continue;
    throw UsageError(fmt::format("{}: {} has the same name; call one of them .name(\"{}/other\")", one.where(),
                                 all[i].where(), one.name));
  }
  if (std::ranges::find(taken, one.name) != taken.end()) {
    throw UsageError(
        fmt::format("{}: a built-in benchmark has that name; call it .name(\"my/{}\")", one.where(), one.name));
  }
}

/// Runs the user's function for one point; what it throws becomes an error that says whose it is.
void run_function(const Declared& one, Device& device, const Point& point, const WorkloadOptions& options,
                  const UseWorkload& use) {
  const CallContext context(device);
  detail::CaseState state(one, device, point, options, use, context.stream());
  Case c(state);
  try {
    one.function(c);
  } catch (const detail::Skip&) {
  } catch (const Error&) {
    if (!state.failure) throw;  // a filter's or a helper's own: it says what and where
  } catch (const std::exception& error) {
    if (!state.failure) state.fail(fmt::format("its function threw: {}", error.what()), std::nothrow);
  } catch (...) {
    if (!state.failure) state.fail("its function threw something that is no std::exception", std::nothrow);
  }
  // Asked first: a function that swallows what measure() throws must not turn a failure into a result.
  if (state.failure) std::rethrow_exception(state.failure);
  if (state.skipped) throw UsageError(fmt::format("{}: {}", one.where(), *state.skipped));
  if (!state.measured) {
    throw KernelError(
        fmt::format("{}: its function ended without calling measure(); call it once, or skip(reason)", one.where()));
  }
}

Benchmark benchmark_of(const Declared& one) {
  Benchmark out;
  out.name = one.name;
  out.summary = one.summary.empty() ? fmt::format("{}:{}", one.file, one.line) : one.summary;
  out.backends = one.backends;
  out.axes = [axes = one.axes](const std::string&) { return axes; };
  out.footprint = [](const Point&) { return Bytes{0}; };  // known when its function has run; the set-up asks then
  out.around = [&one](Device& device, const Point& point, const WorkloadOptions& options, const UseWorkload& use) {
    run_function(one, device, point, options, use);
  };
  if (one.wanted) {
    out.wanted = [&one](const Point& point) {
      try {
        return one.wanted(PointView(point));
      } catch (const std::exception& error) {
        throw UsageError(fmt::format("{}: its filter: {}", one.where(), error.what()));
      }
    };
  }
  return out;
}

}  // namespace

std::vector<Benchmark> benchmarks_of(const std::deque<Declared>& all, const std::vector<std::string>& taken) {
  std::vector<Benchmark> out;
  for (std::size_t i = 0; i < all.size(); ++i) {
    refuse_mistakes(all[i]);
    refuse_taken(all, i, taken);
    out.push_back(benchmark_of(all[i]));
  }
  return out;
}

}  // namespace warpclock
