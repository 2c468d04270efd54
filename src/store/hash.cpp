#include "store/hash.hpp"

#include <fmt/format.h>

#include <fstream>
#include <vector>

#include "core/errors.hpp"

namespace warpclock::store {

void Hash::add(std::span<const std::byte> bytes) {
  auto value = value_;
  for (const auto byte : bytes) value = (value ^ std::to_integer<std::uint64_t>(byte)) * 0x100000001B3U;
  value_ = value;
}

std::string Hash::text() const { return fmt::format("{:016x}", value_); }

std::string hash_of_file(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  Hash hash;
  std::vector<char> block(std::size_t{1} << 16U);
  while (in) {
    in.read(block.data(), static_cast<std::streamsize>(block.size()));
    hash.add(std::string_view(block.data(), static_cast<std::size_t>(in.gcount())));
  }
  if (!in.eof()) throw DataError("cannot read '" + file + "'");
  return hash.text();
}

}  // namespace warpclock::store
