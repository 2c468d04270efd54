#include "measure/marginal.hpp"

#include <algorithm>
#include <array>

namespace warpclock {
namespace {

constexpr int rounds = 7;

}  // namespace

std::vector<ChainSample> measure_chains(Sampler& sampler, std::uint32_t longest, const Control& control) {
  const std::array<std::uint32_t, 4> lengths{1, std::max(1U, longest / 4), std::max(1U, longest / 2), longest};
  std::vector<ChainSample> out;
  for (int round = 0; round < rounds && !control.interrupted(); ++round) {
    control.progress({.phase = "marginal", .samples = out.size()});
    for (const auto length : lengths) {
      const auto time = sampler.chain(length);
      if (time.count() > 0) out.push_back({length, time});
    }
  }
  return out;
}

}  // namespace warpclock
