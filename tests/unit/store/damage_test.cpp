// A damaged file must never give a wrong number: it is read as it was, or it is an error that says how to look closer.
#include <fstream>
#include <iterator>

#include "core/errors.hpp"
#include "fixture.hpp"

namespace warpclock::store {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;

class Damage : public StoreTest {
 protected:
  void SetUp() override {
    StoreTest::SetUp();
    Database database(at("good.db"), Access::write);
    RunRecorder recorder(database, run_of(8));
    for (std::size_t i = 0; i < 8; ++i) record(recorder, i, results_.emplace_back(result_at(i, random_)));
    // One file without a log beside it.
    database.connection().execute("PRAGMA wal_checkpoint(TRUNCATE)");
    std::ifstream in(at("good.db"), std::ios::binary);
    bytes_.assign(std::istreambuf_iterator<char>(in), {});
  }
  void put(const std::string& bytes) const {
    for (const auto* ending : {"", "-wal", "-shm", "-journal"}) std::filesystem::remove(at("bad.db") + ending);
    std::ofstream(at("bad.db"), std::ios::binary) << bytes;
  }
  /// Reads all of it. Every result that is read is one that was written.
  void read_all() const {
    Database database(at("bad.db"), Access::read);
    for (const auto& run : list_runs(database)) {
      for (const auto& entry : load_run(database, run).results) {
        const bool known =
            std::ranges::any_of(results_, [&](const Result& result) { return same(result, entry.result); });
        EXPECT_TRUE(known) << "a result was read that no one wrote";
      }
    }
  }

  std::vector<Result> results_;
  std::string bytes_;
};

TEST_F(Damage, FlippedBitsAreAnErrorOrDoNotMatter) {
  int refused = 0;
  for (int i = 0; i < 120; ++i) {
    auto bytes = bytes_;
    bytes[random_() % bytes.size()] ^= static_cast<char>(1 << random_() % 8);
    put(bytes);
    refused += message_of([&] { read_all(); }).empty() ? 0 : 1;
  }
  EXPECT_GT(refused, 15);  // most of the file is results
}

TEST_F(Damage, APageOfZeroesNamesTheIntegrityCheck) {
  auto bytes = bytes_;
  for (std::size_t page = 1; page + 1 < bytes.size() / 4096; ++page) bytes.replace(page * 4096, 4096, 4096, '\0');
  put(bytes);
  EXPECT_THAT(message_of([&] { read_all(); }), AllOf(HasSubstr("damaged"), HasSubstr("PRAGMA integrity_check")));
}

TEST_F(Damage, AFileThatWasCutOffIsAnError) {
  put(bytes_.substr(0, bytes_.size() / 2 / 4096 * 4096));
  EXPECT_THAT(message_of([&] { read_all(); }), HasSubstr("PRAGMA integrity_check"));
}

TEST_F(Damage, AChangedSampleIsFoundByTheChecksum) {
  put(bytes_);
  Connection connection(at("bad.db"), SQLITE_OPEN_READWRITE);
  connection.execute("UPDATE samples SET host_ns = zeroblob(length(host_ns)) WHERE length(host_ns) > 0");
  EXPECT_THAT(message_of([&] { read_all(); }), AllOf(HasSubstr("of run 1 is damaged"), HasSubstr("checksum")));
}

}  // namespace
}  // namespace warpclock::store
