#include "backends/sim/cache.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <numeric>

namespace warpclock::sim {
namespace {

constexpr std::uint64_t passing = std::numeric_limits<std::uint64_t>::max();  // id of what is never seen again

}  // namespace

Traffic& Traffic::operator+=(const Traffic& other) {
  hit += other.hit;
  miss += other.miss;
  written_back += other.written_back;
  return *this;
}

Cache::Cache(Bytes capacity) : capacity_(static_cast<double>(capacity)) { lines_.reserve(64); }

Traffic Cache::access(std::uint64_t id, double bytes, Access access) {
  if (bytes <= 0) return {};
  if (bytes > capacity_) return pass_through(bytes, access);
  Line line = take(id);
  const double hit = std::min(line.bytes, bytes);
  line.bytes = std::max(line.bytes, bytes);
  if (access == Access::write) {
    line.dirty = std::max(line.dirty, bytes);
    line.command = command_;
  }
  return {.hit = hit, .miss = bytes - hit, .written_back = put(line)};
}

Traffic Cache::pass_through(double bytes, Access access) {
  if (bytes <= 0) return {};
  Line line{.id = passing};
  if (!lines_.empty() && lines_.back().id == passing) {
    // Joined with what passed just before: else a thousand small kernels would leave a list of a thousand. For writes
    // that blurs whose dirty bytes they are, so only up to a share of the cache that does not matter.
    const double joined = lines_.back().bytes + bytes;
    if (joined <= capacity_ / 256 || (access == Access::read && joined <= capacity_)) {
      line = lines_.back();
      lines_.pop_back();
    }
  }
  line.bytes = std::min(line.bytes + bytes, capacity_);
  if (access == Access::write) {
    line.dirty = std::min(line.dirty + bytes, capacity_);
    line.command = command_;
  }
  return {.hit = 0, .miss = bytes, .written_back = put(line)};
}

// Removes the line and joins neighbours that are both only passing, which keeps the list short.
Cache::Line Cache::take(std::uint64_t id) {
  const auto at = std::find_if(lines_.begin(), lines_.end(), [id](const Line& line) { return line.id == id; });
  if (at == lines_.end()) return Line{.id = id};
  const Line line = *at;
  const auto next = lines_.erase(at);
  if (next != lines_.begin() && next != lines_.end() && next->id == passing && (next - 1)->id == passing) {
    (next - 1)->bytes += next->bytes;
    (next - 1)->dirty += next->dirty;
    (next - 1)->command = std::max((next - 1)->command, next->command);
    lines_.erase(next);
  }
  return line;
}

double Cache::put(const Line& line) {
  const double written_back = make_room(line.bytes);
  lines_.push_back(line);
  return written_back;
}

double Cache::make_room(double bytes) {
  double used = std::accumulate(lines_.begin(), lines_.end(), bytes,
                                [](double sum, const Line& line) { return sum + line.bytes; });
  double written_back = 0;
  std::size_t gone = 0;
  while (used > capacity_ && gone < lines_.size()) {
    Line& oldest = lines_[gone];
    const double leaving = std::min(oldest.bytes, used - capacity_);
    const double dirty = oldest.dirty * leaving / oldest.bytes;
    if (oldest.command != command_) written_back += dirty;
    oldest.bytes -= leaving;
    oldest.dirty -= dirty;
    used -= leaving;
    if (oldest.bytes <= 0) ++gone;
  }
  lines_.erase(lines_.begin(), lines_.begin() + static_cast<std::ptrdiff_t>(gone));
  return written_back;
}

Bytes Cache::resident(std::uint64_t id) const {
  const auto at = std::find_if(lines_.begin(), lines_.end(), [id](const Line& line) { return line.id == id; });
  return at == lines_.end() ? 0 : static_cast<Bytes>(at->bytes);
}

Bytes Cache::dirty() const {
  return static_cast<Bytes>(std::accumulate(lines_.begin(), lines_.end(), 0.0,
                                            [](double sum, const Line& line) { return sum + line.dirty; }));
}

}  // namespace warpclock::sim
