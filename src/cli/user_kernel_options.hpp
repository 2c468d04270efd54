// The options of `run` for kernels of one's own, whose words suite/user_kernel_words.hpp describes.
#pragma once

#include <string>
#include <vector>

#include "cli/cli.hpp"
#include "cli/options.hpp"

namespace warpclock::cli {

/// --grid, --block, --arg and the others.
void add_user_kernel_options(CLI::App& command, UserKernelWords& words);

/// `words` as options again, but for the kernel itself.
[[nodiscard]] std::vector<std::string> words_of(const UserKernelWords& words);

/// `environment` with a benchmark in its suite for each kernel of `options` that is in a file. All of them share the
/// words.  throws UsageError for words without such a kernel or that cannot be understood, DataError for the file
[[nodiscard]] CliEnvironment with_user_kernels(const RunOptions& options, CliEnvironment environment);

}  // namespace warpclock::cli
