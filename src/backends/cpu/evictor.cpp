// Takes operands out of the caches.
#include "backends/cpu/evictor.hpp"

#include <cstddef>
#include <cstdint>

namespace warpclock::cpu {
namespace {

constexpr std::size_t line = 64 / sizeof(std::uint64_t);  // words a cache line; with longer lines one is touched twice

void read_lines(const std::uint64_t* words, std::size_t count) {
  // Several sums, so that no load waits for the addition before it.
  std::uint64_t a = 0, b = 0, c = 0, d = 0;
  std::size_t i = 0;
  for (; i + 4 * line <= count; i += 4 * line) {
    a += words[i], b += words[i + line], c += words[i + 2 * line], d += words[i + 3 * line];
  }
  for (; i < count; i += line) a += words[i];
  a += b + c + d;
  asm volatile("" : : "r"(a));  // the sum is used, so the loads stay
}

// Not memset: it stores around the caches for large sizes, and would leave them clean.
void write_lines(std::uint64_t* words, std::size_t count) {
  for (std::size_t i = 0; i < count; i += line) words[i] = i;
  asm volatile("" : : "r"(words) : "memory");
}

}  // namespace

void stream_through(Buffer& buffer, Evict kind, Bytes bytes) {
  auto* words = static_cast<std::uint64_t*>(buffer.address());
  const auto count = static_cast<std::size_t>(bytes / sizeof(std::uint64_t));
  if (kind == Evict::clean) {
    read_lines(words, count);
  } else {
    write_lines(words, count);
  }
}

}  // namespace warpclock::cpu
