// Where libraries are looked for, in which order: a CUPTI from the wrong place gives wrong records or none.
#include "backends/cuda/libraries.hpp"

#include <dlfcn.h>
#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "core/errors.hpp"

namespace warpclock::cuda {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

/// A folder of its own, in which copies of a real shared library lie under made-up names.
class Libraries : public testing::Test {
 protected:
  Libraries() : root_(fs::path(testing::TempDir()) / testing::UnitTest::GetInstance()->current_test_info()->name()) {
    fs::remove_all(root_);
    fs::create_directories(root_);
    for (const char* name : {"WARPCLOCK_LIBTOY", "WARPCLOCK_LIBRARY_PATH", "CONDA_PREFIX", "CUDA_PATH"}) unsetenv(name);
    setenv("VIRTUAL_ENV", (root_ / "venv").c_str(), 1);
    setenv("CUDA_HOME", (root_ / "toolkit").c_str(), 1);
    setenv("HOME", root_.c_str(), 1);
  }
  ~Libraries() override { fs::remove_all(root_); }

  /// Puts a library at `where` below the folder.  return: its full path
  [[nodiscard]] std::string put(const std::string& where) const {
    const fs::path file = root_ / where;
    fs::create_directories(file.parent_path());
    fs::copy_file(WARPCLOCK_ANY_LIBRARY, file);
    return file.string();
  }
  /// A file that is no library.
  [[nodiscard]] std::string put_broken(const std::string& where) const {
    const fs::path file = root_ / where;
    fs::create_directories(file.parent_path());
    std::ofstream(file) << "no library";
    return file.string();
  }

  fs::path root_;
};

const LibrarySpec toy{"toy", "WARPCLOCK_LIBTOY", {"libtoy.so.2", "libtoy.so.1"}, {"toy/lib"}, {"lib64"}};
constexpr const char* wheel_folder = "venv/lib/python3.11/site-packages/nvidia/toy/lib/";

TEST_F(Libraries, ComeFromTheVariableThenOurPathThenWheelsThenToolkit) {
  EXPECT_FALSE(find_library(toy));
  const auto expect = [](const std::string& path, const std::string& found_by) {
    const auto file = find_library(toy);
    ASSERT_TRUE(file);
    EXPECT_EQ(file->path, path);
    EXPECT_EQ(file->found_by, found_by);
  };
  expect(put("toolkit/lib64/libtoy.so.2"), "toolkit");
  expect(put(std::string(wheel_folder) + "libtoy.so.1"), "PyPI wheel");
  expect(put(std::string(wheel_folder) + "libtoy.so.2"), "PyPI wheel");  // the newer name of one place comes first
  const std::string own = put("own/libtoy.so.1");
  setenv("WARPCLOCK_LIBRARY_PATH", ((root_ / "nothing").string() + ":" + (root_ / "own").string()).c_str(), 1);
  expect(own, "WARPCLOCK_LIBRARY_PATH");
  setenv("WARPCLOCK_LIBTOY", "/some/file", 1);
  expect("/some/file", "WARPCLOCK_LIBTOY");
}

TEST_F(Libraries, OneThatIsLoadedAlreadyIsUsedAgain) {  // two copies of CUPTI in one process would split the records
  const LibrarySpec spec{"pet", "WARPCLOCK_LIBPET", {"libpet.so.1"}, {}, {"lib64"}};
  const std::string loaded = put("elsewhere/libpet.so.1");
  static_cast<void>(put("toolkit/lib64/libpet.so.1"));
  ASSERT_NE(dlopen(loaded.c_str(), RTLD_NOW | RTLD_LOCAL), nullptr);
  const Library library(spec);
  EXPECT_EQ(library.path(), loaded);
  EXPECT_EQ(library.found_by(), "loaded already");
}

TEST_F(Libraries, OneThatCannotBeOpenedIsPassedOver) {
  const LibrarySpec spec{"cat", "WARPCLOCK_LIBCAT", {"libcat.so.1"}, {"toy/lib"}, {"lib64"}};
  static_cast<void>(put_broken(std::string(wheel_folder) + "libcat.so.1"));
  const std::string whole = put("toolkit/lib64/libcat.so.1");
  EXPECT_EQ(Library(spec).path(), whole);
}

TEST_F(Libraries, NamedFileThatCannotBeOpenedIsAnError) {  // never quietly another one than was asked for
  const std::string broken = put_broken("libtoy.so.2");
  static_cast<void>(put("toolkit/lib64/libtoy.so.2"));
  setenv("WARPCLOCK_LIBTOY", broken.c_str(), 1);
  EXPECT_THAT([] { Library{toy}; },
              ThrowsMessage<DeviceError>(AllOf(HasSubstr("WARPCLOCK_LIBTOY names " + broken), HasSubstr("cannot be"))));
}

TEST_F(Libraries, NoneIsAnErrorThatSaysWhatWasLookedForAndWhatToDo) {
  EXPECT_THAT([] { Library{toy}; },
              ThrowsMessage<DeviceError>(AllOf(HasSubstr("toy: no libtoy.so.2 or libtoy.so.1"), HasSubstr("toolkit"),
                                               HasSubstr("name the file in WARPCLOCK_LIBTOY"))));
}

TEST_F(Libraries, FunctionThatIsMissingIsNamed) {
  setenv("WARPCLOCK_LIBTOY", put("libtoy.so.2").c_str(), 1);
  const Library library(toy);
  void (*function)() = nullptr;
  EXPECT_THAT([&] { library.bind(function, "toy_function"); },
              ThrowsMessage<DeviceError>(HasSubstr("has no toy_function; install a newer one")));
}

TEST(VersionedNames, NewestFirstAndTheUnversionedLast) {
  EXPECT_THAT(versioned_names("libx", 13, 12), ElementsAre("libx.so.13", "libx.so.12", "libx.so"));
}

}  // namespace
}  // namespace warpclock::cuda
