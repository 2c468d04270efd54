// One invalid byte in a kernel's name makes a whole results file unreadable.
#include "report/utf8.hpp"

#include <gtest/gtest.h>

#include <string>

namespace warpclock::report {
namespace {

const std::string fffd = "\xEF\xBF\xBD";

TEST(ValidUtf8, KeepsWhatIsValid) {
  for (const std::string text : {"", "plain", "\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x98\x80", "\xF4\x8F\xBF\xBF"}) {
    EXPECT_EQ(valid_utf8(text), text);
  }
}

TEST(ValidUtf8, ReplacesEveryKindOfInvalidByte) {
  EXPECT_EQ(valid_utf8("a\xFF"
                       "b"),
            "a" + fffd + "b");
  EXPECT_EQ(valid_utf8("\x80"), fffd);                                   // continuation without a start
  EXPECT_EQ(valid_utf8("\xC0\xAF"), fffd + fffd);                        // overlong "/"
  EXPECT_EQ(valid_utf8("\xED\xA0\x80"), fffd + fffd + fffd);             // surrogate
  EXPECT_EQ(valid_utf8("\xF4\x90\x80\x80"), fffd + fffd + fffd + fffd);  // beyond U+10FFFF
  EXPECT_EQ(valid_utf8("\xE2\x82"), fffd + fffd);                        // cut short
  EXPECT_EQ(valid_utf8("\xC3z"), fffd + "z");                            // what follows survives
}

TEST(OneLine, NeitherBreaksTheTableNorDrivesTheTerminal) {
  EXPECT_EQ(one_line("a\r\n\tb"), "a b");
  EXPECT_EQ(one_line("a\x1b[31mb"), "a" + fffd + "[31mb");
  EXPECT_EQ(one_line("a\xC2\x9B"
                     "31mb"),
            "a" + fffd + "31mb");  // U+009B starts a sequence as well
  EXPECT_EQ(one_line("\xC2\xB1"), "\xC2\xB1");
}

TEST(Width, CountsCharactersNotBytes) {
  EXPECT_EQ(width("\xC2\xB1"), 1U);
  EXPECT_EQ(width("abc"), 3U);
}

}  // namespace
}  // namespace warpclock::report
