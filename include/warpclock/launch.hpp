// What the measured callable is given: the stream to enqueue into and the addresses of this call's copy.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

struct CUstream_st;  // cudaStream_t and CUstream are pointers to it

namespace warpclock {

class Case;
class HostView;
class Launch;

namespace detail {

struct CaseState;

/// Which argument of which case a handle stands for.
struct Slot {
  const void* owner = nullptr;
  std::uint32_t index = 0;
};

/// throws: the handle is not one of this case
[[noreturn]] void refuse_handle(const Launch& launch);

}  // namespace detail

/// Arguments of a case. They are small values: capture them by copy. Only their own case can use them.
template <class T>
struct Input {  // read only: a check fails where a call has changed it
  detail::Slot slot;
};
template <class T>
struct InOut {  // restored before every call
  detail::Slot slot;
};
template <class T>
struct Output {  // poisoned before every call (NaN, or -1 in integers)
  detail::Slot slot;
};

class Launch {
 public:
  /// The stream in which everything is measured; null on the CPU. It belongs to the primary context, which is current.
  [[nodiscard]] CUstream_st* stream() const { return stream_; }
  /// "cuda" or "cpu".
  [[nodiscard]] const std::string& backend() const { return *backend_; }

  /// Address of the first element on the device (on the CPU: in memory), for the copy of this call.
  ///   throws  for a handle of another case
  template <class T>
  [[nodiscard]] const T* operator[](const Input<T>& argument) const {
    return static_cast<const T*>(at(argument.slot));
  }
  template <class T>
  [[nodiscard]] T* operator[](const InOut<T>& argument) const {
    return static_cast<T*>(at(argument.slot));
  }
  template <class T>
  [[nodiscard]] T* operator[](const Output<T>& argument) const {
    return static_cast<T*>(at(argument.slot));
  }

 private:
  friend struct detail::CaseState;
  friend void detail::refuse_handle(const Launch&);
  Launch() = default;

  [[nodiscard]] void* at(const detail::Slot& slot) const {
    if (slot.owner != owner_ || slot.index >= addresses_.size()) detail::refuse_handle(*this);
    return addresses_[slot.index];
  }

  const void* owner_ = nullptr;
  CUstream_st* stream_ = nullptr;
  const std::string* backend_ = nullptr;
  std::vector<void*> addresses_;
};

}  // namespace warpclock
