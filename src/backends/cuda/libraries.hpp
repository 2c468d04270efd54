// Finding and opening the shared libraries that are used at run time only.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace warpclock::cuda {

/// Which library is looked for, and where.
struct LibrarySpec {
  std::string title;                 // "CUPTI"
  std::string variable;              // environment variable that names a file to use instead: "WARPCLOCK_LIBCUPTI"
  std::vector<std::string> names;    // file names, the best first: "libcupti.so.13"
  std::vector<std::string> wheels;   // folders below site-packages/nvidia that may hold it: "cuda_cupti/lib"
  std::vector<std::string> toolkit;  // folders below the toolkit's root: "lib64"
};

/// A file that may be opened, and how it was found: "loaded already", "WARPCLOCK_LIBCUPTI", "PyPI wheel", "toolkit",
/// "loader".
struct LibraryFile {
  std::string path;
  std::string found_by;
};

/// The file that Library would open first, by looking at folders alone: costs nothing where opening it would cost
/// seconds (cuBLASLt has 540 MB). Whether it can be opened is not known yet.
[[nodiscard]] std::optional<LibraryFile> find_library(const LibrarySpec& spec);

/// Why there is none, what was looked for, and where.
[[nodiscard]] std::string not_found(const LibrarySpec& spec);

/// An opened shared library. It stays open for the life of the process: CUDA's libraries do not like to be closed.
class Library {
 public:
  /// Opens the first that is found: the file named by the variable, what the process has loaded already, the folders
  /// of WARPCLOCK_LIBRARY_PATH, the PyPI wheels of the active Python, the toolkit, the loader's own search.
  ///   throws  DeviceError saying what was looked for, and where
  explicit Library(const LibrarySpec& spec);

  [[nodiscard]] const std::string& title() const { return title_; }
  /// The file that was opened, as the loader knows it.
  [[nodiscard]] const std::string& path() const { return path_; }
  /// How it was found, see LibraryFile.
  [[nodiscard]] const std::string& found_by() const { return found_by_; }
  /// Address of an exported function; null if there is none.
  [[nodiscard]] void* symbol(const char* name) const;
  /// The same as a typed pointer.  throws DeviceError if there is none
  template <class Function>
  void bind(Function*& pointer, const char* name) const {
    pointer = reinterpret_cast<Function*>(required(name));
  }

 private:
  [[nodiscard]] void* required(const char* name) const;
  bool open(const LibraryFile& file, int flags = 0);

  std::string title_;
  std::string path_;
  std::string found_by_;
  void* handle_ = nullptr;
};

/// "libx.so.13", "libx.so.12", ..., "libx.so" for versions from `newest` down to `oldest`.
[[nodiscard]] std::vector<std::string> versioned_names(const std::string& stem, int newest, int oldest);

/// Folders in which PyPI wheels put the nvidia packages: VIRTUAL_ENV and CONDA_PREFIX first, then the usual places.
[[nodiscard]] std::vector<std::string> nvidia_wheel_folders();

/// Roots of installed toolkits: CUDA_HOME, CUDA_PATH, /usr/local/cuda, then /usr/local/cuda-*, the newest first.
[[nodiscard]] std::vector<std::string> toolkit_roots();

}  // namespace warpclock::cuda
