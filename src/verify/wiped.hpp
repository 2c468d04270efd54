// Memory that is overwritten before it is given back: what is expected of a kernel must not lie about in the process
// for the next call to find.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <vector>

namespace warpclock {

template <class T>
struct WipingAllocator : std::allocator<T> {
  using value_type = T;
  WipingAllocator() = default;
  template <class U>
  explicit WipingAllocator(const WipingAllocator<U>&) {}
  template <class U>
  struct rebind {
    using other = WipingAllocator<U>;
  };
  void deallocate(T* first, std::size_t count) {
    ::explicit_bzero(first, count * sizeof(T));  // memset before a free is optimised away
    std::allocator<T>::deallocate(first, count);
  }
};

template <class T>
using WipedVector = std::vector<T, WipingAllocator<T>>;

}  // namespace warpclock
