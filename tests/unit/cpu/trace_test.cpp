// Activity records of the CPU device.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "backends/cpu/device.hpp"
#include "core/errors.hpp"

namespace warpclock::cpu {
namespace {

using testing::ElementsAre;
using testing::Field;

class CpuTrace : public testing::Test {
 protected:
  std::unique_ptr<CpuDevice> device = make_device();
  CpuStream& stream = device->stream();
};

// Would catch flushes, poison and probes of the harness showing up as kernels of the call.
TEST_F(CpuTrace, OnlyWorkEnqueuedInsideAWindowHasARecord) {
  const auto buffer = device->allocate(4096);
  stream.start_trace();
  stream.fill(*buffer, 1);
  stream.open_window(7);
  stream.launch_spin(microseconds(10));
  stream.fill(*buffer, 2);
  stream.copy(*buffer, *buffer);
  stream.close_window();
  stream.evict(Evict::clean, 4096);
  stream.launch_empty();
  stream.open_window(8);
  stream.launch("mine", [] {});
  stream.close_window();
  const auto records = stream.stop_trace();
  EXPECT_THAT(records, ElementsAre(Field(&Record::name, "spin"), Field(&Record::name, "fill"),
                                   Field(&Record::name, "copy"), Field(&Record::name, "mine")));
  EXPECT_THAT(records, ElementsAre(Field(&Record::kind, "kernel"), Field(&Record::kind, "fill"),
                                   Field(&Record::kind, "copy"), Field(&Record::kind, "kernel")));
  EXPECT_THAT(records, ElementsAre(Field(&Record::window, 7U), Field(&Record::window, 7U), Field(&Record::window, 7U),
                                   Field(&Record::window, 8U)));
  for (std::size_t i = 0; i < records.size(); ++i) {
    EXPECT_LE(records[i].start, records[i].end);
    if (i == 0) continue;
    EXPECT_LE(records[i - 1].end, records[i].start) << "one worker: records cannot overlap";
  }
  EXPECT_GE(records[0].end - records[0].start, microseconds(10));
}

TEST_F(CpuTrace, WithoutTracingThereAreNoRecordsAndASecondTraceStartsEmpty) {
  stream.open_window(1);
  stream.launch_empty();
  stream.close_window();
  stream.start_trace();
  stream.open_window(2);
  stream.launch_empty();
  EXPECT_EQ(stream.stop_trace().size(), 1U);
  stream.start_trace();
  EXPECT_TRUE(stream.stop_trace().empty());
}

// The record is the kernel alone: host time before the launch must not be in it, held or not.
TEST_F(CpuTrace, ARecordCoversTheTaskAndNotTheWaitBeforeIt) {
  Nanoseconds shortest = seconds(1000);
  for (int i = 0; i < 10; ++i) {
    stream.start_trace();
    stream.open_window(0);
    device->host_wait(milliseconds(2));
    stream.launch_spin(microseconds(100));
    const auto records = stream.stop_trace();
    ASSERT_EQ(records.size(), 1U);
    shortest = std::min(shortest, records[0].end - records[0].start);
  }
  EXPECT_GE(shortest, microseconds(100));
  EXPECT_LT(shortest, milliseconds(1));
}

TEST_F(CpuTrace, AFailingKernelEndsTheTraceWithItsErrorAndTheNextOneWorks) {
  stream.start_trace();
  stream.open_window(0);
  stream.launch("bad", [] { throw std::runtime_error("x"); });
  EXPECT_THROW((void)stream.stop_trace(), KernelError);
  stream.start_trace();
  stream.open_window(1);
  stream.launch_empty();
  EXPECT_EQ(stream.stop_trace().size(), 1U);
}

}  // namespace
}  // namespace warpclock::cpu
