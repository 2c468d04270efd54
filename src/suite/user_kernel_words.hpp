// A kernel of one's own in words: what to load, how to launch it, on which arguments.
//
//   warpclock run my.cu:saxpy --axis n=2^10..2^24 --grid '{n}//256' --block 256
//       --arg in:f32:{n} --arg inout:f32:{n} --arg f32:2.5 --arg i32:{n} --flops '2*{n}' --compute fp32
//
//   KERNEL      my.cu:NAME        CUDA source, compiled by NVRTC for the device; NAME as the source could write it,
//                                 with namespace and template arguments: 'my.cu:tile<float,{t}>'
//               my.cubin:NAME, my.ptx:NAME, my.fatbin:NAME
//                                 compiled already; NAME mangled, unless the source says extern "C"
//   --grid      X or X,Y,Z        blocks; each an expression (expression.hpp)
//   --block     X or X,Y,Z        threads of a block; expressions
//   --shared    BYTES             dynamic shared memory, an expression; 0 unless given
//   --arg       in:TYPE:COUNT     a buffer of COUNT (an expression) random values that the kernel must not change
//               out:TYPE:COUNT    a buffer that the kernel writes; holds NaN (-1 in whole numbers) before each call
//               inout:TYPE:COUNT  a buffer of random values, the same before each call
//                                 TYPE: f64 f32 f16 bf16 fp8 (e4m3) i64 i32 i8
//               TYPE:VALUE        a number; VALUE a decimal number for f64 f32 f16 bf16, else an expression
//                                 TYPE: f64 f32 f16 bf16 i64 u64 i32 u32 i16 u16 i8 u8
//                                 one --arg a parameter, in order
//   --nvrtc     OPTION            for the compiler, as -DTILE={t} or -I/path; may be given again
//   --flops     COUNT             of one call, an expression; --compute says at which peak they count
//   --bytes-read, --bytes-written
//                                 of one call, expressions; unless given the sizes of the in, out and inout buffers
//   --compute   TYPE              fp64 fp32 tf32 fp16 bf16 fp8
//
// Every {axis} in any of these becomes an axis of the benchmark, whose values --axis gives.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/result.hpp"
#include "suite/expression.hpp"
#include "verify/operands.hpp"

namespace warpclock {

/// The words as they were typed; what is empty was not given.
struct UserKernelWords {
  std::string source;  // KERNEL
  std::string grid;
  std::string block;
  std::string shared;
  std::vector<std::string> args;
  std::vector<std::string> nvrtc;
  std::string flops;
  std::string bytes_read;
  std::string bytes_written;
  std::string compute;
};

/// True for a word that names a kernel in a file rather than one of the suite: "my.cu:saxpy", also "my.cu" alone.
[[nodiscard]] bool names_user_kernel(const std::string& word);

struct BufferArgument {
  Role role = Role::input;
  DType type = DType::fp32;
  Expression count;
};

/// A number handed over by value.
class ScalarArgument {
 public:
  enum class Type : std::uint8_t { f64, f32, f16, bf16, i64, u64, i32, u32, i16, u16, i8, u8 };

  /// throws UsageError for a text that is no number of this type
  ScalarArgument(std::string word, Type type, const std::string& value);

  [[nodiscard]] std::size_t size() const;
  [[nodiscard]] const std::vector<std::string>& axes() const;
  /// The value as the kernel gets it, in the first size() bytes.  throws UsageError where it does not fit the type
  [[nodiscard]] std::array<std::byte, 8> bytes(const Point& point) const;

 private:
  Type type_;
  std::optional<double> decimal_;
  std::optional<Expression> expression_;
};

struct UserArgument {
  std::string word;  // "in:f32:{n}"
  std::variant<BufferArgument, ScalarArgument> value;
};

/// The words, understood.
struct UserKernel {
  enum class Kind : std::uint8_t { source, image };
  std::string word;  // KERNEL as it was typed
  std::string path;
  std::string name;
  Kind kind = Kind::source;
  std::vector<Expression> grid;   // three
  std::vector<Expression> block;  // three
  Expression shared;
  std::vector<UserArgument> arguments;
  std::vector<std::string> nvrtc;
  std::optional<Expression> flops, bytes_read, bytes_written;
  std::string compute;
  std::vector<std::string> axes;  // each once, in order

  /// Buffers in the order of the arguments, named "arg 1 (in:f32:{n})".  throws UsageError for a count below 1
  [[nodiscard]] std::vector<OperandSpec> operands(const Point& point) const;
  /// As declared, and where not the sizes of the buffers.  throws UsageError for a negative count
  [[nodiscard]] Work work(const Point& point) const;
};

/// throws UsageError naming the word that cannot be understood, and a good one
[[nodiscard]] UserKernel parse_user_kernel(const UserKernelWords& words);

}  // namespace warpclock
