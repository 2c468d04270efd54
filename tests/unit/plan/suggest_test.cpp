// A suggestion that is far off sends the user to the wrong kernel; none at all leaves him to read the list.
#include "plan/suggest.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace warpclock {
namespace {

TEST(EditDistance, CountsEachKindOfEditOnce) {
  EXPECT_EQ(edit_distance("gemm", "gemm"), 0U);
  EXPECT_EQ(edit_distance("gem", "gemm"), 1U);
  EXPECT_EQ(edit_distance("gemmm", "gemm"), 1U);
  EXPECT_EQ(edit_distance("gamm", "gemm"), 1U);
  EXPECT_EQ(edit_distance("gmem", "gemm"), 1U);  // neighbours swapped; plain Levenshtein says 2
  EXPECT_EQ(edit_distance("", "abc"), 3U);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
  EXPECT_EQ(edit_distance("GEMM", "gemm"), 0U);
}

TEST(Nearest, NamesTheOneThatWasMeantAndNothingWhenNoneIsNear) {
  const std::vector<std::string> known{"add", "copy", "gemm", "softmax"};
  EXPECT_EQ(nearest("gmem", known), "gemm");
  EXPECT_EQ(nearest("soft-max", known), "softmax");
  EXPECT_EQ(nearest("attention", known), std::nullopt);
  EXPECT_EQ(nearest("", known), std::nullopt);
  EXPECT_EQ(nearest("m", {"M", "N"}), "M");  // the right letter in the wrong case wins over any other letter
}

TEST(DidYouMean, ListsWhatThereIsWhereNothingIsNear) {
  EXPECT_EQ(did_you_mean("gmem", {"add", "gemm"}), "did you mean 'gemm'?");
  EXPECT_EQ(did_you_mean("attention", {"add", "gemm"}), "known: add, gemm");
  EXPECT_EQ(did_you_mean("M", {}), "there are none");
}

}  // namespace
}  // namespace warpclock
