#include "backends/sim/noise.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numbers>

namespace warpclock::sim {

NoiseSource::NoiseSource(std::uint64_t seed) : random_(seed) {}

double NoiseSource::uniform() {
  return (static_cast<double>(random_() >> 11) + 0.5) * 0x1p-53;  // in (0, 1): the logarithm below is finite
}

// Box and Muller. Not std::normal_distribution, whose numbers differ between standard libraries.
double NoiseSource::normal() {
  const double radius = std::sqrt(-2 * std::log(uniform()));
  return radius * std::cos(2 * std::numbers::pi * uniform());
}

double NoiseSource::factor(const SimNoise& noise, Nanoseconds now) {
  const double z = normal();
  const double mode = uniform();
  const double outlier = uniform();
  state_ = started_ ? noise.rho * state_ + std::sqrt(1 - noise.rho * noise.rho) * z : z;
  started_ = true;
  const double relative = noise.sigma * state_;
  double factor = noise.shape == SimNoise::Shape::lognormal ? std::exp(relative) : std::max(0.1, 1 + relative);
  factor *= std::max(0.1, 1 + noise.drift_per_second * std::chrono::duration<double>(now).count());
  if (mode < noise.mode_share) factor *= noise.mode_factor;
  if (outlier < noise.outlier_share) factor *= noise.outlier_factor;
  return factor;
}

}  // namespace warpclock::sim
