// A hash for telling two files or documents apart, not for keeping anybody from making two alike.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace warpclock::store {

/// FNV-1a, 64 bits.  source  https://datatracker.ietf.org/doc/draft-eastlake-fnv; cost about 1 ns a byte
class Hash {
 public:
  void add(std::span<const std::byte> bytes);
  void add(std::string_view text) { add(std::as_bytes(std::span(text))); }
  [[nodiscard]] std::uint64_t value() const { return value_; }
  /// 16 hexadecimal digits.
  [[nodiscard]] std::string text() const;

 private:
  std::uint64_t value_ = 0xCBF29CE484222325U;
};

/// Hash of a file's content.  throws DataError where it cannot be read
[[nodiscard]] std::string hash_of_file(const std::string& file);

}  // namespace warpclock::store
