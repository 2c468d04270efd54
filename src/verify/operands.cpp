// The operands of a kernel on a device, and the check of what a call has done to them.
#include "verify/operands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/errors.hpp"
#include "verify/compare.hpp"
#include "verify/random.hpp"
#include "verify/sizes.hpp"
#include "verify/wiped.hpp"

namespace warpclock {
namespace {

constexpr std::uint64_t max_copies = 4096;
constexpr std::uint64_t chunk = 1U << 20U;  // elements compared at a time; the first chunk sets the scale of an output

Bytes bytes_of(const OperandSpec& spec) { return saturating_mul(spec.count, size_of(spec.type)); }

bool holds_data(const OperandSpec& spec) { return spec.role == Role::input || spec.role == Role::inout; }

// What it is restored from stands beside it.
bool keeps_pristine(const OperandSpec& spec) {
  return spec.role == Role::inout || (spec.just_written && holds_data(spec));
}

std::uint64_t copies_for(const WorkloadOptions& options, Bytes footprint) {
  return options.copies != 0 ? options.copies
                             : options.rotation_footprint / footprint + (options.rotation_footprint != 0);
}

Check failed(std::string detail) {
  Check check;
  check.state = Check::State::failed;
  check.detail = std::move(detail);
  return check;
}

// First byte of a guard band that is not poison any more, as an offset into the band; its size where all are.
std::size_t first_overwritten(std::span<const std::byte> band) {
  const auto wrong = std::find_if(band.begin(), band.end(), [](std::byte b) { return b != std::byte{poison_byte}; });
  return static_cast<std::size_t>(wrong - band.begin());
}

Check check_guards(const OperandSpec& spec, std::span<const std::byte> buffer) {
  if (const auto at = first_overwritten(buffer.first(guard_bytes)); at != guard_bytes) {
    return failed(fmt::format("operand '{}': written {} bytes before its first element", spec.name, guard_bytes - at));
  }
  if (const auto at = first_overwritten(buffer.last(guard_bytes)); at != guard_bytes) {
    return failed(fmt::format("operand '{}': written {} bytes after its last element", spec.name, at));
  }
  return {};
}

Check check_no_nan(const OperandSpec& spec, std::span<const std::byte> data) {
  std::vector<double> got(std::min(chunk, spec.count));
  for (std::uint64_t first = 0; first < spec.count; first += chunk) {
    const auto piece = std::span(got).first(std::min(chunk, spec.count - first));
    decode(spec.type, data.subspan(first * size_of(spec.type), piece.size() * size_of(spec.type)), piece);
    const auto nan = std::find_if(piece.begin(), piece.end(), [](double x) { return std::isnan(x); });
    if (nan != piece.end()) {
      return failed(fmt::format("operand '{}': element {} is nan; it may never have been written", spec.name,
                                first + static_cast<std::uint64_t>(nan - piece.begin())));
    }
  }
  return {};
}

// One index in each of `parts` equal parts, the first and the last.
std::vector<std::uint64_t> spread_indices(std::uint64_t count, std::uint64_t parts, std::uint64_t seed) {
  std::vector<std::uint64_t> indices{0};
  const auto part = count / parts;
  for (std::uint64_t i = 0; i < parts; ++i) {
    const auto size = i + 1 == parts ? count - i * part : part;
    indices.push_back(i * part + mix64(seed + i) % size);
  }
  indices.push_back(count - 1);
  return indices;
}

void round_to(DType type, std::span<double> values) {
  if (type == DType::fp64) return;
  WipedVector<std::byte> stored(values.size() * size_of(type));
  encode(type, values, stored);
  decode(type, stored, values);
}

// The check that is closer to failing, or has.
Check worse(const Check& a, const Check& b) {
  if (a.state != Check::State::passed) return b;
  const auto used = [](const Check& c) { return c.tolerance > 0 ? c.max_error / c.tolerance : c.max_error; };
  return used(b) > used(a) ? b : a;
}

}  // namespace

Bytes operand_bytes(std::span<const OperandSpec> specs) {
  Bytes sum = 0;
  for (const auto& spec : specs) sum = saturating_add(sum, bytes_of(spec));
  return sum;
}

Bytes device_bytes(std::span<const OperandSpec> specs) {
  Bytes sum = 0;
  for (const auto& spec : specs) {
    const auto guarded = saturating_add(bytes_of(spec), 2 * guard_bytes);
    sum = saturating_add(sum, saturating_mul(guarded, keeps_pristine(spec) ? 2 : 1));
  }
  return sum;
}

OperandSet::OperandSet(Device& device, std::vector<OperandSpec> specs, const WorkloadOptions& options)
    : device_(device),
      specs_(std::move(specs)),
      seed_(options.seed),
      data_(options.data),
      footprint_(operand_bytes(specs_)) {
  for (const auto& spec : specs_) {
    if (spec.count == 0) throw UsageError(fmt::format("operand '{}' has no elements", spec.name));
  }
  if (specs_.empty()) throw UsageError("a workload without operands needs no OperandSet");
  const auto copies = std::max<std::uint64_t>(1, copies_for(options, footprint_));
  if (copies > max_copies) {
    throw UsageError(
        fmt::format("{} copies of {} bytes of operands were asked for and {} are possible; use larger "
                    "operands, or the cold cache state instead of rotation",
                    copies, footprint_, max_copies));
  }
  require_memory(copies);
  if (device_.info().computes) {
    std::map<std::pair<DType, Data>, std::uint64_t> longest;
    for (const auto& spec : specs_) {
      if (!holds_data(spec) || spec.generate) continue;
      auto& count = longest[{spec.type, data_of(spec)}];
      count = std::max(count, spec.count);
    }
    for (const auto& [kind, count] : longest) {
      tiles_.emplace(kind, InputTile(kind.first, kind.second, seed_, count));
    }
  }
  for (std::uint32_t copy = 0; copy < copies; ++copy) add_copy(copy);
}

void OperandSet::require_memory(std::uint64_t copies) const {
  const auto needed = saturating_mul(device_bytes(specs_), copies);
  const auto free = device_.memory().free;
  if (needed <= free) return;
  throw DeviceError(fmt::format(
      "{}: out of memory: {} bytes needed for {} cop{} of the operands, {} bytes free; ask for a smaller size",
      device_.info().id, needed, copies, copies == 1 ? "y" : "ies", free));
}

void OperandSet::add_copy(std::uint32_t copy) {
  const bool computes = device_.info().computes;
  auto& stream = device_.stream();
  Copy made;
  for (std::size_t i = 0; i < specs_.size(); ++i) {
    const auto& spec = specs_[i];
    auto buffer = device_.allocate(bytes_of(spec) + 2 * guard_bytes);
    auto pristine = keeps_pristine(spec) ? device_.allocate(buffer->size()) : nullptr;
    if (computes) {
      std::vector<std::byte> image(buffer->size(), std::byte{poison_byte});
      if (holds_data(spec)) write_initial(i, copy, 0, std::span(image).subspan(guard_bytes, bytes_of(spec)));
      stream.upload(pristine ? *pristine : *buffer, image);
    }
    if (pristine) stream.copy(*buffer, *pristine);
    auto* address = reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(buffer->address()) + guard_bytes);
    made.operands.push_back({address, spec.count, spec.type, spec.role, buffer.get()});
    made.buffers.push_back(std::move(buffer));
    made.pristine.push_back(std::move(pristine));
  }
  stream.synchronize();
  copies_.push_back(std::move(made));
}

std::uint64_t OperandSet::input_stream(std::size_t operand, std::uint32_t copy) const {
  return operand + std::uint64_t{copy} * specs_.size();
}

const InputTile& OperandSet::tile(const OperandSpec& spec) const { return tiles_.at({spec.type, data_of(spec)}); }

void OperandSet::write_initial(std::size_t operand, std::uint32_t copy, std::uint64_t first,
                               std::span<std::byte> to) const {
  const auto& spec = specs_[operand];
  if (!spec.generate) return tile(spec).write(input_stream(operand, copy), first, to);
  const auto size = size_of(spec.type);
  std::vector<double> values(std::min<std::uint64_t>(chunk, to.size() / size));
  for (std::uint64_t done = 0, count = to.size() / size; done < count; done += values.size()) {
    values.resize(std::min<std::uint64_t>(values.size(), count - done));
    spec.generate(mix64(seed_ + input_stream(operand, copy)), first + done, values);
    encode(spec.type, values, to.subspan(done * size, values.size() * size));
  }
}

void OperandSet::prepare(Stream& stream, std::uint32_t copy) {
  auto& [buffers, pristine, operands] = copies_[copy];
  for (std::size_t i = 0; i < specs_.size(); ++i) {
    if (specs_[i].role == Role::inout) stream.copy(*buffers[i], *pristine[i]);
    if (specs_[i].role == Role::output || specs_[i].role == Role::scratch) stream.fill(*buffers[i], poison_byte);
  }
}

void OperandSet::refresh(Stream& stream, std::uint32_t copy) {
  auto& [buffers, pristine, operands] = copies_[copy];
  for (std::size_t i = 0; i < specs_.size(); ++i) {
    if (specs_[i].just_written && pristine[i]) stream.copy(*buffers[i], *pristine[i]);
  }
}

void OperandSet::initial(std::size_t operand, std::uint32_t copy, std::uint64_t first, std::span<double> values) const {
  const auto& spec = specs_[operand];
  if (!spec.generate) return tile(spec).values(input_stream(operand, copy), first, values);
  spec.generate(mix64(seed_ + input_stream(operand, copy)), first, values);
  round_to(spec.type, values);
}

Check OperandSet::check(std::uint32_t copy, std::span<const Reference> references) {
  if (!device_.info().computes) return unchecked(fmt::format("{} computes no outputs", device_.info().id));
  Check total = unchecked("no operand is an output");
  std::string no_reference;
  for (std::size_t i = 0; i < specs_.size(); ++i) {
    const auto& spec = specs_[i];
    WipedVector<std::byte> buffer(bytes_of(spec) + 2 * guard_bytes);
    device_.stream().download(buffer, *copies_[copy].buffers[i]);
    const auto data = std::span<const std::byte>(buffer).subspan(guard_bytes, bytes_of(spec));
    Check check = check_guards(spec, buffer);
    if (check.state == Check::State::failed) return check;
    if (spec.role == Role::scratch) continue;
    if (spec.role == Role::input) {
      check = check_input(i, copy, data);
      if (check.state == Check::State::failed) return check;
      continue;
    }
    const auto reference =
        std::find_if(references.begin(), references.end(), [&](const auto& r) { return r.operand == i; });
    if (reference == references.end()) {
      no_reference = fmt::format("there is no reference for operand '{}'", spec.name);
      continue;
    }
    check = reference->sampled == 0 ? check_all(*reference, copy, data) : check_sampled(*reference, copy, data);
    if (check.state == Check::State::failed) return check;
    total = worse(total, check);
  }
  return no_reference.empty() ? total : unchecked(no_reference);
}

Check OperandSet::check_input(std::size_t operand, std::uint32_t copy, std::span<const std::byte> data) const {
  const auto& spec = specs_[operand];
  const auto size = size_of(spec.type);
  std::vector<std::byte> want(std::min(chunk, spec.count) * size);
  for (std::uint64_t first = 0; first < spec.count; first += chunk) {
    const auto piece = std::span(want).first(std::min(chunk, spec.count - first) * size);
    write_initial(operand, copy, first, piece);
    const auto got = data.subspan(first * size, piece.size());
    const auto [changed, at] = std::mismatch(piece.begin(), piece.end(), got.begin());
    if (changed == piece.end()) continue;
    const auto index = first + static_cast<std::uint64_t>(changed - piece.begin()) / size;
    return failed(fmt::format("operand '{}' is an input and was changed, first at element {}", spec.name, index));
  }
  return {};
}

Check OperandSet::check_all(const Reference& reference, std::uint32_t copy, std::span<const std::byte> data) const {
  const auto& spec = specs_[reference.operand];
  const auto size = size_of(spec.type);
  WipedVector<double> got(std::min(chunk, spec.count));
  WipedVector<double> want(got.size());
  Comparison comparison(0, reference.tolerance);
  for (std::uint64_t first = 0; first < spec.count; first += chunk) {
    const auto count = std::min(chunk, spec.count - first);
    decode(spec.type, data.subspan(first * size, count * size), std::span(got).first(count));
    reference.values(*this, copy, first, std::span(want).first(count));
    round_to(spec.type, std::span(want).first(count));
    if (first == 0) comparison = Comparison(root_mean_square(want), reference.tolerance);
    comparison.add(first, std::span(got).first(count), std::span(want).first(count));
  }
  auto check = comparison.result();
  if (!check.detail.empty()) check.detail = fmt::format("operand '{}': {}", spec.name, check.detail);
  return check;
}

const OperandSet::Sampled& OperandSet::sampled(const Reference& reference, std::uint32_t copy) {
  auto [at, is_new] = sampled_.try_emplace({reference.operand, copy});
  auto& sample = at->second;
  if (!is_new) return sample;
  const auto& spec = specs_[reference.operand];
  sample.indices = spread_indices(spec.count, reference.sampled, seed_);
  sample.want.resize(sample.indices.size());
  for (std::size_t i = 0; i < sample.indices.size(); ++i) {
    reference.values(*this, copy, sample.indices[i], std::span(sample.want).subspan(i, 1));
  }
  round_to(spec.type, sample.want);
  return sample;
}

Check OperandSet::check_sampled(const Reference& reference, std::uint32_t copy, std::span<const std::byte> data) {
  const auto& spec = specs_[reference.operand];
  if (spec.count <= reference.sampled) return check_all(reference, copy, data);
  if (auto check = check_no_nan(spec, data); check.state == Check::State::failed) return check;
  const auto& [indices, want] = sampled(reference, copy);
  const auto size = size_of(spec.type);
  Comparison comparison(root_mean_square(want), reference.tolerance);
  for (std::size_t i = 0; i < indices.size(); ++i) {
    double got = 0;
    decode(spec.type, data.subspan(indices[i] * size, size), std::span(&got, 1));
    comparison.add(indices[i], got, want[i]);
  }
  auto check = comparison.result();
  if (!check.detail.empty()) check.detail = fmt::format("operand '{}': {}", spec.name, check.detail);
  return check;
}

}  // namespace warpclock
