#include "traces/kineto/kineto_writer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <sstream>
#include <tuple>

#include "tests/traces/kineto/scratch_folder.h"
#include "traces/kineto/kineto_reader.h"
#include "traces/workload/rank_tasks.h"
#include "traces/workload/recorded_job.h"

namespace quintet {
namespace {

namespace fs = std::filesystem;

WorkloadTask task(std::int32_t info, std::int64_t start, std::int64_t end,
                  std::int32_t peers = -1) {
  return {.info = info,
          .peers = peers,
          .start = Instant{1000 * start},
          .moving = Instant{1000 * start},
          .end = Instant{1000 * end}};
}

// Rank 1 of 2: a kernel, an all-reduce of its result beside another kernel, a message, a copy, and
// a kernel after all of them. No host: launches are made up.
Workload small_workload() {
  Workload workload;
  workload.name = "small";
  workload.world_size = 2;
  workload.recorded = true;
  workload.end = Instant{9'000'000};
  workload.lanes = {{LaneKind::compute, "compute"},
                    {LaneKind::communication, "stream 20"},
                    {LaneKind::copy, "copies"}};
  workload.infos = {{.name = "mlp \"backward\"", .phase = Phase::backward, .lane = 0},
                    {.name = "all-reduce bucket",
                     .kind = SpanKind::collective,
                     .size = Bytes{2048},
                     .lane = 1,
                     .detail = "ring LL, 8 channels"},
                    {.name = "send forward", .kind = SpanKind::send, .size = Bytes{512}, .lane = 1},
                    {.name = "keep input", .kind = SpanKind::copy, .size = Bytes{4096}, .lane = 2},
                    {.name = "update", .phase = Phase::update, .lane = 0}};
  workload.groups = {{"0", {0, 1}, {0, 1}}};
  workload.ranks.resize(2);
  workload.ranks[0].rank = Rank{0};
  WorkloadRank& rank = workload.ranks[1];
  rank.rank = Rank{1};
  rank.host = "node7";
  rank.peers = {{.type = DataType::bf16, .group = 0, .sequence = 5},
                {.type = DataType::bf16, .sequence = 3, .peer = 0}};
  using After = std::vector<std::int32_t>;
  rank.add(task(0, 0, 1001), After{});
  rank.add(task(0, 1001, 3000), After{});
  rank.add(task(1, 1005, 4000, 0), After{0});
  rank.add(task(2, 4000, 4500, 1), After{});
  rank.add(task(3, 3002, 5000), After{1});
  rank.add(task(4, 5010, 9000), After{2, 3, 4});
  return workload;
}

std::string written(const Workload& workload, std::int32_t rank) {
  std::ostringstream out;
  EXPECT_EQ(write_kineto(out, workload, rank).dependencies_left_out, 0);
  return out.str();
}

RankTrace read_back(const std::string& text) {
  EXPECT_TRUE(is_kineto(text.substr(0, 4096)));
  auto trace = parse_kineto(text, "written");
  EXPECT_TRUE(trace) << (trace ? "" : trace.error().text());
  EXPECT_TRUE(!trace || trace->left_out.empty());
  return trace ? *trace : RankTrace{};
}

const std::string& name_of_event(const RankTrace& trace, const TraceEvent& event) {
  return trace.names[static_cast<std::size_t>(event.name)];
}

bool is_work(const TraceEvent& event) {
  return event.kind == EventKind::kernel || event.kind == EventKind::copy ||
         event.kind == EventKind::fill;
}

using Work = std::tuple<std::string, std::string, std::int64_t, std::int64_t>;

std::vector<Work> work_of(const RankTrace& trace) {
  std::vector<Work> all;
  for (const TraceEvent& event : trace.events)
    if (is_work(event))
      all.emplace_back(trace.rows[static_cast<std::size_t>(event.row)].name,
                       name_of_event(trace, event), event.start, event.end());
  std::sort(all.begin(), all.end());
  return all;
}

TEST(KinetoWriter, WritesWhatIsReadBackWithItsInstants) {
  const RankTrace trace = read_back(written(small_workload(), 1));
  EXPECT_EQ(trace.rank, 1);
  EXPECT_EQ(trace.world_size, 2);
  EXPECT_EQ(trace.host, "node7");
  EXPECT_EQ(trace.zero_nanoseconds, 0);
  const std::vector<Work> expected{
      {"compute", "mlp \"backward\"", 0, 1001},
      {"compute", "mlp \"backward\"", 1001, 3000},
      {"compute", "update", 5010, 9000},
      {"copies", "Memcpy DtoD (Device -> Device)", 3002, 5000},
      {"stream 20", "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
       1005, 4000},
      {"stream 20", "ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)", 4000, 4500}};
  EXPECT_EQ(work_of(trace), expected);
}

TEST(KinetoWriter, TellsCollectivesAndGroups) {
  const RankTrace trace = read_back(written(small_workload(), 1));
  EXPECT_EQ(trace.groups, (std::vector<ProcessGroup>{{"0", "data", {0, 1}, 2},
                                                     {"ranks 0 and 1", "data", {0, 1}, 2}}));
  std::map<std::string, RecordedCommunication> kernels;
  for (const TraceEvent& event : trace.events)
    if (event.kind == EventKind::kernel && is_communication(trace, event))
      kernels[name_of_event(trace, event).substr(0, 22)] =
          trace.communications[static_cast<std::size_t>(event.facts)];
  const RecordedCommunication all_reduce{.kind = CommunicationKind::all_reduce,
                                         .type = DataType::bf16,
                                         .type_known = true,
                                         .elements_in = 1024,
                                         .elements_out = 1024,
                                         .size = Bytes{2048},
                                         .group = 0,
                                         .sequence = 5,
                                         .detail = "ring LL, 8 channels"};
  const RecordedCommunication send{.kind = CommunicationKind::send,
                                   .type = DataType::bf16,
                                   .type_known = true,
                                   .elements_in = 256,
                                   .elements_out = 256,
                                   .size = Bytes{512},
                                   .group = 1,
                                   .sequence = 3,
                                   .peer = 0};
  EXPECT_EQ(kernels.at("ncclDevKernel_AllReduc"), all_reduce);
  EXPECT_EQ(kernels.at("ncclDevKernel_SendRecv"), send);
}

// Per kernel and copy, by its start: the starts of those on other streams that it is after.
std::map<std::int64_t, std::vector<std::int64_t>> waits_between_streams(const RankTrace& trace,
                                                                        const RankTasks& tasks) {
  std::map<std::int64_t, std::vector<std::int64_t>> waits;
  const auto of = [&](const TaskDraft& draft) {
    return trace.events[static_cast<std::size_t>(draft.event)];
  };
  for (const TaskDraft& draft : tasks.drafts) {
    if (!is_work(of(draft))) continue;
    for (const std::int32_t before : draft.after) {
      const TaskDraft& other = tasks.drafts[static_cast<std::size_t>(before)];
      if (is_work(of(other)) && other.row != draft.row)
        waits[of(draft).start].push_back(of(other).start);
    }
    std::sort(waits[of(draft).start].begin(), waits[of(draft).start].end());
  }
  return waits;
}

// The last kernel is after the collective (task 2) through its stream, on which the message (3)
// comes later: of one stream an event behind the later one says both, but each has its own.
TEST(KinetoWriter, TellsWhatStreamsWaitFor) {
  const RankTrace trace = read_back(written(small_workload(), 1));
  const RankTasks tasks = rank_tasks(trace, {0, 1'000'000});
  EXPECT_TRUE(tasks.tells_of_events);
  EXPECT_EQ(tasks.without_launch, 0);
  const std::map<std::int64_t, std::vector<std::int64_t>> expected{
      {0, {}}, {1001, {}}, {1005, {0}}, {3002, {1001}}, {4000, {}}, {5010, {1005, 3002, 4000}}};
  EXPECT_EQ(waits_between_streams(trace, tasks), expected);
}

// A host that launches, and waits for the end.
TEST(KinetoWriter, WritesCallsOfTheHostAsTheyWere) {
  Workload workload;
  workload.recorded = true;
  workload.world_size = 1;
  workload.end = Instant{9'000'000};
  workload.lanes = {{LaneKind::compute, "stream 7"}, {LaneKind::host, "CPU thread 1"}};
  workload.infos = {{.name = "gemm", .lane = 0},
                    {.name = "cudaLaunchKernel", .kind = SpanKind::host, .lane = 1},
                    {.name = "cudaDeviceSynchronize", .kind = SpanKind::host, .lane = 1}};
  WorkloadRank& rank = workload.ranks.emplace_back();
  rank.rank = Rank{0};
  rank.add(task(1, 0, 500), std::vector<std::int32_t>{});
  rank.add(task(0, 600, 2000), std::vector<std::int32_t>{0});
  rank.add(task(2, 500, 2100), std::vector<std::int32_t>{1});
  const RankTrace trace = read_back(written(workload, 0));
  std::vector<std::tuple<std::string, EventKind, std::int64_t, std::int64_t>> calls;
  for (const TraceEvent& event : trace.events)
    if (event.kind == EventKind::launch || event.kind == EventKind::block ||
        event.kind == EventKind::call)
      calls.emplace_back(name_of_event(trace, event), event.kind, event.start, event.end());
  // An event is recorded behind the launch: both calls lose 1 ns to it.
  const std::vector<std::tuple<std::string, EventKind, std::int64_t, std::int64_t>> expected{
      {"cudaLaunchKernel", EventKind::launch, 0, 499},
      {"cudaEventRecord", EventKind::call, 499, 499},
      {"cudaDeviceSynchronize", EventKind::block, 500, 2100}};
  EXPECT_EQ(calls, expected);
  const RankTasks tasks = rank_tasks(trace, {0, 10'000});
  const auto waiting = std::find_if(tasks.drafts.begin(), tasks.drafts.end(),
                                    [](const TaskDraft& draft) { return draft.returns_late; });
  ASSERT_NE(waiting, tasks.drafts.end());
  ASSERT_EQ(waiting->after.size(), 1u);
  EXPECT_EQ(tasks.drafts[static_cast<std::size_t>(waiting->after[0])].start, 600);
}

std::map<std::tuple<std::string, std::int64_t, std::int64_t>, std::vector<std::int64_t>>
stream_tasks(const Workload& workload) {
  std::map<std::tuple<std::string, std::int64_t, std::int64_t>, std::vector<std::int64_t>> found;
  const WorkloadRank& rank = workload.ranks.front();
  const auto info = [&](std::int32_t i) {
    return workload.infos[static_cast<std::size_t>(rank.tasks[static_cast<std::size_t>(i)].info)];
  };
  for (std::size_t i = 0; i < rank.tasks.size(); ++i) {
    const auto index = static_cast<std::int32_t>(i);
    if (info(index).kind == SpanKind::host) continue;
    auto& after = found[{workload.lanes[static_cast<std::size_t>(info(index).lane)].name,
                         rank.tasks[i].start.picoseconds, rank.tasks[i].end.picoseconds}];
    for (const std::int32_t before : rank.after_of(i))
      if (info(before).kind != SpanKind::host && info(before).lane != info(index).lane)
        after.push_back(rank.tasks[static_cast<std::size_t>(before)].start.picoseconds);
    std::sort(after.begin(), after.end());
  }
  return found;
}

// What others recorded, as a workload, written and read as a workload again: every kernel and copy
// of every stream at its nanosecond, and what it waits for on other streams.
TEST(KinetoWriter, KeepsRecordedTracesOfOthers) {
  const fs::path samples = fs::path(QUINTET_SOURCE_DIR) / "../shared/samples/kineto/hta";
  if (!fs::exists(samples)) GTEST_SKIP() << "THE SAMPLES ARE MISSING, NOTHING IS TESTED";
  for (const auto* file : {"critical_path_alexnet_trace.json.gz", "nccl_data.json.gz"}) {
    auto trace = read_kineto(samples / file);
    ASSERT_TRUE(trace) << trace.error().text();
    const auto workload = workload_of({*trace}, "");
    ASSERT_TRUE(workload) << workload.error().text();
    std::ostringstream out;
    write_kineto(out, *workload, 0);
    const auto again = workload_of({read_back(out.str())}, "");
    ASSERT_TRUE(again) << again.error().text();
    const auto before = stream_tasks(*workload), after = stream_tasks(*again);
    EXPECT_GT(before.size(), 50u);
    EXPECT_EQ(before, after) << file;
  }
}

}  // namespace
}  // namespace quintet
