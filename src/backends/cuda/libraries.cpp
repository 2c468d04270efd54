#include "backends/cuda/libraries.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <link.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "core/errors.hpp"

namespace warpclock::cuda {

namespace {

namespace fs = std::filesystem;

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// Folders in `parent` whose name begins with `prefix`, the last in alphabetical order first.
std::vector<std::string> folders(const fs::path& parent, const std::string& prefix) {
  std::vector<std::string> found;
  std::error_code ignored;  // a folder that is missing or may not be read holds nothing
  for (fs::directory_iterator it(parent, ignored), end; !ignored && it != end; it.increment(ignored)) {
    if (it->path().filename().string().rfind(prefix, 0) == 0) found.push_back(it->path().string());
  }
  std::sort(found.rbegin(), found.rend());
  return found;
}

/// Path of a loaded library whose file name is one of `names`. RTLD_NOLOAD alone would miss one that was loaded by
/// its full path under another soname.
std::string loaded_file(const std::vector<std::string>& names) {
  struct Search {
    const std::vector<std::string>& names;
    std::string path;
  } search{names, {}};
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* data) {
        auto& wanted = *static_cast<Search*>(data);
        const std::string path = info->dlpi_name;
        const std::string name = fs::path(path).filename().string();
        if (std::find(wanted.names.begin(), wanted.names.end(), name) == wanted.names.end()) return 0;
        wanted.path = path;
        return 1;
      },
      &search);
  return search.path;
}

}  // namespace

std::vector<std::string> versioned_names(const std::string& stem, int newest, int oldest) {
  std::vector<std::string> names;
  for (int version = newest; version >= oldest; --version) names.push_back(fmt::format("{}.so.{}", stem, version));
  names.push_back(stem + ".so");
  return names;
}

std::vector<std::string> nvidia_wheel_folders() {
  std::vector<std::string> roots;
  for (const char* name : {"VIRTUAL_ENV", "CONDA_PREFIX"}) {
    if (const std::string root = variable(name); !root.empty()) roots.push_back(root);
  }
  if (const std::string home = variable("HOME"); !home.empty()) roots.push_back(home + "/.local");
  roots.insert(roots.end(), {"/usr/local", "/usr"});
  std::vector<std::string> found;
  for (const std::string& root : roots) {
    for (const std::string& python : folders(fs::path(root) / "lib", "python3")) {
      for (const char* packages : {"site-packages", "dist-packages"}) {
        const fs::path folder = fs::path(python) / packages / "nvidia";
        std::error_code ignored;
        if (fs::is_directory(folder, ignored)) found.push_back(folder.string());
      }
    }
  }
  return found;
}

std::vector<std::string> toolkit_roots() {
  std::vector<std::string> roots;
  for (const char* name : {"CUDA_HOME", "CUDA_PATH"}) {
    if (const std::string root = variable(name); !root.empty()) roots.push_back(root);
  }
  roots.emplace_back("/usr/local/cuda");
  for (const std::string& root : folders("/usr/local", "cuda-")) roots.push_back(root);
  return roots;
}

namespace {

/// Files of the right name in WARPCLOCK_LIBRARY_PATH, the wheels and the toolkits, in this order.
std::vector<LibraryFile> files_in_folders(const LibrarySpec& spec) {
  std::vector<LibraryFile> found;
  const auto search = [&](const std::string& folder, const std::string& how) {
    for (const std::string& name : spec.names) {
      const fs::path file = fs::path(folder) / name;
      std::error_code ignored;
      if (fs::exists(file, ignored)) found.push_back({file.string(), how});
    }
  };
  std::stringstream own(variable("WARPCLOCK_LIBRARY_PATH"));
  for (std::string folder; std::getline(own, folder, ':');) search(folder, "WARPCLOCK_LIBRARY_PATH");
  if (!spec.wheels.empty()) {
    for (const std::string& folder : nvidia_wheel_folders()) {
      for (const std::string& below : spec.wheels) search(folder + "/" + below, "PyPI wheel");
    }
  }
  if (!spec.toolkit.empty()) {
    for (const std::string& root : toolkit_roots()) {
      for (const std::string& below : spec.toolkit) search(root + "/" + below, "toolkit");
    }
  }
  return found;
}

/// Where the loader would find `name`: LD_LIBRARY_PATH, then its cache, whose strings are "name\0/folder/name\0"
/// (ld.so.cache has no documented interface; reading only its strings works with both of its formats).
std::string loader_file(const std::string& name) {
  std::stringstream folders_of_user(variable("LD_LIBRARY_PATH"));
  for (std::string folder; std::getline(folders_of_user, folder, ':');) {
    const fs::path file = fs::path(folder) / name;
    std::error_code ignored;
    if (!folder.empty() && fs::exists(file, ignored)) return file.string();
  }
  std::ifstream cache("/etc/ld.so.cache", std::ios::binary);
  for (std::string text; std::getline(cache, text, '\0');) {
    if (text.size() > name.size() && text.front() == '/' && text.ends_with("/" + name)) return text;
  }
  return "";
}

}  // namespace

std::optional<LibraryFile> find_library(const LibrarySpec& spec) {
  if (std::string file = variable(spec.variable.c_str()); !file.empty()) return LibraryFile{file, spec.variable};
  if (std::string file = loaded_file(spec.names); !file.empty()) return LibraryFile{file, "loaded already"};
  if (auto files = files_in_folders(spec); !files.empty()) return files.front();
  for (const std::string& name : spec.names) {
    if (std::string file = loader_file(name); !file.empty()) return LibraryFile{file, "loader"};
  }
  return std::nullopt;
}

std::string not_found(const LibrarySpec& spec) {
  std::vector<std::string> places;
  if (const std::string own = variable("WARPCLOCK_LIBRARY_PATH"); !own.empty()) places.push_back(own);
  if (!spec.wheels.empty()) {
    const auto wheels = nvidia_wheel_folders();
    places.push_back(wheels.empty() ? "PyPI wheels (there are none)" : fmt::format("{}", fmt::join(wheels, ", ")));
  }
  if (!spec.toolkit.empty()) places.push_back(fmt::format("{}", fmt::join(toolkit_roots(), ", ")));
  places.emplace_back("the loader's path");
  return fmt::format("{}: no {} found in {}; install it, or name the file in {}", spec.title,
                     fmt::join(spec.names, " or "), fmt::join(places, ", "), spec.variable);
}

Library::Library(const LibrarySpec& spec) : title_(spec.title) {
  if (const std::string file = variable(spec.variable.c_str()); !file.empty()) {
    if (open({file, spec.variable})) return;
    throw DeviceError(
        fmt::format("{}: {} names {}, which cannot be opened: {}", title_, spec.variable, file, dlerror()));
  }
  if (const std::string file = loaded_file(spec.names); !file.empty() && open({file, "loaded already"}, RTLD_NOLOAD)) {
    return;
  }
  for (const LibraryFile& file : files_in_folders(spec)) {
    if (open(file)) return;
  }
  for (const std::string& name : spec.names) {
    if (open({name, "loader"})) return;
  }
  throw DeviceError(not_found(spec));
}

bool Library::open(const LibraryFile& file, int flags) {
  void* handle = dlopen(file.path.c_str(), RTLD_NOW | RTLD_LOCAL | flags);
  if (handle == nullptr) return false;
  handle_ = handle;
  found_by_ = file.found_by;
  path_ = file.path;
  link_map* map = nullptr;
  if (dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 && map != nullptr && *map->l_name != '\0') path_ = map->l_name;
  return true;
}

void* Library::symbol(const char* name) const { return dlsym(handle_, name); }

void* Library::required(const char* name) const {
  void* address = symbol(name);
  if (address == nullptr) {
    throw DeviceError(fmt::format("{}: {} has no {}; install a newer one", title_, path_, name));
  }
  return address;
}

}  // namespace warpclock::cuda
