// Quantities as people type them: "0.5%", "250ms", "64MiB", "20". Every reader takes the whole text or nothing and
// ignores the locale, so that "0,5" is an error everywhere and "0.5" is the same number everywhere.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/units.hpp"

namespace warpclock {

/// A finite decimal number, "2", "-0.5" or "1e-3".
///   return  nothing for an empty text, nan, inf, a number too large for a double, or anything behind the number
[[nodiscard]] std::optional<double> read_number(std::string_view text);

/// A whole number without a sign, in digits only.
[[nodiscard]] std::optional<std::uint64_t> read_count(std::string_view text);

/// A percentage as a fraction: "0.5%" is 0.005. The sign is required: without it 0.5 could mean either.
[[nodiscard]] std::optional<double> read_fraction(std::string_view text);

/// A number with ns, us, ms, s or min: "1.5ms".
[[nodiscard]] std::optional<Nanoseconds> read_duration(std::string_view text);

/// Bytes, or a number with B, KiB, MiB, GiB (powers of 1024), KB, MB, GB (powers of 1000).
///   return  nothing where the result is not a whole number of bytes or does not fit 63 bits
[[nodiscard]] std::optional<Bytes> read_size(std::string_view text);

/// The inverses: what they print is read back as the same value (12 significant digits).
[[nodiscard]] std::string print_fraction(double fraction);
[[nodiscard]] std::string print_duration(Nanoseconds time);
[[nodiscard]] std::string print_size(Bytes bytes);

}  // namespace warpclock
