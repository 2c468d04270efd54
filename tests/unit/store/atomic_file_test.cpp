// Results of a long run must survive every way in which writing them can fail (field case F79).
#include "store/atomic_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>

#include "core/errors.hpp"

namespace warpclock {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class AtomicFile : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "warpclock-store-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }

  [[nodiscard]] std::string at(const std::string& name) const { return (folder_ / name).string(); }
  [[nodiscard]] std::size_t files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }
  static void put(const std::string& path, const std::string& text) { std::ofstream(path) << text; }
  static std::string read(const std::string& path) {
    std::ifstream in(path);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  static std::string message_of(const std::function<void()>& what) {
    try {
      what();
    } catch (const DataError& error) {
      return error.what();
    }
    return "";
  }

  fs::path folder_;
};

TEST_F(AtomicFile, MissingFoldersAreCreatedBeforeMeasuring) {
  check_writable(at("a/b/result.json"));
  EXPECT_TRUE(fs::is_directory(folder_ / "a/b"));
  EXPECT_FALSE(fs::exists(at("a/b/result.json")));  // checking leaves nothing behind
  write_atomically(at("a/b/result.json"), "{}");
  EXPECT_EQ(read(at("a/b/result.json")), "{}");
}

TEST_F(AtomicFile, CheckingLeavesAnExistingFileAsItWas) {
  put(at("old.json"), "old");
  check_writable(at("old.json"));
  EXPECT_EQ(read(at("old.json")), "old");
  EXPECT_EQ(files(), 1U);
}

TEST_F(AtomicFile, AFileInPlaceOfTheFolderIsRefusedWithOneLine) {
  put(at("file"), "");
  const std::string message = message_of([&] { check_writable(at("file/result.json")); });
  EXPECT_THAT(message, HasSubstr("file/result.json"));
  EXPECT_EQ(message.find('\n'), std::string::npos);
}

// Permission bits do not bind root, a read-only file system does: /proc takes no new files from anyone.
TEST_F(AtomicFile, AReadOnlyPlaceIsRefused) {
  EXPECT_THROW(check_writable("/proc/warpclock-result.json"), DataError);
  EXPECT_THROW(check_writable("/proc/no/such/folder/result.json"), DataError);
}

TEST_F(AtomicFile, AFolderUnderTheNameIsRefused) {
  EXPECT_THAT(message_of([&] { check_writable(folder_.string()); }), HasSubstr("folder"));
  EXPECT_THAT(message_of([&] { check_writable(at("new/")); }), HasSubstr("folder"));
  EXPECT_THROW(check_writable(""), DataError);
}

/// A limit on the size of files stands for a full disk: the write fails half way, as it does with ENOSPC.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    old_handler_ = std::signal(SIGXFSZ, SIG_IGN);
    const rlimit now{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &now);
  }
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, old_handler_);
  }

 private:
  rlimit before_{};
  void (*old_handler_)(int) = nullptr;
};

TEST_F(AtomicFile, AWriteThatFailsHalfWayLeavesTheOldFileAndNoTemporaryOne) {
  put(at("result.json"), "the old results");
  {
    const FileSizeLimit limit(4096);
    EXPECT_THROW(write_atomically(at("result.json"), std::string(10000, 'x')), DataError);
  }
  EXPECT_EQ(read(at("result.json")), "the old results");
  EXPECT_EQ(files(), 1U);
}

TEST_F(AtomicFile, AFullDeviceIsAnErrorAndNotSilence) {
  EXPECT_THAT(message_of([&] { write_atomically("/dev/full", "x"); }), HasSubstr("No space left on device"));
}

TEST_F(AtomicFile, ADeviceIsWrittenInPlaceAndStaysADevice) {
  check_writable("/dev/null");
  write_atomically("/dev/null", "x");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST_F(AtomicFile, ALinkKeepsPointingAndItsTargetIsReplaced) {
  put(at("target"), "old");
  fs::create_symlink("target", at("link"));
  write_atomically(at("link"), "new");
  EXPECT_TRUE(fs::is_symlink(at("link")));
  EXPECT_EQ(read(at("target")), "new");
}

TEST_F(AtomicFile, AnExistingFileKeepsItsPermissions) {
  put(at("shared"), "old");
  fs::permissions(at("shared"), fs::perms(0640));
  write_atomically(at("shared"), "new");
  EXPECT_EQ(fs::status(at("shared")).permissions(), fs::perms(0640));
}

}  // namespace
}  // namespace warpclock
