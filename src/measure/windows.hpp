// From activity records to the times of samples.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/sample.hpp"
#include "device/device.hpp"
#include "measure/measure.hpp"

namespace warpclock {

/// Length of the union of the intervals. Not their sum: kernels of one call may overlap.
///   records   any order; reversed ones count as empty
[[nodiscard]] Nanoseconds busy_time(std::span<const Record> records);

/// True for a record that cannot be: it ends before it starts, or has no start.
[[nodiscard]] bool broken(const Record& record);

/// Gives each traced sample its kernel and busy time, from the records of its window, divided by `batch`.
///   samples    the samples of one trace, sample i belongs to window i
///   records    of that trace
///   expected   records of one sample: fewer mean that some were lost, and the sample is marked bad_stamp
///   kernels    one series a kernel name; extended by one value for each sound sample
/// return: number of samples whose stamps were rejected
std::size_t attribute(std::span<Sample> samples, std::vector<Record> records, std::size_t expected, std::uint32_t batch,
                      std::vector<KernelSeries>& kernels);

}  // namespace warpclock
