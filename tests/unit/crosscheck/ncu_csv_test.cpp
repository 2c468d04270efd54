// ncu's table as it really comes: among other output, in scaled units, with thousands and gaps. A unit or a comma read
// wrongly is a figure wrong by a thousand.
#include "crosscheck/ncu_csv.hpp"

#include <gmock/gmock.h>

#include <clocale>
#include <locale>

#include "core/errors.hpp"

namespace warpclock {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* heading =
    R"("ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC",)"
    R"("dram__bytes_read.sum","dram__bytes_write.sum","gpu__time_duration.sum","sm__cycles_elapsed.avg.per_second","sm__cycles_elapsed.max")"
    "\n";

std::string row(const std::string& id, const std::string& name, const std::string& metrics) {
  return "\"" + id + R"x(","4242","warpclock","127.0.0.1",")x" + name +
         R"x(","1","13","(256, 1, 1)","(132, 1, 1)","0","9.0",)x" + metrics + "\n";
}

std::string units(const std::string& metrics) { return R"("","","","","","","","","","","",)" + metrics + "\n"; }

template <class Call>
std::string refusal(const Call& call) {
  try {
    (void)call();
  } catch (const DataError& error) {
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return "";
}

TEST(NcuCsv, BaseUnitsWithThousandsAmongOtherOutput) {
  const std::string output =
      "==PROF== Connected to process 4242 (/tmp/warpclock)\n"
      "gemm M=2: 5 warm-up calls, 2 calls marked by cuProfilerStart/Stop\n"
      "==PROF== Profiling \"nvjet_tst\" - 0: 0%....50%....100% - 1 pass\n"
      "==PROF== Disconnected from process 4242\n" +
      std::string(heading) + units(R"("byte","byte","ns","hz","cycle")") +
      row("0", "nvjet_tst", R"("99,644,160","60,672","29,792","1,836,464,426.12","54,711")") +
      "==WARNING== something in between\n" +
      row("1", "nvjet_tst", R"("99,648,512","57,088","29,632","1,836,980,375.34","54,431")");
  const auto kernels = parse_ncu_csv(output);
  ASSERT_EQ(kernels.size(), 2U);
  EXPECT_EQ(kernels[0].name, "nvjet_tst");
  EXPECT_EQ(kernels[0].time_ns, 29792);
  EXPECT_EQ(kernels[0].cycles, 54711);
  EXPECT_NEAR(*kernels[0].clock_mhz, 1836.46442612, 1e-6);
  EXPECT_EQ(kernels[0].dram_read_bytes, 99644160);
  EXPECT_EQ(kernels[0].dram_written_bytes, 60672);
  EXPECT_EQ(kernels[1].time_ns, 29632);
}

TEST(NcuCsv, ScaledUnitsOfNewerAndOlderReleases) {
  const auto one = [](const std::string& unit_row, const std::string& values) {
    return parse_ncu_csv(heading + units(unit_row) + row("0", "k", values)).at(0);
  };
  const NcuKernel wanted{"k", 2'500, 4'000, 1'600, 1'500'000, 2'000};
  EXPECT_EQ(one(R"("Mbyte","Kbyte","us","Ghz","cycle")", R"("1.50","2.00","2.50","1.60","4,000")"), wanted);
  EXPECT_EQ(one(R"("Mbyte","byte","usecond","cycle/nsecond","cycle")", R"("1.5","2,000","2.5","1.6","4000")"), wanted);
  EXPECT_EQ(one(R"("Kbyte","byte","ms","MHz","Kcycle")", R"("1,500","2000","0.0025","1,600","4")"), wanted);
  EXPECT_EQ(one(R"("byte","byte","second","cycle/s","cycle")", R"("1500000","2000","2.5e-06","1.6e9","4000")"), wanted);
}

TEST(NcuCsv, WhatCouldNotBeMeasuredIsAbsentAndNotZero) {
  const auto kernels = parse_ncu_csv(heading + units(R"("byte","byte","ns","hz","cycle")") +
                                     row("0", "k", R"("n/a","","1,000","n/a","n/a")"));
  EXPECT_THAT(kernels, ElementsAre(NcuKernel{.name = "k", .time_ns = 1000}));
}

TEST(NcuCsv, ColumnsThatAreNotThereAreAbsent) {
  const auto kernels = parse_ncu_csv(
      "\"ID\",\"Kernel Name\",\"gpu__time_duration.sum\"\n\"\",\"\",\"us\"\n"
      "\"0\",\"void k<int, 4>(T1 *, \"\"odd\"\")\",\"1.25\"\n");
  EXPECT_THAT(kernels, ElementsAre(NcuKernel{.name = "void k<int, 4>(T1 *, \"odd\")", .time_ns = 1250}));
}

TEST(NcuCsv, NoTableIsNoKernels) {
  EXPECT_THAT(parse_ncu_csv(""), IsEmpty());
  EXPECT_THAT(parse_ncu_csv("==PROF== Connected\n==WARNING== No kernels were profiled.\n"), IsEmpty());
  EXPECT_THAT(parse_ncu_csv("ID,not,quoted\n"), IsEmpty());
}

TEST(NcuCsv, GarbageIsRefusedWithWhatIsWrong) {
  const std::string good = heading + units(R"("byte","byte","ns","hz","cycle")");
  const auto why = [](const std::string& text) { return refusal([&] { return parse_ncu_csv(text); }); };
  EXPECT_THAT(why(good + row("0", "k", R"("1","1","soon","1","1")")),
              HasSubstr("'soon' in column gpu__time_duration.sum"));
  EXPECT_THAT(why(good + row("0", "k", R"("1","1","-5","1","1")")), HasSubstr("'-5'"));
  EXPECT_THAT(why(good + row("0", "k", R"("1","1","1e999","1","1")")), HasSubstr("is no number"));
  EXPECT_THAT(why(good + row("0", "k", R"("1","1","5ns","1","1")")), HasSubstr("'5ns'"));
  EXPECT_THAT(
      why(heading + units(R"("byte","byte","fortnight","hz","cycle")") + row("0", "k", R"("1","1","1","1","1")")),
      HasSubstr("unknown unit 'fortnight'"));
  EXPECT_THAT(why(good + "\"0\",\"cut"), HasSubstr("cannot be read"));  // the quote never ends
  EXPECT_THAT(why(good + "\"0\",\"1\"\n"), HasSubstr("2 fields and its heading 16"));
  EXPECT_THAT(why(good + "\"0\"x,\"1\"\n"), HasSubstr("cannot be read"));
  EXPECT_THAT(why(heading), HasSubstr("no row"));
  EXPECT_THAT(why(heading + row("0", "k", R"("1","1","1","1","1")")), HasSubstr("no row of units"));
  EXPECT_THAT(why("\"ID\",\"Kernel Name\"\n\"\",\"\"\n"), HasSubstr("no column gpu__time_duration.sum"));
  EXPECT_THAT(why("\"ID\",\"gpu__time_duration.sum\"\n\"\",\"ns\"\n"), HasSubstr("no column 'Kernel Name'"));
}

/// Under decimal commas "1.5" must not become 1.
TEST(NcuCsv, TheLocaleIsNotAsked) {
  struct Comma : std::numpunct<char> {
    [[nodiscard]] char do_decimal_point() const override { return ','; }
  };
  const auto before = std::locale::global(std::locale(std::locale(), new Comma));
  const auto kernels =
      parse_ncu_csv("\"ID\",\"Kernel Name\",\"gpu__time_duration.sum\"\n\"\",\"\",\"us\"\n\"0\",\"k\",\"1.5\"\n");
  std::locale::global(before);
  EXPECT_EQ(kernels.at(0).time_ns, 1500);
}

}  // namespace
}  // namespace warpclock
