#include "store/sample_columns.hpp"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/errors.hpp"

namespace warpclock::store {
namespace {

static_assert(std::endian::native == std::endian::little, "the columns are little-endian");
static_assert(sizeof(double) == 8 && std::numeric_limits<double>::is_iec559);

constexpr double absent = std::numeric_limits<double>::quiet_NaN();

double plain(const std::optional<double>& value) { return value.value_or(absent); }
double plain(const std::optional<Nanoseconds>& value) { return value ? value->count() : absent; }
double plain(Nanoseconds value) { return value.count(); }
std::uint8_t plain(Pass pass) { return static_cast<std::uint8_t>(pass); }
std::uint32_t plain(std::uint32_t value) { return value; }
std::uint16_t plain(const Marks& marks) { return marks.bits; }

template <class Member>
std::vector<std::byte> column(std::span<const Sample> samples, Member Sample::*member) {
  using Entry = decltype(plain(samples.front().*member));
  std::vector<std::byte> out(samples.size() * sizeof(Entry));
  auto* at = out.data();
  bool any = false;
  for (const auto& sample : samples) {
    const Entry entry = plain(sample.*member);
    if constexpr (std::is_same_v<Entry, double>) {
      any = any || !std::isnan(entry);
    } else {
      any = true;
    }
    std::memcpy(at, &entry, sizeof entry);
    at += sizeof entry;
  }
  if (!any) out.clear();
  return out;
}

void set(double entry, std::optional<double>& to) {
  if (!std::isnan(entry)) to = entry;
}
void set(double entry, std::optional<Nanoseconds>& to) {
  if (!std::isnan(entry)) to = Nanoseconds{entry};
}
void set(double entry, Nanoseconds& to) { to = Nanoseconds{entry}; }
void set(std::uint8_t entry, Pass& to) {
  if (entry > static_cast<std::uint8_t>(Pass::untraced)) throw DataError(fmt::format("a pass of {}", entry));
  to = static_cast<Pass>(entry);
}
void set(std::uint32_t entry, std::uint32_t& to) { to = entry; }
void set(std::uint16_t entry, Marks& to) { to.bits = entry; }

template <class Member>
void read(std::span<const std::byte> from, std::vector<Sample>& samples, Member Sample::*member) {
  using Entry = decltype(plain(samples.front().*member));
  if constexpr (std::is_same_v<Entry, double>) {
    if (from.empty()) {
      for (auto& sample : samples) set(absent, sample.*member);
      return;
    }
  }
  if (from.size() != samples.size() * sizeof(Entry)) {
    throw DataError(
        fmt::format("a column of samples has {} bytes, should be {}", from.size(), samples.size() * sizeof(Entry)));
  }
  for (std::size_t i = 0; i < samples.size(); ++i) {
    Entry entry{};
    std::memcpy(&entry, from.data() + i * sizeof entry, sizeof entry);
    set(entry, samples[i].*member);
  }
}

/// Both directions visit the members in the order of `sample_columns`.
template <class Visit>
void each_member(Visit visit) {
  // A member that is added to Sample and has no column here does not compile.
  [[maybe_unused]] const auto& [pass, kernel, busy, call, host, at, clock_mhz, copy, marks] = Sample{};
  visit(0, &Sample::pass);
  visit(1, &Sample::kernel);
  visit(2, &Sample::busy);
  visit(3, &Sample::call);
  visit(4, &Sample::host);
  visit(5, &Sample::at);
  visit(6, &Sample::clock_mhz);
  visit(7, &Sample::copy);
  visit(8, &Sample::marks);
}

}  // namespace

SampleColumns pack(std::span<const Sample> samples) {
  SampleColumns out;
  each_member([&](std::size_t i, auto member) { out.at(i) = column(samples, member); });
  return out;
}

std::vector<Sample> unpack(const SampleViews& columns, std::size_t count) {
  // Checked before anything of that size is allocated: the count comes from the file.
  if (columns[0].size() != count) {
    throw DataError(fmt::format("{} samples are promised, there are {}", count, columns[0].size()));
  }
  std::vector<Sample> out(count);
  each_member([&](std::size_t i, auto member) { read(columns.at(i), out, member); });
  return out;
}

}  // namespace warpclock::store
