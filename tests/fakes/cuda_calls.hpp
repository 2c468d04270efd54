// What the files of the stand-in for the driver share: how a call begins, and the table of all entry points.
#pragma once

#include <cuda.h>
#include <cudaTypedefs.h>

#include <map>
#include <string>
#include <type_traits>

#include "fakes/cuda_stream.hpp"
#include "fakes/machine.hpp"

namespace fake {

constexpr std::uint64_t launch_gap = 992;  // ns between the turn of a kernel, copy or fill and its start

inline Machine& machine() { return Machine::instance(); }
/// Counts the call.  return: the error that the script wants of it
inline CUresult scripted(const char* function) { return static_cast<CUresult>(machine().error_of(function)); }

/// The calling thread's context; null where it has none.
[[nodiscard]] CUcontext current();
/// What every call of a context does first.  owner  of the object that it is about; null: of none
[[nodiscard]] CUresult enter(const char* function, CUcontext owner);
/// Bytes of memory of each GPU.
[[nodiscard]] std::size_t total_memory();

/// Entry points by the names that cuGetProcAddress takes.
using Entries = std::map<std::string, void*>;
[[nodiscard]] const Entries& device_entries();  // driver, devices, contexts
[[nodiscard]] const Entries& work_entries();    // streams, events, modules, kernels
[[nodiscard]] const Entries& memory_entries();

/// The address of a function that has the signature of `Function`, a type of cudaTypedefs.h.
template <class Function>
void* address(std::type_identity_t<Function> function) {
  return reinterpret_cast<void*>(function);
}

}  // namespace fake
