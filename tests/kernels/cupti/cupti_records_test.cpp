// Records as data: read by the stand-in's walk over a buffer, and by CUPTI's own where it opens
// (it walks buffers without a GPU).
#include "kernels/cuda/cupti/cupti_records.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "kernels/cuda/cupti/cupti_library.h"
#include "tests/stand_ins/fake_cupti.h"

namespace quintet::kernels::cuda {
namespace {

// 8-byte-aligned, as CUPTI's are.
class Buffer {
 public:
  template <class Record>
  void add(const Record& record) {
    static_assert(sizeof(record) % 8 == 0);
    words_.resize((used_ + sizeof(record)) / 8);
    std::memcpy(reinterpret_cast<std::uint8_t*>(words_.data()) + used_, &record, sizeof(record));
    used_ += sizeof(record);
  }
  FullBuffer full(std::size_t missing = 0) {
    return {reinterpret_cast<std::uint8_t*>(words_.data()), used_ - missing};
  }

 private:
  std::vector<std::uint64_t> words_;
  std::size_t used_ = 0;
};

struct Walker {
  const char* name;
  OpenedCupti (*open)();
};

void PrintTo(const Walker& walker, std::ostream* out) {
  *out << walker.name;
}

OpenedCupti stand_in() {
  return {fake_functions(), "stand-in", {}};
}

OpenedCupti of_this_machine() {
  return open_cupti(cupti_places([](const char* name) -> std::optional<std::string> {
    const char* const value = std::getenv(name);
    return value == nullptr ? std::nullopt : std::optional<std::string>(value);
  }));
}

class Records : public testing::TestWithParam<Walker> {
 protected:
  void SetUp() override {
    OpenedCupti opened = GetParam().open();
    if (!opened.functions) GTEST_SKIP() << "no CUPTI on this machine: " << opened.why_not;
    cupti_ = *opened.functions;
  }
  DeviceRecords read(Buffer& buffer, std::size_t missing = 0) const {
    DeviceRecords records;
    read_records(cupti_, buffer.full(missing), records);
    return records;
  }

 private:
  CuptiFunctions cupti_;
};

template <class Copy>
Copy copy_record(CUpti_ActivityKind kind) {
  Copy record{};
  record.kind = kind;
  record.bytes = 4096;
  record.start = 300;
  record.end = 350;
  record.deviceId = 1;
  record.streamId = 9;
  record.correlationId = 12;
  record.graphNodeId = 77;
  return record;
}

Activity copied(ActivityKind kind) {
  return {.kind = kind,
          .start = 300,
          .end = 350,
          .device = 1,
          .stream = 9,
          .call = 12,
          .graph_node = 77,
          .bytes = 4096};
}

TEST_P(Records, OfEveryKindAreRead) {
  Buffer buffer;
  buffer.add(purpose_record(11, 5));
  buffer.add(call_record(11, 90, 95));
  CUpti_ActivityKernel10 kernel = kernel_record(11, 100, 250, "_Z4gemmPf");
  kernel.deviceId = 1;
  kernel.streamId = 7;
  buffer.add(kernel);
  buffer.add(copy_record<CUpti_ActivityMemcpy6>(CUPTI_ACTIVITY_KIND_MEMCPY));
  buffer.add(copy_record<CUpti_ActivityMemcpyPtoP4>(CUPTI_ACTIVITY_KIND_MEMCPY2));
  buffer.add(copy_record<CUpti_ActivityMemset4>(CUPTI_ACTIVITY_KIND_MEMSET));
  CUpti_ActivityOverhead3 overhead{};
  overhead.kind = CUPTI_ACTIVITY_KIND_OVERHEAD;
  overhead.overheadKind = CUPTI_ACTIVITY_OVERHEAD_CUPTI_BUFFER_FLUSH;
  overhead.start = 400;
  overhead.end = 410;
  overhead.overheadData = std::malloc(8);  // the reader's to free: the leak check would tell
  buffer.add(overhead);

  DeviceRecords expected;
  expected.activities = {
      {.start = 100, .end = 250, .device = 1, .stream = 7, .call = 11, .name = "_Z4gemmPf"},
      copied(ActivityKind::copy),
      copied(ActivityKind::peer_copy),
      copied(ActivityKind::fill)};
  expected.purposes = {{11, 5}};
  expected.costs = {{"flush of records", 400, 410}};
  EXPECT_EQ(read(buffer), expected);
}

TEST_P(Records, OfOtherKindsArePassedOver) {
  Buffer buffer;
  CUpti_ActivitySynchronization2 waited{};
  waited.kind = CUPTI_ACTIVITY_KIND_SYNCHRONIZATION;
  buffer.add(waited);
  CUpti_ActivityExternalCorrelation of_another_tool = purpose_record(3, 4);
  of_another_tool.externalKind = CUPTI_EXTERNAL_CORRELATION_KIND_OPENACC;
  buffer.add(of_another_tool);
  buffer.add(kernel_record(1, 2, 3));
  const DeviceRecords records = read(buffer);
  EXPECT_EQ(records.purposes, std::vector<CallPurpose>{});
  ASSERT_EQ(records.activities.size(), 1u);
  EXPECT_EQ(records.activities[0].end, 3);
}

// CUPTI itself takes a cut record for the end of the buffer, whatever its header says.
TEST_P(Records, UpToTheEndOfATruncatedBufferAreKept) {
  Buffer buffer;
  buffer.add(kernel_record(1, 10, 20));
  buffer.add(kernel_record(2, 30, 40));
  const DeviceRecords records = read(buffer, 8);
  ASSERT_EQ(records.activities.size(), 1u);
  EXPECT_EQ(records.activities[0].call, 1u);
}

TEST_P(Records, AfterOneThatIsNoneAreLostAndCounted) {
  Buffer buffer;
  buffer.add(kernel_record(1, 10, 20));
  CUpti_ActivityKernel10 none = kernel_record(2, 30, 40);
  none.kind = CUPTI_ACTIVITY_KIND_INVALID;
  buffer.add(none);
  buffer.add(kernel_record(3, 50, 60));
  const DeviceRecords records = read(buffer);
  ASSERT_EQ(records.activities.size(), 1u);
  EXPECT_EQ(records.activities[0].call, 1u);
  EXPECT_EQ(records.broken, 1u);
}

TEST_P(Records, OfAnEmptyBufferAreNone) {
  Buffer buffer;
  EXPECT_EQ(read(buffer), DeviceRecords());
}

INSTANTIATE_TEST_SUITE_P(, Records,
                         testing::Values(Walker{"StandIn", stand_in},
                                         Walker{"Cupti", of_this_machine}),
                         [](const auto& with) { return with.param.name; });

}  // namespace
}  // namespace quintet::kernels::cuda
