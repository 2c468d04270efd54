// The driver's objects, and the stream that runs in virtual time. The structures have the names that cuda.h gives them.
#pragma once

#include <cuda.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fakes/machine.hpp"

namespace fake {

/// A moment of the device, and for how long it had been busy by then.
struct Moment {
  std::uint64_t time = 0;
  std::uint64_t busy = 0;
};

/// The kernel warpclock_sentinel while it runs: it stays in its stream until its stop word is written or its time is
/// up.
struct Sentinel {
  volatile std::uint32_t* running = nullptr;
  const volatile std::uint32_t* stop = nullptr;
  std::uint32_t ticket = 0;
  std::uint64_t least = 0;
  std::uint64_t longest = 0;
  std::uint64_t* out = nullptr;
  std::optional<Moment> start;
  std::optional<Moment> end;

  /// return  true when it has ended
  bool advance(CUstream_st& side);
  /// Ends it because its time is up.
  void time_out(CUctx_st& context);

 private:
  void finish(Moment at, bool stopped);
};

}  // namespace fake

struct CUctx_st {
  int ordinal = 0;  // as CUDA_VISIBLE_DEVICES orders the GPUs
  const fake::Gpu* gpu = nullptr;
  int references = 0;
  CUresult broken = CUDA_SUCCESS;  // sticky error
  std::size_t used_memory = 0;
  std::uint64_t host_time = 1'000'000;  // ns; when the host is ready with what it has enqueued
  std::uint32_t correlation = 0;
  std::vector<CUstream> streams;
  std::uint64_t busy = 0;                      // ns for which its streams have been at work so far
  std::shared_ptr<fake::Sentinel> sentinel;    // that runs now; null: none
  std::map<const void*, fake::Moment> writes;  // when the device last wrote each word
};

struct CUmod_st {
  CUcontext context = nullptr;
  std::map<std::string, std::unique_ptr<CUfunc_st>> functions;
};

struct CUfunc_st {
  CUcontext context = nullptr;
  std::string name;
  bool loaded = false;  // lazily, when it is launched first
};

struct CUevent_st {
  CUcontext context = nullptr;
  std::optional<std::uint64_t> stamp;  // none before the device has been there
};

/// Work that is not held runs when it is enqueued; behind a wait it queues up until the word is written.
struct CUstream_st {
  struct Command {
    std::uint64_t ready = 0;
    const volatile std::uint32_t* word = nullptr;  // of a wait
    std::uint32_t value = 0;
    std::function<bool()> poll;  // stays at the front until this is true
    std::function<void()> run;   // anything else
  };

  CUcontext context = nullptr;
  std::uint32_t number = 0;  // as CUPTI numbers it
  std::uint64_t time = 0;    // up to which the device has got
  std::deque<Command> queue;

  /// Blocks while the launch queue is full, then adds the command, then runs what can be run.
  void enqueue(Command command);
  /// Runs what no wait holds back.  return: true if nothing is left
  bool advance();
  /// Waits, in real time, until all has run.
  void wait();
  /// Lets the device be busy for `ns` from its turn on.  return: the start
  std::uint64_t occupy(std::uint64_t ns, std::uint64_t gap);
};
