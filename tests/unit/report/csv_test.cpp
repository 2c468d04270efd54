// F76: CSV is read back by an RFC 4180 reader written for this test alone, to six digits and more.
#include "report/csv.hpp"

#include <gtest/gtest.h>

#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "fixture.hpp"
#include "report/utf8.hpp"

namespace warpclock::report {
namespace {

using Row = std::vector<std::string>;

/// Reads strictly: a quote may only open a cell, and only a comma or a line end may follow the closing one.
std::vector<Row> read_csv(const std::string& text) {
  std::vector<Row> rows{{}};
  std::string cell;
  std::size_t i = 0;
  while (i < text.size()) {
    cell.clear();
    if (text[i] == '"') {
      for (++i;; ++i) {
        if (i >= text.size()) throw std::runtime_error("open quote");
        if (text[i] == '"' && text[i + 1] != '"') break;
        if (text[i] == '"') ++i;
        cell += text[i];
      }
      ++i;
    } else {
      for (; i < text.size() && text[i] != ',' && text[i] != '\r'; ++i) {
        if (text[i] == '"' || text[i] == '\n') throw std::runtime_error("bare quote or line break");
        cell += text[i];
      }
    }
    rows.back().push_back(cell);
    if (text.compare(i, 2, "\r\n") == 0) {
      rows.emplace_back();
      i += 2;
    } else if (i < text.size() && text[i] == ',') {
      ++i;
    } else {
      throw std::runtime_error("cell is followed by something else");
    }
  }
  rows.pop_back();
  return rows;
}

std::vector<std::map<std::string, std::string>> records(const Run& run) {
  const auto rows = read_csv(csv(run.environment, run.results));
  std::vector<std::map<std::string, std::string>> out;
  for (std::size_t r = 1; r < rows.size(); ++r) {
    EXPECT_EQ(rows[r].size(), rows[0].size());
    auto& record = out.emplace_back();
    for (std::size_t c = 0; c < rows[r].size(); ++c) {
      EXPECT_TRUE(record.emplace(rows[0][c], rows[r][c]).second) << "two columns are called " << rows[0][c];
    }
  }
  return out;
}

double number(const std::string& text) {
  double out = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  EXPECT_TRUE(error == std::errc{} && end == text.data() + text.size()) << "'" << text << "' is no number";
  return out;
}

TEST(Csv, EveryNumberReadsBackAsTheSameDouble) {
  const GermanLocale german;
  const auto run = plausible();
  const auto rows = records(run);
  ASSERT_EQ(rows.size(), run.results.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto& result = run.results[i];
    if (!result.kernel_time_ns) {
      EXPECT_EQ(rows[i].at("kernel_time_ns"), "");
      continue;
    }
    EXPECT_EQ(number(rows[i].at("kernel_time_ns")), result.kernel_time_ns->median.value);
    EXPECT_EQ(number(rows[i].at("kernel_time_low_ns")), result.kernel_time_ns->median.low);
    EXPECT_EQ(number(rows[i].at("call_time_high_ns")), result.call_time_ns->median.high);
    EXPECT_EQ(number(rows[i].at("headline_ns")), result.headline_summary()->median.value);
    EXPECT_EQ(number(rows[i].at("bytes_read")), result.work.bytes_read);
    EXPECT_NEAR(number(rows[i].at("gb_per_s")) * result.headline_summary()->median.value, result.work.bytes(), 1);
  }
}

TEST(Csv, EveryAxisIsAColumnOfItsOwn) {
  const auto rows = records(plausible());
  EXPECT_EQ(rows.front().at("M"), "2");
  EXPECT_EQ(rows.front().at("dtype"), "bf16");
  EXPECT_EQ(rows.front().at("rows"), "");  // softmax has it, gemm does not
  EXPECT_EQ(rows.back().at("rows"), "65536");
  EXPECT_EQ(rows.back().at("M"), "");
}

TEST(Csv, HostileNamesAndNumbersSurvive) {
  const GermanLocale german;
  const auto run = hostile();
  const auto rows = records(run);
  ASSERT_EQ(rows.size(), run.results.size());
  EXPECT_EQ(rows[0].at("benchmark"), valid_utf8(run.results[0].benchmark));
  EXPECT_EQ(rows[0].at("error"), "line one\r\nline two\x07");
  EXPECT_EQ(rows[0].at("n,1"), "1");
  EXPECT_EQ(rows[0].at("axis_status"), "a\"b");  // an axis called like a column of ours
  EXPECT_EQ(rows[0].at("status"), "wrong");
  EXPECT_EQ(rows[0].at("\xC3\xB6"), " blank ");
  EXPECT_EQ(rows[0].at("big"), "9223372036854775807");
  EXPECT_EQ(rows[0].at("seed"), "18446744073709551615");
  EXPECT_EQ(number(rows[0].at("kernel_time_ns")), 1e-9);
  EXPECT_EQ(rows[1].at("kernel_time_ns"), "");       // NaN
  EXPECT_EQ(rows[1].at("kernel_time_high_ns"), "");  // infinity
  EXPECT_EQ(rows[1].at("tflop_per_s"), "");
  EXPECT_EQ(number(rows[2].at("kernel_time_ns")), 1234567890.123);
  EXPECT_EQ(number(rows[3].at("kernel_time_ns")), std::numeric_limits<double>::max());
}

TEST(Csv, FailedRowsAreThereWithTheirError) {
  const auto rows = records(plausible());
  EXPECT_EQ(rows[4].at("status"), "failed");
  EXPECT_EQ(rows[4].at("error"), "kernel wrote 64 bytes behind the end of C; run it under compute-sanitizer");
  EXPECT_EQ(rows[4].at("headline_ns"), "");
}

}  // namespace
}  // namespace warpclock::report
