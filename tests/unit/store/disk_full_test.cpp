// A disk that is full or fails: the run learns of it at once, and what was acknowledged before is there afterwards.
#include <sys/resource.h>

#include <csignal>
#include <map>

#include "core/errors.hpp"
#include "fixture.hpp"

namespace warpclock::store {
namespace {

using ::testing::HasSubstr;

class DiskFull : public StoreTest {
 protected:
  /// Records points until it fails; how many it was told are safe, and why it ended.
  std::pair<std::size_t, std::string> fill(RunRecorder& recorder) {
    std::size_t done = 0;
    const auto why = message_of([&] {
      for (; done < 500; ++done) record(recorder, done, result_at(done, random_));
    });
    return {done, why};
  }
  void expect_safe(std::size_t done) {
    EXPECT_EQ(integrity(at("r.db")), "ok");
    Database database(at("r.db"), Access::read);
    const auto stored = load_run(database, find_run(database, "last"));
    ASSERT_EQ(stored.results.size(), done);
    std::mt19937_64 again(1);
    for (std::size_t i = 0; i < done; ++i) EXPECT_TRUE(same(stored.results[i].result, result_at(i, again))) << i;
  }
};

TEST_F(DiskFull, ADatabaseThatMayNotGrowStopsTheRunAndSaysWhatIsSafe) {
  std::size_t done = 0;
  {
    Database database(at("r.db"), Access::write);
    RunRecorder recorder(database, run_of(500));
    database.connection().execute("PRAGMA max_page_count = 60");
    std::string why;
    std::tie(done, why) = fill(recorder);
    EXPECT_THAT(why, HasSubstr("the disk is full"));
    EXPECT_THAT(why, HasSubstr(std::to_string(done) + " points of this session are safe as run 1"));
    EXPECT_EQ(recorder.safe(), done);
  }
  EXPECT_GT(done, 3U);
  expect_safe(done);
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

TEST_F(DiskFull, AWriteThatTheSystemRefusesStopsTheRun) {
  std::size_t done = 0;
  {
    const FileSizeLimit limit(400'000);
    Database database(at("r.db"), Access::write);
    RunRecorder recorder(database, run_of(500));
    std::string why;
    std::tie(done, why) = fill(recorder);
    EXPECT_THAT(why, HasSubstr("cannot "));
    EXPECT_THAT(why, HasSubstr("r.db"));
    EXPECT_THAT(why, HasSubstr("safe as run 1"));
  }
  EXPECT_GT(done, 3U);
  expect_safe(done);
}

/// SQLite's own access to files, with an fsync that fails once `left` of them have passed. See
/// https://sqlite.org/c3ref/io_methods.html: all methods are the real ones but that.
struct FailingSync {
  static inline int left = -1;  // -1: never fails
  static inline sqlite3_vfs* real = nullptr;
  static inline sqlite3_vfs shim{};
  static inline int (*real_sync)(sqlite3_file*, int) = nullptr;

  static int sync(sqlite3_file* file, int flags) {
    if (left == 0) return SQLITE_IOERR_FSYNC;
    if (left > 0) --left;
    return real_sync(file, flags);
  }
  static int open(sqlite3_vfs*, const char* name, sqlite3_file* file, int flags, int* out) {
    const int code = real->xOpen(real, name, file, flags, out);
    if (file->pMethods == nullptr) return code;
    // Databases and their logs have methods of their own.
    static std::map<const sqlite3_io_methods*, sqlite3_io_methods> all;
    auto& methods = all.emplace(file->pMethods, *file->pMethods).first->second;
    if (methods.xSync != sync) real_sync = methods.xSync;
    methods.xSync = sync;
    file->pMethods = &methods;
    return code;
  }
  FailingSync() {
    real = sqlite3_vfs_find(nullptr);
    shim = *real;
    shim.zName = "failing-sync";
    shim.xOpen = open;
    sqlite3_vfs_register(&shim, 1);
  }
  ~FailingSync() {
    left = -1;
    sqlite3_vfs_register(real, 1);
    sqlite3_vfs_unregister(&shim);
  }
};

TEST_F(DiskFull, ASyncThatFailsStopsTheRunAndNothingAcknowledgedIsLost) {
  std::size_t done = 0;
  {
    const FailingSync vfs;
    Database database(at("r.db"), Access::write);
    RunRecorder recorder(database, run_of(500));
    FailingSync::left = 25;
    std::string why;
    std::tie(done, why) = fill(recorder);
    EXPECT_EQ(FailingSync::left, 0) << "no commit has reached the disk";
    EXPECT_THAT(why, HasSubstr("cannot read or write"));
    EXPECT_THAT(why, HasSubstr("safe as run 1"));
  }
  EXPECT_GT(done, 3U);
  // One more may be there: written, and not acknowledged.
  Database database(at("r.db"), Access::read);
  EXPECT_GE(load_run(database, find_run(database, "last")).results.size(), done);
  EXPECT_EQ(integrity(at("r.db")), "ok");
}

// Each acknowledged point costs at least the two flushes of its intent and its outcome: without them a power cut would
// take back what was said to be safe.
TEST_F(DiskFull, EveryPointIsFlushedTwice) {
  const FailingSync vfs;
  Database database(at("r.db"), Access::write);
  RunRecorder recorder(database, run_of(20));
  FailingSync::left = 1'000'000;
  for (std::size_t i = 0; i < 20; ++i) record(recorder, i, result_at(i, random_));
  EXPECT_GE(1'000'000 - FailingSync::left, 40);
}

}  // namespace
}  // namespace warpclock::store
