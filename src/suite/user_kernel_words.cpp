#include "suite/user_kernel_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <string_view>
#include <utility>

#include "core/errors.hpp"

namespace warpclock {
namespace {

constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();

struct FileKind {
  std::string_view ending;
  UserKernel::Kind kind;
};
constexpr FileKind file_kinds[] = {
    {".cu", UserKernel::Kind::source},
    {".cubin", UserKernel::Kind::image},
    {".ptx", UserKernel::Kind::image},
    {".fatbin", UserKernel::Kind::image},
};

template <class T>
struct Named {
  std::string_view name;
  T value;
};

constexpr Named<Role> roles[] = {{"in", Role::input}, {"out", Role::output}, {"inout", Role::inout}};
constexpr Named<DType> buffer_types[] = {
    {"f64", DType::fp64}, {"f32", DType::fp32},  {"f16", DType::fp16},  {"bf16", DType::bf16},
    {"fp8", DType::fp8},  {"i64", DType::int64}, {"i32", DType::int32}, {"i8", DType::int8},
};
using Scalar = ScalarArgument::Type;
constexpr Named<Scalar> scalar_types[] = {
    {"f64", Scalar::f64}, {"f32", Scalar::f32}, {"f16", Scalar::f16}, {"bf16", Scalar::bf16},
    {"i64", Scalar::i64}, {"u64", Scalar::u64}, {"i32", Scalar::i32}, {"u32", Scalar::u32},
    {"i16", Scalar::i16}, {"u16", Scalar::u16}, {"i8", Scalar::i8},   {"u8", Scalar::u8},
};
constexpr std::string_view compute_types[] = {"fp64", "fp32", "tf32", "fp16", "bf16", "fp8"};

template <class T, std::size_t n>
const T* find_named(const Named<T> (&table)[n], std::string_view name) {
  const auto* found = std::find_if(table, table + n, [&](const auto& row) { return row.name == name; });
  return found == table + n ? nullptr : &found->value;
}

template <class T, std::size_t n>
std::string names_of(const Named<T> (&table)[n]) {
  std::string names;
  for (const auto& row : table) names += fmt::format("{}{}", names.empty() ? "" : ", ", row.name);
  return names;
}

/// Where ".cu:" and its like end in the word, and which it is; npos where there is none.
std::pair<std::size_t, UserKernel::Kind> find_ending(const std::string& word) {
  std::pair found{std::string::npos, UserKernel::Kind::source};
  for (const auto& [ending, kind] : file_kinds) {
    const auto at = word.find(fmt::format("{}:", ending));
    if (at != std::string::npos && at != 0 && at + ending.size() < found.first) found = {at + ending.size(), kind};
  }
  return found;
}

UserArgument buffer(const std::string& word, Role role, std::string_view rest) {
  const auto colon = rest.find(':');
  const auto* type = find_named(buffer_types, rest.substr(0, colon));
  if (type == nullptr) {
    throw UsageError(
        fmt::format("--arg {}: a buffer's type is one of {}; write in:f32:1024", word, names_of(buffer_types)));
  }
  if (colon == std::string_view::npos) {
    throw UsageError(fmt::format("--arg {0}: how many elements? write {0}:1024", word));
  }
  return {word, BufferArgument{role, *type, Expression("--arg " + word, std::string(rest.substr(colon + 1)))}};
}

UserArgument argument(const std::string& word) {
  const auto colon = word.find(':');
  const auto head = std::string_view(word).substr(0, colon);
  const auto rest = colon == std::string::npos ? std::string_view() : std::string_view(word).substr(colon + 1);
  if (const auto* role = find_named(roles, head)) return buffer(word, *role, rest);
  const auto* type = find_named(scalar_types, head);
  if (type == nullptr || rest.empty()) {
    throw UsageError(
        fmt::format("--arg {}: write in:f32:COUNT, out:f32:COUNT or inout:f32:COUNT for a buffer, i32:5 "
                    "for a number (its type one of {})",
                    word, names_of(scalar_types)));
  }
  return {word, ScalarArgument(word, *type, std::string(rest))};
}

std::vector<Expression> dimensions(const std::string& flag, const std::string& text) {
  if (text.empty()) {
    throw UsageError(
        fmt::format("{} is needed for a kernel of your own; write {} 256 or {} '{{n}}//256,1,1'", flag, flag, flag));
  }
  std::vector<Expression> out;
  for (std::size_t begin = 0; begin <= text.size();) {
    const auto end = std::min(text.find(',', begin), text.size());
    out.emplace_back(flag, text.substr(begin, end - begin));
    begin = end + 1;
  }
  if (out.size() > 3) throw UsageError(fmt::format("{}: '{}' has more than three sizes; write X,Y,Z", flag, text));
  while (out.size() < 3) out.emplace_back(flag, "1");
  return out;
}

std::optional<Expression> optional_expression(const std::string& flag, const std::string& text) {
  if (text.empty()) return std::nullopt;
  return Expression(flag, text);
}

void add_axes(std::vector<std::string>& to, const std::vector<std::string>& names) {
  for (const auto& name : names) {
    if (std::find(to.begin(), to.end(), name) == to.end()) to.push_back(name);
  }
}

void collect_axes(UserKernel& kernel) {
  auto& axes = kernel.axes;
  add_axes(axes, axes_in("kernel", kernel.name));
  for (const auto* sizes : {&kernel.grid, &kernel.block}) {
    for (const auto& size : *sizes) add_axes(axes, size.axes());
  }
  add_axes(axes, kernel.shared.axes());
  for (const auto& [word, value] : kernel.arguments) {
    const auto* buffer = std::get_if<BufferArgument>(&value);
    add_axes(axes, buffer != nullptr ? buffer->count.axes() : std::get<ScalarArgument>(value).axes());
  }
  for (const auto& option : kernel.nvrtc) add_axes(axes, axes_in("--nvrtc", option));
  for (const auto* count : {&kernel.flops, &kernel.bytes_read, &kernel.bytes_written}) {
    if (*count) add_axes(axes, (*count)->axes());
  }
}

}  // namespace

bool names_user_kernel(const std::string& word) {
  if (find_ending(word).first != std::string::npos) return true;
  return std::any_of(std::begin(file_kinds), std::end(file_kinds),
                     [&](const FileKind& kind) { return word.ends_with(kind.ending); });
}

ScalarArgument::ScalarArgument(std::string word, Type type, const std::string& value) : type_(type) {
  const bool floating = type == Type::f64 || type == Type::f32 || type == Type::f16 || type == Type::bf16;
  if (floating) {
    double number = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (error == std::errc{} && end == value.data() + value.size() && std::isfinite(number)) {
      decimal_ = number;
      return;
    }
  }
  expression_.emplace("--arg " + std::move(word), value);
}

std::size_t ScalarArgument::size() const {
  switch (type_) {
    case Type::f64:
    case Type::i64:
    case Type::u64:
      return 8;
    case Type::f32:
    case Type::i32:
    case Type::u32:
      return 4;
    case Type::f16:
    case Type::bf16:
    case Type::i16:
    case Type::u16:
      return 2;
    default:
      return 1;
  }
}

const std::vector<std::string>& ScalarArgument::axes() const {
  static const std::vector<std::string> none;
  return expression_ ? expression_->axes() : none;
}

std::array<std::byte, 8> ScalarArgument::bytes(const Point& point) const {
  std::array<std::byte, 8> out{};
  const auto real = [&](DType type) {
    const double value = decimal_ ? *decimal_ : static_cast<double>(expression_->value(point));
    encode(type, std::span(&value, 1), std::span(out).first(size_of(type)));
  };
  const auto whole = [&](bool with_sign) {  // two's complement, little endian: the low bytes are the narrower number
    const auto bits = 8 * size();
    const std::int64_t max = bits == 64 ? largest : (std::int64_t{1} << (with_sign ? bits - 1 : bits)) - 1;
    const std::int64_t value = expression_->value(point, with_sign ? -max - 1 : 0, max);
    std::memcpy(out.data(), &value, size());
  };
  switch (type_) {
    case Type::f64:
      real(DType::fp64);
      break;
    case Type::f32:
      real(DType::fp32);
      break;
    case Type::f16:
      real(DType::fp16);
      break;
    case Type::bf16:
      real(DType::bf16);
      break;
    case Type::i64:
    case Type::i32:
    case Type::i16:
    case Type::i8:
      whole(true);
      break;
    default:
      whole(false);
  }
  return out;
}

std::vector<OperandSpec> UserKernel::operands(const Point& point) const {
  std::vector<OperandSpec> specs;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const auto* buffer = std::get_if<BufferArgument>(&arguments[i].value);
    if (buffer == nullptr) continue;
    const auto count = static_cast<std::uint64_t>(buffer->count.value(point, 1, largest));
    specs.push_back({fmt::format("arg {} ({})", i + 1, arguments[i].word), buffer->type, count, buffer->role});
  }
  return specs;
}

Work UserKernel::work(const Point& point) const {
  Work work;
  for (const auto& spec : operands(point)) {
    const auto bytes = static_cast<double>(spec.count) * static_cast<double>(size_of(spec.type));
    if (spec.role != Role::output) work.bytes_read += bytes;
    if (spec.role != Role::input) work.bytes_written += bytes;
  }
  const auto count = [&](const Expression& e) { return static_cast<double>(e.value(point, 0, largest)); };
  if (bytes_read) work.bytes_read = count(*bytes_read);
  if (bytes_written) work.bytes_written = count(*bytes_written);
  if (flops) work.flops = count(*flops);
  work.compute_type = compute;
  return work;
}

UserKernel parse_user_kernel(const UserKernelWords& words) {
  const auto [end, kind] = find_ending(words.source);
  if (end == std::string::npos || end + 1 >= words.source.size()) {
    throw UsageError(
        fmt::format("kernel '{}': name a file and a kernel in it, as my.cu:saxpy, my.cubin:saxpy or "
                    "my.ptx:saxpy",
                    words.source));
  }
  if (!words.compute.empty() && std::ranges::find(compute_types, words.compute) == std::end(compute_types)) {
    throw UsageError(fmt::format("--compute: '{}' is not one of {}", words.compute, fmt::join(compute_types, ", ")));
  }
  if (words.compute.empty() != words.flops.empty()) {
    throw UsageError(
        "--flops and --compute belong together: the count, and the type at whose peak it counts; write "
        "--flops '2*{n}' --compute fp32");
  }
  if (kind == UserKernel::Kind::image && !words.nvrtc.empty()) {
    throw UsageError(fmt::format("--nvrtc: {} is compiled already; give the option to its compiler", words.source));
  }
  UserKernel kernel{.word = words.source,
                    .path = words.source.substr(0, end),
                    .name = words.source.substr(end + 1),
                    .kind = kind,
                    .grid = dimensions("--grid", words.grid),
                    .block = dimensions("--block", words.block),
                    .shared = Expression("--shared", words.shared.empty() ? "0" : words.shared),
                    .arguments = {},
                    .nvrtc = words.nvrtc,
                    .flops = optional_expression("--flops", words.flops),
                    .bytes_read = optional_expression("--bytes-read", words.bytes_read),
                    .bytes_written = optional_expression("--bytes-written", words.bytes_written),
                    .compute = words.compute,
                    .axes = {}};
  for (const auto& word : words.args) kernel.arguments.push_back(argument(word));
  collect_axes(kernel);
  return kernel;
}

}  // namespace warpclock
