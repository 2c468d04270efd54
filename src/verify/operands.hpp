// The operands of a kernel on a device: seeded inputs, copies, poisoned outputs, guard bands, and the check of what a
// call has done to them.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/result.hpp"
#include "device/benchmark.hpp"
#include "device/device.hpp"
#include "verify/dtype.hpp"
#include "verify/inputs.hpp"

namespace warpclock {

enum class Role : std::uint8_t {
  input,    // read only: the check fails where a call has changed it
  output,   // poisoned before each call
  inout,    // restored before each call
  scratch,  // poisoned before each call; what a call leaves there is its own business
};

struct OperandSpec {
  std::string name;  // "x"
  DType type = DType::fp32;
  std::uint64_t count = 0;  // elements, > 0
  Role role = Role::input;
  std::optional<Data> data = {};  // distribution; unset: that of the options
  /// Values first, first + 1, ... instead of a distribution; pure. `seed` differs from copy to copy.
  std::function<void(std::uint64_t seed, std::uint64_t first, std::span<double> to)> generate = {};
  bool just_written = false;  // refresh() writes it again after a flush; not for outputs
};

/// One operand of one copy, as a launcher gets it.
struct Operand {
  void* address = nullptr;  // of the first element, aligned to 4 KiB; not dereferenceable where the device says so
  std::uint64_t count = 0;
  DType type = DType::fp32;
  Role role = Role::input;
  const Buffer* buffer = nullptr;  // with its guard bands
  [[nodiscard]] Bytes bytes() const { return count * size_of(type); }
};

/// Bytes on each side of an operand that nobody may write.
inline constexpr Bytes guard_bytes = 4096;
/// Fills the guard bands and what an output holds before a call: NaN in every floating-point type, -1 in the others.
/// So a result that used memory outside of an input shows as well.
inline constexpr std::uint8_t poison_byte = 0xff;

/// Bytes of one copy of the operands themselves; saturates.
[[nodiscard]] Bytes operand_bytes(std::span<const OperandSpec> specs);
/// Bytes of device memory that an OperandSet takes for each copy, guard bands and what it restores from included.
[[nodiscard]] Bytes device_bytes(std::span<const OperandSpec> specs);

class OperandSet;

/// What an output (or inout operand) must hold after a call, in double precision.
struct Reference {
  std::size_t operand = 0;  // its place among the specs
  double tolerance = 0;     // see Comparison
  /// Elements first, first + 1, ... after a call on `copy`; pure. Rounded to the type of the output afterwards.
  std::function<void(const OperandSet&, std::uint32_t copy, std::uint64_t first, std::span<double> want)> values;
  /// 0: every element is compared. Otherwise at most about this many: one at a random place in each of so many equal
  /// parts of the output, and its first and last; all others must only not be NaN. For references that are too slow.
  std::uint64_t sampled = 0;
};

class OperandSet {
 public:
  /// Allocates, draws and uploads all copies.
  ///   throws  UsageError for an operand without elements or for more than 4096 copies, DeviceError naming needed and
  ///           free bytes where the device has no memory for them
  OperandSet(Device& device, std::vector<OperandSpec> specs, const WorkloadOptions& options);

  [[nodiscard]] std::uint32_t copies() const { return static_cast<std::uint32_t>(copies_.size()); }
  /// Bytes of one copy of the operands themselves.
  [[nodiscard]] Bytes footprint() const { return footprint_; }
  [[nodiscard]] const std::vector<OperandSpec>& specs() const { return specs_; }
  /// In the order of the specs.  pre: copy < copies()
  [[nodiscard]] std::span<const Operand> of(std::uint32_t copy) const { return copies_[copy].operands; }

  /// Enqueues the restoring of inout operands and the poisoning of outputs.
  void prepare(Stream& stream, std::uint32_t copy);

  /// Enqueues the writing of operands that stand for what the work before has just written.
  void refresh(Stream& stream, std::uint32_t copy);

  /// Elements first, first + 1, ... of an input or inout operand as prepare() leaves it.
  void initial(std::size_t operand, std::uint32_t copy, std::uint64_t first, std::span<double> values) const;

  /// Compares all operands of `copy` with what one call after prepare() must have left: guard bands untouched, inputs
  /// unchanged, outputs within the tolerance. Blocking. The error of a passed check is the one closest to its
  /// tolerance. Unchecked on a device that does not compute, and where an output has no reference.
  [[nodiscard]] Check check(std::uint32_t copy, std::span<const Reference> references);

 private:
  struct Copy {
    std::vector<std::unique_ptr<Buffer>> buffers;   // [operand]
    std::vector<std::unique_ptr<Buffer>> pristine;  // [operand]; set for inout and just written operands
    std::vector<Operand> operands;
  };
  /// Elements of a sampled reference, worked out once a copy.
  struct Sampled {
    std::vector<std::uint64_t> indices;
    std::vector<double> want;
  };

  void require_memory(std::uint64_t copies) const;
  void add_copy(std::uint32_t copy);
  [[nodiscard]] std::uint64_t input_stream(std::size_t operand, std::uint32_t copy) const;
  [[nodiscard]] Data data_of(const OperandSpec& spec) const { return spec.data.value_or(data_); }
  [[nodiscard]] const InputTile& tile(const OperandSpec& spec) const;
  void write_initial(std::size_t operand, std::uint32_t copy, std::uint64_t first, std::span<std::byte> to) const;
  [[nodiscard]] const Sampled& sampled(const Reference& reference, std::uint32_t copy);
  [[nodiscard]] Check check_input(std::size_t operand, std::uint32_t copy, std::span<const std::byte> data) const;
  [[nodiscard]] Check check_all(const Reference& reference, std::uint32_t copy, std::span<const std::byte> data) const;
  [[nodiscard]] Check check_sampled(const Reference& reference, std::uint32_t copy, std::span<const std::byte> data);

  Device& device_;
  std::vector<OperandSpec> specs_;
  std::uint64_t seed_;
  Data data_;
  Bytes footprint_ = 0;
  std::map<std::pair<DType, Data>, InputTile> tiles_;
  std::vector<Copy> copies_;
  std::map<std::pair<std::size_t, std::uint32_t>, Sampled> sampled_;  // by operand and copy
};

}  // namespace warpclock
