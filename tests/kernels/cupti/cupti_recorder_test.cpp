#include "kernels/cuda/cupti/cupti_recorder.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "tests/stand_ins/fake_cupti.h"

namespace quintet::kernels::cuda {
namespace {

std::unique_ptr<ActivityRecorder> recorder(const BufferCount& count = {4, 1024}) {
  OpenedRecorder opened = make_cupti_recorder(fake_functions(), count);
  EXPECT_EQ(opened.why_not, "");
  return std::move(opened.recorder);
}

std::vector<std::uint32_t> calls_of(const DeviceRecords& records) {
  std::vector<std::uint32_t> calls;
  for (const Activity& each : records.activities) calls.push_back(each.call);
  return calls;
}

TEST(CuptiRecorder, AsksForWhatItNeedsAndNoMore) {
  const FakeCupti& cupti = fresh_cupti();
  const auto made = recorder();
  EXPECT_EQ(made->in_words(), "CUPTI 13.0.1");
  // KERNEL would put kernels in a row; RUNTIME and DRIVER would record every call.
  EXPECT_EQ(cupti.kinds,
            (std::set<CUpti_ActivityKind>{CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_MEMSET,
                                          CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
                                          CUPTI_ACTIVITY_KIND_OVERHEAD, CUPTI_ACTIVITY_KIND_MEMCPY2,
                                          CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION}));
  EXPECT_TRUE(cupti.runtime_calls.contains(CUPTI_RUNTIME_TRACE_CBID_cudaGraphLaunch_v10000));
  EXPECT_TRUE(cupti.driver_calls.contains(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel));
  EXPECT_FALSE(cupti.runtime_calls.contains(CUPTI_RUNTIME_TRACE_CBID_cudaMalloc_v3020));
  EXPECT_TRUE(cupti.zeroed_buffers);
}

// A span of the host and a kernel's record must be on one clock.
TEST(CuptiRecorder, GivesItsClockBeforeAnythingIsEnabled) {
  const FakeCupti& cupti = fresh_cupti();
  const auto made = recorder();
  EXPECT_TRUE(cupti.clock_came_first);
  using std::chrono::nanoseconds;
  using std::chrono::steady_clock;
  const auto before = nanoseconds(steady_clock::now().time_since_epoch()).count();
  const auto told = static_cast<std::int64_t>(cupti.clock());
  const auto after = nanoseconds(steady_clock::now().time_since_epoch()).count();
  EXPECT_LE(before, told);
  EXPECT_LE(told, after);
}

TEST(CuptiRecorder, SaysInPlainWordsWhyItCannotRecord) {
  FakeCupti& taken = fresh_cupti();
  taken.subscribing = CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
  taken.kinds = {CUPTI_ACTIVITY_KIND_MARKER};  // the other tool's
  EXPECT_EQ(make_cupti_recorder(fake_functions()).why_not,
            "CUPTI cannot be used: another tool has taken it (Nsight, a debugger, another "
            "profiler)");
  EXPECT_EQ(taken.kinds, std::set{CUPTI_ACTIVITY_KIND_MARKER});

  FakeCupti& forbidden = fresh_cupti();
  forbidden.enabling = {{CUPTI_ACTIVITY_KIND_MEMCPY2, CUPTI_ERROR_INSUFFICIENT_PRIVILEGES}};
  EXPECT_EQ(make_cupti_recorder(fake_functions()).why_not,
            "CUPTI cannot be used: this user may not profile the GPU: the driver keeps that to "
            "administrators (NVreg_RestrictProfilingToAdminUsers)");
  EXPECT_EQ(forbidden.kinds, std::set<CUpti_ActivityKind>{});  // what was enabled is so no more
  EXPECT_FALSE(forbidden.subscribed);

  fresh_cupti().subscribing = CUPTI_ERROR_UNKNOWN;
  EXPECT_EQ(make_cupti_recorder(fake_functions()).why_not,
            "CUPTI cannot be used: it says CUPTI_ERROR_UNKNOWN (999)");
}

TEST(CuptiRecorder, IsTheOnlyOneOfItsProcess) {
  fresh_cupti();
  auto first = recorder();
  EXPECT_EQ(make_cupti_recorder(fake_functions()).why_not,
            "CUPTI cannot be used: this process records already");
  first.reset();
  EXPECT_NE(recorder(), nullptr);
}

// Three kernels to a buffer of 1024 bytes (216 each, with a purpose of 24 before each).
TEST(CuptiRecorder, CollectsWhatManyBuffersHoldOnce) {
  FakeCupti& cupti = fresh_cupti();
  const auto made = recorder();
  for (std::uint32_t call = 1; call <= 10; ++call) {
    cupti.record(purpose_record(call, 100 + call));
    cupti.record(kernel_record(call, 10 * call, 10 * call + 5));
  }
  const DeviceRecords records = made->collect();
  EXPECT_EQ(calls_of(records), (std::vector<std::uint32_t>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}));
  EXPECT_EQ(records.purposes.size(), 10u);
  EXPECT_EQ(records.dropped, 0u);
  EXPECT_EQ(made->collect(), DeviceRecords());
  EXPECT_EQ(cupti.flushes, (std::vector<std::uint32_t>{0, 0}));
}

// 4 buffers of 4 kernels each; the other 4 find no room. Buffers that were read are used again.
TEST(CuptiRecorder, LosesWhatItsBuffersHaveNoRoomForAndSaysSo) {
  FakeCupti& cupti = fresh_cupti();
  const auto made = recorder();
  for (int round = 0; round < 2; ++round) {
    for (std::uint32_t call = 1; call <= 20; ++call) cupti.record(kernel_record(call, 1, 2));
    const DeviceRecords records = made->collect();
    EXPECT_EQ(records.activities.size(), 16u);
    EXPECT_EQ(records.dropped, 4u);
  }
}

TEST(CuptiRecorder, GivesOnlyZeroedBuffers) {
  FakeCupti& cupti = fresh_cupti();
  const auto made = recorder({1, 1024});
  for (int round = 0; round < 2; ++round) {
    std::uint8_t* buffer = nullptr;
    std::size_t size = 0, most = 7;
    cupti.request(&buffer, &size, &most);
    ASSERT_NE(buffer, nullptr);
    EXPECT_EQ(size, 1024u);
    EXPECT_EQ(most, 0u);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer) % 8, 0u);
    EXPECT_EQ(std::vector<std::uint8_t>(buffer, buffer + size), std::vector<std::uint8_t>(1024));
    const CUpti_ActivityKernel10 kernel = kernel_record(1, 2, 3);
    std::memcpy(buffer, &kernel, sizeof(kernel));
    cupti.completed(nullptr, 0, buffer, size, sizeof(kernel));
    EXPECT_EQ(made->collect().activities.size(), 1u);
  }
}

TEST(CuptiRecorder, TellsOfABufferThatWasCutAndOfAFlushThatFailed) {
  FakeCupti& cupti = fresh_cupti();
  const auto made = recorder();
  cupti.record(kernel_record(1, 2, 3));
  cupti.record(kernel_record(2, 4, 5));
  cupti.complete(100);
  cupti.flushing = CUPTI_ERROR_UNKNOWN;
  const DeviceRecords records = made->collect();
  EXPECT_EQ(calls_of(records), std::vector<std::uint32_t>{1});
  EXPECT_EQ(records.broken, 1u);
  EXPECT_EQ(records.trouble,
            "CUPTI did not give up its records: it says CUPTI_ERROR_UNKNOWN (999)");
}

TEST(CuptiRecorder, PushesAndPopsPurposes) {
  const FakeCupti& cupti = fresh_cupti();
  const auto made = recorder();
  made->begin(8);
  made->begin(9);
  EXPECT_EQ(cupti.purposes, (std::vector<std::uint64_t>{8, 9}));
  made->end();
  EXPECT_EQ(cupti.purposes, std::vector<std::uint64_t>{8});
  made->end();
  EXPECT_EQ(cupti.purposes, std::vector<std::uint64_t>{});
}

// Nodes 1 and 2 are captured for purposes 5 and 6, node 3 for none. The graph that runs has clones
// of them, 101 to 103, which are created before they are said to be clones.
TEST(CuptiRecorder, KnowsWhatTheNodesOfAGraphWereCapturedFor) {
  FakeCupti& cupti = fresh_cupti();
  const auto made = recorder();
  for (const std::uint64_t node : {1, 2}) {
    made->begin(4 + node);
    cupti.node_created(node);
    made->end();
  }
  cupti.node_created(3);
  for (const std::uint64_t node : {1, 2, 3}) {
    cupti.node_created(100 + node);
    cupti.node_cloned(100 + node, node);
  }
  for (const std::uint64_t node : {103, 102, 101, 999}) {
    CUpti_ActivityKernel10 kernel = kernel_record(50, 10, 20);
    kernel.graphNodeId = node;
    cupti.record(kernel);
  }
  std::vector<std::uint64_t> captured_for;
  for (const Activity& each : made->collect().activities) captured_for.push_back(each.captured_for);
  EXPECT_EQ(captured_for, (std::vector<std::uint64_t>{0, 6, 5, 0}));
}

// Purposes are a thread's own: what another captures meanwhile is not for this one's.
TEST(CuptiRecorder, KeepsThePurposesOfThreadsApart) {
  FakeCupti& cupti = fresh_cupti();
  const auto made = recorder();
  made->begin(5);
  std::thread([&cupti] { cupti.node_created(1); }).join();
  made->end();
  CUpti_ActivityKernel10 kernel = kernel_record(50, 10, 20);
  kernel.graphNodeId = 1;
  cupti.record(kernel);
  EXPECT_EQ(made->collect().activities.at(0).captured_for, 0u);
}

TEST(CuptiRecorder, StopsOnceAndForAll) {
  FakeCupti& cupti = fresh_cupti();
  const auto made = recorder();
  cupti.record(kernel_record(1, 2, 3));
  EXPECT_EQ(calls_of(made->stop()), std::vector<std::uint32_t>{1});
  EXPECT_EQ(cupti.kinds, std::set<CUpti_ActivityKind>{});
  EXPECT_EQ(cupti.runtime_calls, std::set<CUpti_CallbackId>{});
  EXPECT_EQ(cupti.driver_calls, std::set<CUpti_CallbackId>{});
  EXPECT_EQ(cupti.flushes, std::vector<std::uint32_t>{CUPTI_ACTIVITY_FLAG_FLUSH_FORCED});
  made->begin(5);
  made->end();
  EXPECT_EQ(cupti.purposes, std::vector<std::uint64_t>{});
  EXPECT_EQ(made->collect(), DeviceRecords());
  EXPECT_EQ(made->stop(), DeviceRecords());
  EXPECT_EQ(cupti.flushes.size(), 1u);
}

// A buffer may come back when nobody records any more.
TEST(CuptiRecorder, IsGoneWhenALateBufferComesBack) {
  FakeCupti& cupti = fresh_cupti();
  auto made = recorder();
  std::uint8_t* late = nullptr;
  std::size_t size = 0, most = 0;
  cupti.request(&late, &size, &most);
  made.reset();
  late[0] = 1;  // the memory is still there
  cupti.completed(nullptr, 0, late, size, 8);
  cupti.request(&late, &size, &most);
  EXPECT_EQ(late, nullptr);
}

}  // namespace
}  // namespace quintet::kernels::cuda
