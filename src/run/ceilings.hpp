// Bandwidth ceilings per read:write mix (and a matmul ceiling where no nominal peak is known), measured on the device
// with the suite's own kernels, cold, and cached on disk with the environment that they belong to.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analyse/roofline.hpp"
#include "device/benchmark.hpp"
#include "measure/control.hpp"
#include "measure/session.hpp"

namespace warpclock {

/// Where ceilings are kept: $XDG_CACHE_HOME/warpclock or ~/.cache/warpclock. Empty where neither can be told.
[[nodiscard]] std::string ceilings_folder();

/// The roofline of a device: nominal peaks, `overrides` in their place, and ceilings from the cache in `folder`, or
/// measured now (about a second) and cached. A cache that cannot be read or written is not an error: it is measured
/// again. Ceilings of another device, driver or version of warpclock are never used.
[[nodiscard]] Roofline roofline_for(Session& session, const std::vector<Benchmark>& suite,
                                    const std::vector<Peak>& overrides, const std::string& folder,
                                    const Control& control);

/// What the cache in `folder` holds of this device; empty where it holds nothing that fits.
[[nodiscard]] std::optional<Roofline> cached_roofline(const DeviceInfo& info, const std::string& folder);

/// `nominal` peaks and then `overrides` in the place of measured ones of the same resource.
[[nodiscard]] Roofline with_peaks(Roofline roofline, const std::vector<Peak>& nominal,
                                  const std::vector<Peak>& overrides);

}  // namespace warpclock
