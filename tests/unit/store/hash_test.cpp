#include "store/hash.hpp"

#include <fstream>

#include "core/errors.hpp"
#include "fixture.hpp"

namespace warpclock::store {
namespace {

std::string hash(std::string_view text) {
  Hash out;
  out.add(text);
  return out.text();
}

// Values of the authors: http://www.isthe.com/chongo/src/fnv/test_fnv.c
TEST(Hash, IsFnv1a) {
  EXPECT_EQ(hash(""), "cbf29ce484222325");
  EXPECT_EQ(hash("a"), "af63dc4c8601ec8c");
  EXPECT_EQ(hash("foobar"), "85944171f73967e8");
}

TEST_F(StoreTest, TheHashOfAFileIsThatOfItsContentWhateverItsSize) {
  const std::string content(200'001, 'x');  // more than a block
  std::ofstream(at("program")) << content;
  EXPECT_EQ(hash_of_file(at("program")), hash(content));
  EXPECT_THROW(static_cast<void>(hash_of_file(at("missing"))), DataError);
}

}  // namespace
}  // namespace warpclock::store
