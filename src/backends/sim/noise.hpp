// Scripted noise: what multiplies the true time of a kernel, reproducible from a seed.
#pragma once

#include <cstdint>
#include <random>

#include "core/units.hpp"

namespace warpclock::sim {

/// Factor on a kernel's time = shape(sigma, x) x (1 + drift) x second mode x outlier, where x is a standard normal
/// AR(1) sequence over the launches: x[i] = rho x[i-1] + sqrt(1 - rho^2) z[i].
struct SimNoise {
  enum class Shape : std::uint8_t { gaussian, lognormal };  // 1 + sigma x (at least 0.1), or exp(sigma x): median 1
  Shape shape = Shape::lognormal;
  double sigma = 0;             // relative
  double rho = 0;               // correlation of neighbouring launches, in (-1, 1)
  double drift_per_second = 0;  // relative, of virtual time since the device was made
  double mode_share = 0;        // part of the launches in the second mode, in [0, 1]
  double mode_factor = 1;       // their time over that of the first mode
  double outlier_share = 0;     // part of the launches that are outliers, in [0, 1]
  double outlier_factor = 10;   // their time over that of the others
};

/// Draws the factors. Every draw takes the same random numbers whatever the noise is, so that changing one part of
/// a script leaves the rest of the sequence as it was.
class NoiseSource {
 public:
  explicit NoiseSource(std::uint64_t seed);
  /// Factor for the next launch, which starts at `now`.
  [[nodiscard]] double factor(const SimNoise& noise, Nanoseconds now);
  /// Next standard normal number, independent of the AR(1) sequence.
  [[nodiscard]] double normal();

  /// Next number in (0, 1).
  [[nodiscard]] double uniform();

 private:
  std::mt19937_64 random_;
  double state_ = 0;  // the AR(1) sequence, unit variance
  bool started_ = false;
};

}  // namespace warpclock::sim
