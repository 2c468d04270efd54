#include "report/utf8.hpp"

#include <algorithm>

namespace warpclock::report {
namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";

bool continues(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

}  // namespace

std::string one_line(std::string_view text) {
  std::string out;
  const auto valid = valid_utf8(text);
  for (std::size_t i = 0; i < valid.size(); ++i) {
    const char c = valid[i];
    const auto byte = static_cast<unsigned char>(c);
    const bool high_control = byte == 0xC2 && static_cast<unsigned char>(valid[i + 1]) < 0xA0;  // U+0080 to U+009F
    if (c == '\n' || c == '\r' || c == '\t') {
      if (!out.empty() && out.back() != ' ') out += ' ';
    } else if (byte < 0x20 || byte == 0x7F || high_control) {
      out += replacement;
      if (high_control) ++i;
    } else {
      out += c;
    }
  }
  return out;
}

std::size_t width(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return !continues(c); }));
}

}  // namespace warpclock::report
