#include "traces/workload/rank_tasks.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace quintet {
namespace {

// A trace in the making: two streams (rows 0 and 1) and two threads (rows 2 and 3).
class Trace {
 public:
  Trace() {
    trace_.rows = {{RecordedRow::Kind::stream, 0, 7, "stream 7"},
                   {RecordedRow::Kind::stream, 0, 20, "stream 20"},
                   {RecordedRow::Kind::thread, -1, 100, "thread 100"},
                   {RecordedRow::Kind::thread, -1, 101, "thread 101"}};
    trace_.groups = {{"0", "", {0, 1}, 2}};
    trace_.communications = {{.kind = CommunicationKind::all_reduce, .size = Bytes{8}, .group = 0}};
  }

  Trace& event(const std::string& name, EventKind kind, std::int32_t row, std::int64_t start,
               std::int64_t end, std::int64_t correlation = -1, std::int32_t facts = -1) {
    trace_.names.push_back(name);
    trace_.events.push_back({start, end - start, correlation, -1,
                             static_cast<std::int32_t>(trace_.names.size()) - 1, row, facts, kind});
    return *this;
  }
  std::int32_t wait(const RecordedWait& wait) {
    trace_.waits.push_back(wait);
    return static_cast<std::int32_t>(trace_.waits.size()) - 1;
  }

  // Of each task its name, what it is after by name.
  std::map<std::string, std::vector<std::string>> after() {
    put_in_order(trace_);
    const RankTasks tasks = rank_tasks(trace_, {0, 1'000'000'000});
    const auto name = [&](const TaskDraft& draft) {
      return trace_.names[static_cast<std::size_t>(
          trace_.events[static_cast<std::size_t>(draft.event)].name)];
    };
    std::map<std::string, std::vector<std::string>> all;
    for (const TaskDraft& draft : tasks.drafts) {
      std::vector<std::string>& names = all[name(draft)];
      for (const std::int32_t other : draft.after)
        names.push_back(name(tasks.drafts[static_cast<std::size_t>(other)]));
    }
    return all;
  }

 private:
  RankTrace trace_;
};

using After = std::map<std::string, std::vector<std::string>>;

TEST(RankTasks, AKernelIsAfterItsLaunch) {
  EXPECT_EQ(Trace()
                .event("launch", EventKind::launch, 2, 10, 15, 1)
                .event("kernel", EventKind::kernel, 0, 40, 90, 1)
                .after(),
            (After{{"launch", {}}, {"kernel", {"launch"}}}));
}

TEST(RankTasks, AStreamThatWaitsForAnEventIsAfterWhatItWasRecordedBehind) {
  Trace trace;
  const std::int32_t waits =
      trace.wait({RecordedWait::Kind::stream_waits_event, 20, /*recorded_by=*/2, /*on=*/7});
  EXPECT_EQ(trace.event("launch a", EventKind::launch, 2, 10, 15, 1)
                .event("cudaEventRecord", EventKind::call, 2, 20, 22, 2)
                .event("launch b", EventKind::launch, 2, 30, 35, 3)  // behind the event
                .event("cudaStreamWaitEvent", EventKind::call, 2, 40, 42, 4, waits)
                .event("launch c", EventKind::launch, 2, 50, 55, 5)
                .event("a", EventKind::kernel, 0, 100, 200, 1)
                .event("b", EventKind::kernel, 0, 200, 300, 3)
                .event("c", EventKind::kernel, 1, 205, 300, 5)
                .after()["c"],
            (std::vector<std::string>{"launch c", "a"}));
}

TEST(RankTasks, ACallThatWaitsForTheDeviceReturnsAfterAllStreams) {
  Trace trace;
  const std::int32_t waits = trace.wait({.kind = RecordedWait::Kind::device});
  EXPECT_EQ(trace.event("launch a", EventKind::launch, 2, 10, 15, 1)
                .event("launch b", EventKind::launch, 2, 20, 25, 2)
                .event("cudaDeviceSynchronize", EventKind::block, 2, 30, 500, 3, waits)
                .event("a", EventKind::kernel, 0, 100, 200, 1)
                .event("b", EventKind::kernel, 1, 100, 480, 2)
                .after()["cudaDeviceSynchronize"],
            (std::vector<std::string>{"a", "b"}));
}

TEST(RankTasks, ACopyThatItsCallWaitsForIsNotAfterThatCall) {
  const After after = Trace()
                          .event("launch a", EventKind::launch, 2, 10, 15, 1)
                          .event("cudaMemcpy", EventKind::launch, 2, 20, 400, 2)
                          .event("a", EventKind::kernel, 0, 30, 200, 1)
                          .event("copy", EventKind::copy, 0, 210, 390, 2)
                          .after();
  EXPECT_EQ(after.at("copy"), (std::vector<std::string>{"launch a"}));
  EXPECT_EQ(after.at("cudaMemcpy"), (std::vector<std::string>{"copy"}));
}

TEST(RankTasks, ThreadsThatTakeTurnsGoOnAfterEachOther) {
  // The second thread works while the first does nothing, as autograd's does.
  const After after = Trace()
                          .event("forward", EventKind::launch, 2, 10, 15, 1)
                          .event("backward 1", EventKind::launch, 3, 100, 110, 2)
                          .event("backward 2", EventKind::launch, 3, 120, 130, 3)
                          .event("update", EventKind::launch, 2, 200, 210, 4)
                          .after();
  EXPECT_EQ(after.at("backward 1"), (std::vector<std::string>{"forward"}));
  EXPECT_EQ(after.at("backward 2"), (std::vector<std::string>{}));
  EXPECT_EQ(after.at("update"), (std::vector<std::string>{"backward 2"}));
}

TEST(RankTasks, WithoutEventsACollectiveIsAfterWhatHadBeenLaunchedBefore) {
  // And what begins 5 us after it ends, long after its launch and its stream's last kernel, after
  // it.
  const After after = Trace()
                          .event("launch a", EventKind::launch, 2, 10, 15, 1)
                          .event("launch sum", EventKind::launch, 2, 20, 25, 2)
                          .event("launch b", EventKind::launch, 2, 30, 35, 3)
                          .event("a", EventKind::kernel, 0, 100, 50'000, 1)
                          .event("sum", EventKind::kernel, 1, 51'000, 300'000, 2, 0)
                          .event("b", EventKind::kernel, 0, 305'000, 400'000, 3)
                          .after();
  EXPECT_EQ(after.at("sum"), (std::vector<std::string>{"launch sum", "a"}));
  EXPECT_EQ(after.at("b"), (std::vector<std::string>{"launch b", "sum"}));
}

TEST(RankTasks, WhatAThreadDoesBetweenItsCallsIsWorkOfTheOperation) {
  // 100 to 200 but for the call from 120 to 130: two pieces.
  Trace trace;
  trace.event("aten::mm", EventKind::operation, 2, 100, 200)
      .event("aten::inner", EventKind::operation, 2, 110, 180)
      .event("launch", EventKind::launch, 2, 120, 130, 1)
      .event("mm", EventKind::kernel, 0, 150, 300, 1);
  const After after = trace.after();
  EXPECT_EQ(after.size(), 3u);  // the inner operation is the outer one's
  EXPECT_TRUE(after.contains("aten::mm"));
}

}  // namespace
}  // namespace quintet
