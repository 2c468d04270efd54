// How a point is measured: every setting, with its default. The table in plan/settings.cpp names each of them once.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/data.hpp"
#include "core/units.hpp"

namespace warpclock {

enum class CacheState : std::uint8_t { cold, dirty, warm, rotate };
enum class Cover : std::uint8_t { hold, spin, matmul, none };
enum class Order : std::uint8_t { given, random };
enum class Regime : std::uint8_t {
  burst,      // every sample starts from the recovered clock
  sustained,  // back to back until clock, power and temperature are steady
  both,       // of a run: every point in each of the two, as results of their own
};
enum class ClockSource : std::uint8_t { automatic, counters, sentinel, both, off };

/// Size of a flush: a multiple of the last-level cache, or a fixed number of bytes.
struct FlushSize {
  double factor = 2.0;  // used where bytes is 0
  Bytes bytes = 0;
  [[nodiscard]] Bytes of(Bytes last_level_cache) const {
    return bytes != 0 ? bytes : static_cast<Bytes>(factor * static_cast<double>(last_level_cache));
  }
};

struct Protocol {
  CacheState cache = CacheState::cold;
  FlushSize flush_size;
  Cover cover = Cover::hold;
  std::uint32_t batch = 1;                   // calls inside one pair of marks
  std::uint32_t copies = 0;                  // of the operands; 0: one, or with rotate as many as cover 2 x the cache
  double precision = 0.005;                  // wanted half-width of the interval over the median
  double confidence = 0.95;                  // wanted coverage of the interval
  std::uint64_t min_samples = 20;            // a pass takes at least this many before it may stop on precision
  std::optional<std::uint64_t> samples;      // exactly this many a pass, whatever the interval, if max_time allows
  Nanoseconds max_time = seconds(1);         // for the sampling of one point, both passes
  Nanoseconds settle_time = seconds(2);      // longest wait for the device to recover, a point
  Nanoseconds watchdog = milliseconds(250);  // a hold is never longer than this
  std::uint32_t marginal = 0;                // length of the chain for marginal time; 0: not measured
  Regime regime = Regime::burst;
  Nanoseconds soak_time = seconds(10);  // sustained: longest heating of a point before it is steady
  ClockSource effective_clock = ClockSource::automatic;
  bool telemetry = true;  // read the chip's state between blocks of samples
  bool trace = true;      // false: no traced pass, so no kernel time
  bool verify = true;     // compare outputs with the reference before and after timing
  Data data = Data::normal;
  Order order = Order::given;
  std::uint64_t seed = 1;
};

}  // namespace warpclock
