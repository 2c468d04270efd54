// The table that Nsight Compute prints with --csv --page raw: a column a metric, a row of units, a row a kernel launch.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpclock {

/// The metrics that are read, as ncu names them.
namespace ncu_metric {
inline constexpr std::string_view time = "gpu__time_duration.sum";
inline constexpr std::string_view cycles = "sm__cycles_elapsed.max";
inline constexpr std::string_view clock = "sm__cycles_elapsed.avg.per_second";
inline constexpr std::string_view dram_read = "dram__bytes_read.sum";
inline constexpr std::string_view dram_written = "dram__bytes_write.sum";
}  // namespace ncu_metric

/// One launch of one kernel. A metric that the table lacks or gives as "n/a" is absent.
struct NcuKernel {
  std::string name;
  std::optional<double> time_ns;
  std::optional<double> cycles;  // of the SM that counted most
  std::optional<double> clock_mhz;
  std::optional<double> dram_read_bytes;
  std::optional<double> dram_written_bytes;

  bool operator==(const NcuKernel&) const = default;
};

/// The launches in order. `output` is everything that ncu and the program under it wrote to stdout: what stands before
/// the table and lines that start with "==" are passed over. Units are scaled as the row of units says.
///   return  empty where there is no table
///   throws  DataError for a table that is cut off, has no column of names or times, or a number or unit that cannot be
///           read
[[nodiscard]] std::vector<NcuKernel> parse_ncu_csv(std::string_view output);

}  // namespace warpclock
