#include "plan/suggest.hpp"

#include <algorithm>

namespace warpclock {
namespace {

// Not std::tolower: that one asks the locale.
char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

constexpr std::size_t most_listed = 12;

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), above(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before.swap(above);
    above.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = lower(a[i - 1]) == lower(b[j - 1]);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (same ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]);
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row[b.size()];
}

std::optional<std::string> nearest(std::string_view name, const std::vector<std::string>& known) {
  std::optional<std::string> best;
  std::size_t fewest = 0;
  for (const auto& candidate : known) {
    const auto distance = edit_distance(name, candidate);
    if (distance > std::max<std::size_t>(1, candidate.size() / 3)) continue;
    if (best && distance >= fewest) continue;
    best = candidate;
    fewest = distance;
  }
  return best;
}

std::string did_you_mean(std::string_view name, const std::vector<std::string>& known) {
  if (const auto near = nearest(name, known)) return "did you mean '" + *near + "'?";
  if (known.empty()) return "there are none";
  std::string out = "known:";
  for (std::size_t i = 0; i < std::min(known.size(), most_listed); ++i) out += (i == 0 ? " " : ", ") + known[i];
  if (known.size() > most_listed) out += ", ...";
  return out;
}

}  // namespace warpclock
