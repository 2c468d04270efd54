#include "analyse/clock_scaling.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "stats/median.hpp"

namespace warpclock {
namespace {

constexpr double z95 = 1.96;               // half a 95 % interval over its standard deviation
constexpr double least_error = 0.0005;     // of a time, as part of it
constexpr double same_clock = 0.005;       // clocks closer than this, as part of them, are one
constexpr double tolerated_misfit = 0.02;  // of the model, as part of the time

using Points = std::vector<ClockScalingPoint>;

struct Line {
  double intercept = 0;
  double slope = 0;        // over 1 / MHz
  double slope_error = 0;  // standard deviation, as the next one
  double mean_error = 0;   // of the weighted mean time, which is independent of the slope
  double mean_x = 0;       // weighted mean of 1 / MHz
};

double error_of(const Estimate& time) {
  return std::max((time.high - time.low) / 2 / z95, least_error * std::abs(time.value));
}

double weight_of(const ClockScalingPoint& p) { return 1 / (error_of(p.time_ns) * error_of(p.time_ns)); }

Line fit(const Points& points) {
  double w = 0, x = 0, y = 0;
  for (const auto& p : points) {
    w += weight_of(p);
    x += weight_of(p) / *p.measured_mhz;
    y += weight_of(p) * p.time_ns.value;
  }
  x /= w;
  y /= w;
  double sxx = 0, sxy = 0;
  for (const auto& p : points) {
    const double dx = 1 / *p.measured_mhz - x;
    sxx += weight_of(p) * dx * dx;
    sxy += weight_of(p) * dx * (p.time_ns.value - y);
  }
  const double slope = sxy / sxx;
  return {.intercept = y - slope * x,
          .slope = slope,
          .slope_error = 1 / std::sqrt(sxx),
          .mean_error = 1 / std::sqrt(w),
          .mean_x = x};
}

double residual(const Line& line, const ClockScalingPoint& p) {
  return p.time_ns.value - line.intercept - line.slope / *p.measured_mhz;
}

/// How much more the points scatter about the line than their intervals say; at least 1.
double birge_ratio(const Line& line, const Points& points) {
  if (points.size() < 3) return 1;
  double chi2 = 0;
  for (const auto& p : points) chi2 += std::pow(residual(line, p) / error_of(p.time_ns), 2);
  return std::max(1.0, std::sqrt(chi2 / static_cast<double>(points.size() - 2)));
}

bool rises(const Points& points) {
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (std::size_t j = i + 1; j < points.size(); ++j) {
      const bool higher = *points[j].measured_mhz > *points[i].measured_mhz * (1 + same_clock);
      if (higher && points[j].time_ns.low > points[i].time_ns.high * (1 + least_error)) return true;
    }
  }
  return false;
}

bool misfits(const Line& line, const Points& points) {
  return std::ranges::any_of(points, [&](const ClockScalingPoint& p) {
    const double allowed = std::max(tolerated_misfit * p.time_ns.value, 3 * error_of(p.time_ns));
    return std::abs(residual(line, p)) > allowed;
  });
}

/// The part of the time that scales at the highest clock, or nothing where the model gives a part that cannot be.
std::optional<Estimate> share_of(const Line& line, const Points& points, double top_mhz) {
  const double at_top = line.intercept + line.slope / top_mhz;
  const double share = line.slope / top_mhz / at_top;
  // share = slope / f / (mean + slope (1 / f - mean_x)): its derivatives by slope and by mean
  const double by_slope = (1 / top_mhz - share * (1 / top_mhz - line.mean_x)) / at_top;
  const double error = std::hypot(by_slope * line.slope_error, share / at_top * line.mean_error);
  const double half = z95 * birge_ratio(line, points) * error;
  if (share - half > 1 || share + half < 0) return std::nullopt;
  const auto part = [](double value) { return std::clamp(value, 0.0, 1.0); };
  return Estimate{.value = part(share),
                  .low = part(share - half),
                  .high = part(share + half),
                  .level = 0.95,
                  .samples = points.size(),
                  .effective_samples = static_cast<double>(points.size())};
}

void conclude(ClockScaling& out, const Points& points) {
  using Verdict = ClockScaling::Verdict;
  if (points.size() < 2 || *points.back().measured_mhz <= *points.front().measured_mhz * (1 + same_clock)) return;
  out.top_mhz = *points.back().measured_mhz;
  const auto line = fit(points);
  for (const auto& p : points) {
    out.misfit = std::max(out.misfit, std::abs(residual(line, p)) / p.time_ns.value);
  }
  const auto share = share_of(line, points, out.top_mhz);
  if (rises(points)) {
    out.verdict = Verdict::rises;
  } else if (!share || misfits(line, points)) {
    out.verdict = Verdict::misfits;
  } else {
    out.verdict = points.size() < 3 ? Verdict::untested : Verdict::fits;
    out.fixed_ns = std::max(0.0, line.intercept);  // below nothing it is noise: the share's interval reaches 100 %
    out.cycles = line.slope / 1e3;                 // ns x MHz
    out.share = *share;
  }
}

bool same_place(const ClockScaling& scaling, const Result& result) {
  return scaling.benchmark == result.benchmark && scaling.point == result.point &&
         scaling.regime == result.conditions.regime;
}

std::string time_name(const Result& result) {
  return result.headline == Headline::kernel_time ? "kernel time" : "call time";
}

ClockScalingPoint point_of(const Result& result, const Estimate& time) {
  const auto clock = clock_of(result);
  auto cycles = result.cycles_per_call;
  if (!cycles && clock) cycles = time.value * *clock / 1e3;
  return {.locked_mhz = *result.conditions.locked_clock_mhz, .measured_mhz = clock, .time_ns = time, .cycles = cycles};
}

}  // namespace

std::optional<double> clock_of(const Result& result) {
  if (result.effective_clock.mhz) return result.effective_clock.mhz->value;
  std::vector<double> clocks;
  for (const auto& sample : result.samples) {
    if (sample.clock_mhz && std::isfinite(*sample.clock_mhz)) clocks.push_back(*sample.clock_mhz);
  }
  if (clocks.empty()) return std::nullopt;
  return median(clocks).value;
}

ClockScaling clock_scaling(std::vector<ClockScalingPoint> points) {
  ClockScaling out;
  std::ranges::stable_sort(points, {}, [](const auto& p) { return p.measured_mhz.value_or(p.locked_mhz); });
  out.points = points;
  std::erase_if(points, [](const auto& p) { return p.measured_mhz.value_or(0) <= 0 || p.time_ns.value <= 0; });
  conclude(out, points);
  return out;
}

std::vector<ClockScaling> clock_scalings(std::span<const Result> results) {
  std::vector<ClockScaling> places;
  for (const auto& result : results) {
    const auto* summary = result.headline_summary();
    if (summary == nullptr || !result.conditions.locked_clock_mhz) continue;
    auto place = std::ranges::find_if(places, [&](const auto& p) { return same_place(p, result); });
    if (place == places.end()) {
      ClockScaling fresh;
      fresh.benchmark = result.benchmark;
      fresh.point = result.point;
      fresh.regime = result.conditions.regime;
      fresh.time = time_name(result);
      place = places.insert(places.end(), std::move(fresh));
    }
    if (place->time == time_name(result)) place->points.push_back(point_of(result, summary->median));
  }
  for (auto& place : places) {
    auto scaling = clock_scaling(std::move(place.points));
    scaling.benchmark = std::move(place.benchmark);
    scaling.point = std::move(place.point);
    scaling.regime = std::move(place.regime);
    scaling.time = std::move(place.time);
    place = std::move(scaling);
  }
  return places;
}

}  // namespace warpclock
