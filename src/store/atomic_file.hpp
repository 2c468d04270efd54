// Files that are either whole or not there: written under a temporary name beside the target, flushed to the disk, and
// renamed. What stood under the name before stays until then.
#pragma once

#include <string>
#include <string_view>

namespace warpclock {

/// Makes sure, before anything is measured, that `path` can be written later: its folder is there (missing ones are
/// created), a file can be created in it, and `path` itself is no folder. Leaves `path` as it was.
///   throws DataError saying what is in the way
void check_writable(const std::string& path);

/// Replaces `path` by `content`. A link keeps pointing at the file that is replaced, an existing file keeps its
/// permissions; devices and pipes (/dev/null) are written in place, since renaming would replace the device itself.
///   throws DataError; then the old file is untouched and no temporary file is left
void write_atomically(const std::string& path, std::string_view content);

}  // namespace warpclock
