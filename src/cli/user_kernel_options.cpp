#include "cli/user_kernel_options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "core/errors.hpp"
#include "suite/user_kernel.hpp"

namespace warpclock::cli {
namespace {

constexpr auto own_kernel = "A kernel of your own (KERNEL is my.cu:NAME, my.cubin:NAME or my.ptx:NAME)";

struct Flag {
  const char* name;
  const char* placeholder;
  const char* help;
  std::string UserKernelWords::*word;
};

constexpr Flag flags[] = {
    {"--grid", "X[,Y,Z]", "blocks; sizes and counts are expressions of axes: '{n}//256' is n over 256, rounded up",
     &UserKernelWords::grid},
    {"--block", "X[,Y,Z]", "threads of a block", &UserKernelWords::block},
    {"--shared", "BYTES", "dynamic shared memory of a block; 0 unless given", &UserKernelWords::shared},
    {"--flops", "COUNT", "operations of one call, as '2*{n}'; with --compute", &UserKernelWords::flops},
    {"--compute", "TYPE", "at whose peak the operations count: fp64, fp32, tf32, fp16, bf16, fp8",
     &UserKernelWords::compute},
    {"--bytes-read", "COUNT", "least bytes that a call reads; unless given those of the in and inout buffers",
     &UserKernelWords::bytes_read},
    {"--bytes-written", "COUNT", "least bytes that a call writes; unless given those of the out and inout buffers",
     &UserKernelWords::bytes_written},
};

void add_list(CLI::App& command, const std::string& flag, const std::string& placeholder, const std::string& help,
              std::vector<std::string>& words) {
  command
      .add_option_function<std::vector<std::string>>(
          flag, [&words](const std::vector<std::string>& given) { words = given; }, help)
      ->type_name(placeholder)
      ->allow_extra_args(false)  // one word each time, so that kernels may follow it
      ->group(own_kernel);
}

/// The first option that was given, as it is called; empty where there is none.
std::string given_option(const UserKernelWords& words) {
  if (!words.args.empty()) return "--arg";
  if (!words.nvrtc.empty()) return "--nvrtc";
  const auto* found =
      std::find_if(std::begin(flags), std::end(flags), [&](const Flag& flag) { return !(words.*flag.word).empty(); });
  return found == std::end(flags) ? "" : found->name;
}

}  // namespace

void add_user_kernel_options(CLI::App& command, UserKernelWords& words) {
  const auto add_text = [&](const Flag& flag) {
    command.add_option(flag.name, words.*flag.word, flag.help)->type_name(flag.placeholder)->group(own_kernel);
  };
  std::for_each(std::begin(flags), std::begin(flags) + 3, add_text);
  add_list(command, "--arg", "ARG",
           "one for each parameter, in order: a buffer in:f32:COUNT, out:f32:COUNT or inout:f32:COUNT (f64 f32 f16 "
           "bf16 fp8 i64 i32 i8), or a number as i32:5 or f32:2.5; '{n}' in any of these words is the axis n, whose "
           "values --axis gives",
           words.args);
  add_list(command, "--nvrtc", "OPTION", "for the compiler: --nvrtc=-DTILE={t}; may be given again", words.nvrtc);
  std::for_each(std::begin(flags) + 3, std::end(flags), add_text);
}

std::vector<std::string> words_of(const UserKernelWords& words) {
  std::vector<std::string> out;
  const auto add = [&](const std::string& flag, const std::string& word) { out.push_back(flag + "=" + word); };
  for (const auto& flag : flags) {
    if (!(words.*flag.word).empty()) add(flag.name, words.*flag.word);
  }
  for (const auto& argument : words.args) add("--arg", argument);
  for (const auto& option : words.nvrtc) add("--nvrtc", option);
  return out;
}

CliEnvironment with_user_kernels(const RunOptions& options, CliEnvironment environment) {
  bool any = false;
  for (const auto& kernel : options.kernels) {
    const bool known = std::ranges::find(environment.suite, kernel, &Benchmark::name) != environment.suite.end();
    if (known || !names_user_kernel(kernel)) continue;
    auto words = options.own_kernel;
    words.source = kernel;
    environment.suite.push_back(user_kernel(words));
    any = true;
  }
  if (const std::string option = given_option(options.own_kernel); !any && !option.empty()) {
    throw UsageError(option + " is for a kernel of your own; name it as my.cu:saxpy, my.cubin:saxpy or my.ptx:saxpy");
  }
  return environment;
}

}  // namespace warpclock::cli
