#include "plan/settings.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/errors.hpp"
#include "plan/suggest.hpp"

namespace warpclock {
namespace {

/// A count that is always there.
template <class Integer>
rows::CountField plain(Integer Protocol::*field) {
  return {[field](Protocol& protocol, std::optional<std::uint64_t> n) {
            protocol.*field = static_cast<Integer>(n.value_or(0));
          },
          [field](const Protocol& protocol) { return std::optional<std::uint64_t>(protocol.*field); }};
}

/// A count of which 0 stands for a word.
rows::CountField zero_is_word(std::uint32_t Protocol::*field) {
  auto out = plain(field);
  out.read = [field](const Protocol& protocol) {
    const auto n = protocol.*field;
    return n == 0 ? std::nullopt : std::optional<std::uint64_t>(n);
  };
  return out;
}

rows::CountField optional_count(std::optional<std::uint64_t> Protocol::*field) {
  return {[field](Protocol& protocol, std::optional<std::uint64_t> n) { protocol.*field = n; },
          [field](const Protocol& protocol) { return protocol.*field; }};
}

std::vector<Setting> state_rows() {
  using P = Protocol;
  return {
      rows::choice<CacheState>(
          {"cache", "STATE", "state of the last-level cache when a sample starts",
           "isolated kernels timed cold-clean stay within 11 % of the same kernels inside a transformer layer's graph; "
           "a memset leaves dirty lines whose write-back is charged to the next kernel (H200: 34.7 against 28.9 us)"},
          &P::cache,
          {{CacheState::cold, "cold"},
           {CacheState::dirty, "dirty"},
           {CacheState::warm, "warm"},
           {CacheState::rotate, "rotate"}}),
      rows::flush_size({"flush-size", "SIZE", "how much is read or written to flush the cache",
                        "a small read stops getting slower at a flush of 1.0x the L2 (H200); twice that is the margin "
                        "for other replacement policies"},
                       &P::flush_size),
      rows::choice<Cover>(
          {"cover", "KIND", "what keeps the device from starting before a sample is enqueued",
           "a memory wait keeps no SM busy and draws no power; without cover a kernel of 2.5 us reads "
           "41 to 60 us when launched from Python"},
          &P::cover, {{Cover::hold, "hold"}, {Cover::spin, "spin"}, {Cover::matmul, "matmul"}, {Cover::none, "none"}}),
      rows::count({"batch", "N", "calls inside one pair of time marks; times are divided by it",
                   "in a batch only the first call meets the cache state that was asked for"},
                  plain(&P::batch), 1, 100'000, "", ""),
      rows::count({"copies", "N", "copies of the operands, taken in turn",
                   "one; with --cache rotate as many as fill twice the last-level cache, so that none is still in it "
                   "when its turn comes again"},
                  zero_is_word(&P::copies), 1, 100'000, "auto", "auto"),
      rows::choice<Data>({"data", "KIND", "distribution of the inputs",
                          "zeros and small integers draw less power and run 3 to 20 % faster in a bf16 matmul"},
                         &P::data,
                         {{Data::normal, "normal"},
                          {Data::uniform, "uniform"},
                          {Data::ints, "ints"},
                          {Data::ones, "ones"},
                          {Data::zeros, "zeros"}}),
  };
}

std::vector<Setting> sampling_rows() {
  using P = Protocol;
  return {
      rows::percent({"precision", "PERCENT", "sampling stops once the interval's half-width over the median is below",
                     "fixed-width sequential stopping: Chow & Robbins 1965, Glynn & Whitt 1991; never on significance "
                     "(27 % false positives by peeking)"},
                    &P::precision, 0.0001, 0.5),
      rows::percent(
          {"confidence", "PERCENT", "wanted coverage of the interval", "convention; Hoefler & Belli, SC'15, rule 5"},
          &P::confidence, 0.5, 0.999),
      rows::count({"min-samples", "N", "samples that a pass takes before it may stop on precision",
                   "below 6 samples no interval of the median covers 95 %; 20 leave room for dependent samples"},
                  plain(&P::min_samples), 1, 1'000'000, "", ""),
      rows::count(
          {"samples", "N", "exactly this many samples a pass, whatever the interval", "unset: the interval decides"},
          optional_count(&P::samples), 1, 1'000'000, "auto", "100"),
      rows::time({"max-time", "TIME", "longest sampling of one point, both passes together",
                  "peers take 0.06 to 3.6 s a kernel"},
                 &P::max_time, milliseconds(1), seconds(3600)),
      rows::time({"settle-time", "TIME", "longest wait, a point, for the device's clock to recover",
                  "after 0.7 s of load an H200 is back at its recovered clock within 1 s; twice that"},
                 &P::settle_time, seconds(0), seconds(60)),
      rows::time({"watchdog", "TIME", "a hold is lifted after this long",
                  "40 held samples take 5 to 30 ms in all; a call that takes longer to enqueue waits for the device "
                  "itself, and holding it on would never end"},
                 &P::watchdog, milliseconds(1), seconds(10)),
      rows::count({"marginal", "N", "length of the chain of calls for marginal time",
                   "off: a chain meets neither the cache state nor the cover of the samples"},
                  zero_is_word(&P::marginal), 2, 10'000, "off", "20"),
  };
}

std::vector<Setting> chip_rows() {
  using P = Protocol;
  return {
      rows::choice<Regime>(
          {"regime", "REGIME",
           "burst: from the recovered clock; sustained: back to back until steady; both: each alone",
           "one matmul takes 522 us in its first 25 ms and 631 us after 4 s back to back (H200, 700 W): two answers to "
           "two questions, never blended"},
          &P::regime, {{Regime::burst, "burst"}, {Regime::sustained, "sustained"}, {Regime::both, "both"}}),
      rows::time(
          {"soak-time", "TIME", "sustained: longest heating of a point until clock, power, temperature stand still",
           "the same matmul still slows by 2 % between 0.4 and 4 s of load (H200)"},
          &P::soak_time, milliseconds(10), seconds(600)),
      rows::choice<ClockSource>(
          {"effective-clock", "SOURCE", "what measures the SM clock while the call runs, in a pass of its own",
           "the management library says 1980 MHz while the SMs do 1540 to 1740 (H200, bf16 matmul)"},
          &P::effective_clock,
          {{ClockSource::automatic, "auto"},
           {ClockSource::counters, "counters"},
           {ClockSource::sentinel, "sentinel"},
           {ClockSource::both, "both"},
           {ClockSource::off, "off"}}),
      rows::toggle({"telemetry", "SWITCH", "read clocks, power, temperature and throttling between blocks of samples",
                    "the calls fall between samples and leave kernel times alone"},
                   &P::telemetry),
  };
}

std::vector<Setting> run_rows() {
  using P = Protocol;
  return {
      rows::toggle({"trace", "SWITCH", "take kernel times from the device's activity records, in a pass of their own",
                    "tracing disturbs what it does not measure (1 % in a stream, 12 to 21 % in a graph), so it has its "
                    "own pass"},
                   &P::trace),
      rows::toggle({"verify", "SWITCH", "compare the outputs with the reference before and after timing",
                    "a wrong kernel is often a fast one"},
                   &P::verify),
      rows::choice<Order>({"order", "ORDER", "order in which the points are measured",
                           "given: the table fills in reading order; random turns a drift into noise"},
                          &P::order, {{Order::given, "given"}, {Order::random, "random"}}),
      rows::count(
          {"seed", "N", "seed of the inputs and of every shuffle", "any fixed number: the same seed, the same run"},
          plain(&P::seed), 0, UINT64_MAX, "", ""),
  };
}

std::vector<Setting> all_rows() {
  std::vector<Setting> out;
  for (auto part : {state_rows(), sampling_rows(), chip_rows(), run_rows()}) {
    out.insert(out.end(), part.begin(), part.end());
  }
  return out;
}

template <class Value>
std::string word_of(std::string_view row, Value Protocol::*field, Value value) {
  Protocol protocol;
  protocol.*field = value;
  return setting(row).print(protocol);
}

}  // namespace

const std::vector<Setting>& settings() {
  static const std::vector<Setting> table = all_rows();
  return table;
}

const Setting& setting(std::string_view name) {
  std::string wanted(name.substr(name.starts_with("--") ? 2 : 0));
  std::replace(wanted.begin(), wanted.end(), '_', '-');
  std::vector<std::string> known;
  for (const auto& row : settings()) {
    if (row.name == wanted) return row;
    known.push_back(row.name);
  }
  throw UsageError(fmt::format("there is no setting '{}'; {}", name, did_you_mean(wanted, known)));
}

void set(Protocol& protocol, std::string_view name, std::string_view text) { setting(name).parse(text, protocol); }

std::vector<std::pair<std::string, std::string>> printed(const Protocol& protocol) {
  std::vector<std::pair<std::string, std::string>> out;
  for (const auto& row : settings()) out.emplace_back(row.key(), row.print(protocol));
  return out;
}

void check(const Protocol& protocol) {
  if (protocol.cache == CacheState::warm && protocol.copies > 1) {
    throw UsageError(
        fmt::format("--copies {} contradicts --cache warm: a warm call runs on the buffers of the call "
                    "before it; drop --copies, or use --cache rotate",
                    protocol.copies));
  }
  if (protocol.cache == CacheState::rotate && protocol.copies == 1) {
    throw UsageError("--copies 1 contradicts --cache rotate: a rotation over one copy is warm; use --copies auto");
  }
}

std::string to_string(CacheState state) { return word_of("cache", &Protocol::cache, state); }
std::string to_string(Cover cover) { return word_of("cover", &Protocol::cover, cover); }
std::string to_string(Regime regime) { return word_of("regime", &Protocol::regime, regime); }
std::string to_string(Order order) { return word_of("order", &Protocol::order, order); }

}  // namespace warpclock
