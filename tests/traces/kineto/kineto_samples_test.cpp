// Traces that nobody in this project wrote: ../shared/samples/kineto (its README says whose).
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>

#include "sim/packing/byte_source.h"
#include "tests/traces/kineto/scratch_folder.h"
#include "traces/kineto/kineto_reader.h"
#include "traces/kineto/whole_trace.h"
#include "traces/trace/overlap.h"

namespace quintet {
namespace {

namespace fs = std::filesystem;

const fs::path samples = fs::path(QUINTET_SOURCE_DIR) / "../shared/samples/kineto";

#define SKIP_WITHOUT_SAMPLES() \
  if (!fs::exists(samples))    \
  GTEST_SKIP() << "THE SAMPLES ARE MISSING, NOTHING IS TESTED: " << samples

RankTrace read(const fs::path& file) {
  auto trace = read_kineto(file);
  EXPECT_TRUE(trace) << (trace ? "" : trace.error().text());
  return trace ? *trace : RankTrace{};
}

std::string beginning_of(const fs::path& file) {
  std::string bytes(4096, '\0');
  auto source = ByteSource::open(file);
  EXPECT_TRUE(source);
  bytes.resize(*source->read(bytes));
  return bytes;
}

struct KindCounts {
  std::map<EventKind, int> of;
  explicit KindCounts(const RankTrace& trace) {
    for (const TraceEvent& event : trace.events) ++of[event.kind];
  }
};

std::int64_t row_of(const RankTrace& trace, std::int64_t stream) {
  for (std::size_t row = 0; row < trace.rows.size(); ++row)
    if (trace.rows[row].kind == RecordedRow::Kind::stream && trace.rows[row].id == stream)
      return static_cast<std::int64_t>(row);
  return -1;
}

bool is_work(const TraceEvent& event) {
  return event.kind == EventKind::kernel || event.kind == EventKind::copy ||
         event.kind == EventKind::fill;
}

std::vector<TraceEvent> work_on(const RankTrace& trace, std::int64_t stream) {
  std::vector<TraceEvent> found;
  for (const TraceEvent& event : trace.events)
    if (is_work(event) && event.row == row_of(trace, stream)) found.push_back(event);
  return found;
}

bool some_overlap(const std::vector<TraceEvent>& events) {
  for (std::size_t i = 1; i < events.size(); ++i)
    if (events[i].start < events[i - 1].end()) return true;
  return false;
}

// The file's 40573 events are counted by `python3 -c "len(json.load(...)['traceEvents'])"`.
TEST(KinetoSamples, EveryEventOfTheFileIsAccountedFor) {
  SKIP_WITHOUT_SAMPLES();
  auto source = ByteSource::open(samples / "hta/nccl_data.json.gz");
  ASSERT_TRUE(source);
  json_stream::JsonWindow window([&](std::span<char> into) { return source->read(into); },
                                 [] { return 1.0; }, "nccl_data");
  const auto whole = kineto::read_whole(window);
  ASSERT_TRUE(whole) << whole.error().text();
  EXPECT_EQ(whole->events, 40573);
  std::int64_t left_out = 0;
  for (const LeftOut& what : whole->trace.left_out) left_out += what.count;
  EXPECT_EQ(static_cast<std::int64_t>(whole->trace.events.size()) + left_out + whole->arrows +
                whole->metadata,
            40573);
  EXPECT_EQ(whole->trace.left_out, (std::vector<LeftOut>{{"instants (phase \"i\")", 2}}));
}

TEST(KinetoSamples, StreamsHaveTheirWorkAndNoneOverlapsItself) {
  SKIP_WITHOUT_SAMPLES();
  const RankTrace trace = read(samples / "hta/nccl_data.json.gz");
  EXPECT_EQ(work_on(trace, 7).size(), 3753u);
  EXPECT_EQ(work_on(trace, 40).size(), 21u);
  EXPECT_FALSE(some_overlap(work_on(trace, 7)));
  EXPECT_FALSE(some_overlap(work_on(trace, 40)));
  const KindCounts counts(trace);
  EXPECT_EQ(counts.of.at(EventKind::kernel), 2700);
  EXPECT_EQ(counts.of.at(EventKind::copy), 960);
  EXPECT_EQ(counts.of.at(EventKind::fill), 114);
  EXPECT_EQ(counts.of.at(EventKind::operation), 14346);
  EXPECT_EQ(counts.of.at(EventKind::block), 25);  // 24 cudaEventSynchronize, 1 device
}

TEST(KinetoSamples, CollectivesAreToldByTheirArguments) {
  SKIP_WITHOUT_SAMPLES();
  const RankTrace trace = read(samples / "hta/nccl_data.json.gz");
  ASSERT_EQ(trace.groups.size(), 1u);
  EXPECT_EQ(trace.groups[0], (ProcessGroup{"0", "default_pg", {0, 1}, 2}));
  EXPECT_EQ(trace.rank, 0);
  EXPECT_EQ(trace.world_size, 2);
  int all_reduces_of_floats = 0, broadcasts_of_floats = 0, broadcasts_of_longs = 0, kernels = 0;
  for (const TraceEvent& event : trace.events) {
    if (event.kind != EventKind::kernel || !is_communication(trace, event)) continue;
    const auto& facts = trace.communications[static_cast<std::size_t>(event.facts)];
    ++kernels;
    EXPECT_EQ(facts.group, 0);
    const double bytes = facts.size.value / static_cast<double>(facts.elements_in);
    const bool is_float = facts.type_known && facts.type == DataType::fp32 && bytes == 4;
    const bool is_long = !facts.type_known && bytes == 8;
    all_reduces_of_floats += facts.kind == CommunicationKind::all_reduce && is_float;
    broadcasts_of_floats += facts.kind == CommunicationKind::broadcast && is_float;
    broadcasts_of_longs += facts.kind == CommunicationKind::broadcast && is_long;
  }
  EXPECT_EQ(kernels, 21);
  EXPECT_EQ(all_reduces_of_floats, 15);
  EXPECT_EQ(broadcasts_of_floats, 3);
  EXPECT_EQ(broadcasts_of_longs, 3);
}

TEST(KinetoSamples, OperationsThatWaitCommunicateNothing) {
  SKIP_WITHOUT_SAMPLES();
  const RankTrace trace = read(samples / "hta/nccl_data.json.gz");
  int all = 0, communicate = 0;
  for (const TraceEvent& event : trace.events) {
    if (trace.names[static_cast<std::size_t>(event.name)] != "record_param_comms") continue;
    ++all;
    communicate += is_communication(trace, event);
  }
  EXPECT_EQ(all, 27);
  EXPECT_EQ(communicate, 21);
}

// Exactly, by sums of the file's decimals (Python's decimal.Decimal).
TEST(KinetoSamples, OverlapIsExactToTheNanosecond) {
  SKIP_WITHOUT_SAMPLES();
  const auto overlap = communication_overlap(read(samples / "hta/nccl_data.json.gz"));
  EXPECT_EQ(overlap.communication, 46876493);
  EXPECT_EQ(overlap.overlapped, 7317025);
  EXPECT_EQ(overlap.exposed, 39559468);
  EXPECT_NEAR(overlap.ratio(), 0.1560915617, 1e-10);
}

// HolisticTraceAnalysis adds microseconds as doubles, of which 4.4e12 leaves steps of 0.98 ns. With
// the same doubles the same figures come out: 46876.492, 7317.026, 39559.466, 0.15609.
TEST(KinetoSamples, OverlapIsThatOfHolisticTraceAnalysisInItsArithmetic) {
  SKIP_WITHOUT_SAMPLES();
  const RankTrace trace = read(samples / "hta/nccl_data.json.gz");
  std::vector<std::pair<double, double>> communication, compute;
  constexpr std::int64_t base = 1711964646000000000;
  for (const TraceEvent& event : trace.events) {
    if (event.kind != EventKind::kernel) continue;
    const double start = static_cast<double>(trace.zero_nanoseconds - base + event.start) / 1e3;
    const std::pair interval(start, start + static_cast<double>(event.time) / 1e3);
    (is_communication(trace, event) ? communication : compute).push_back(interval);
  }
  std::sort(communication.begin(), communication.end());
  std::sort(compute.begin(), compute.end());
  double all = 0, common = 0;
  for (const auto& [begin, end] : communication) {
    all += end - begin;  // kernels of one stream do not overlap
    for (const auto& [other_begin, other_end] : compute)
      common += std::max(0.0, std::min(end, other_end) - std::max(begin, other_begin));
  }
  EXPECT_NEAR(all, 46876.492, 0.0005);
  EXPECT_NEAR(common, 7317.026, 0.0005);
  EXPECT_NEAR(all - common, 39559.466, 0.0005);
  EXPECT_NEAR(common / all, 0.15609, 0.000005);
}

// gui_and_traces.md 3.1: "4458676524648.797 us + 1711964646000000000 ns = the log's wall clock".
TEST(KinetoSamples, InstantsAreWallClockToTheNanosecond) {
  SKIP_WITHOUT_SAMPLES();
  const RankTrace trace = read(samples / "hta/nccl_data.json.gz");
  const auto found =
      std::find_if(trace.events.begin(), trace.events.end(), [&](const TraceEvent& event) {
        return trace.zero_nanoseconds + event.start == 1711964646000000000 + 4458676524648797;
      });
  ASSERT_NE(found, trace.events.end());
  EXPECT_EQ(trace.names[static_cast<std::size_t>(found->name)], "record_param_comms");
  EXPECT_EQ(found->time, 189626);
}

TEST(KinetoSamples, EventsKeepTheOrderThatTracesPromise) {
  SKIP_WITHOUT_SAMPLES();
  for (const auto* file : {"hta/nccl_data.json.gz", "hta/sampled_rank-0.json.gz"}) {
    const RankTrace trace = read(samples / file);
    RankTrace ordered = trace;
    put_in_order(ordered);
    EXPECT_EQ(trace, ordered) << file;
    EXPECT_FALSE(trace.events.empty());
  }
}

TEST(KinetoSamples, WaitsKnowWhatTheyWaitFor) {
  SKIP_WITHOUT_SAMPLES();
  const RankTrace trace = read(samples / "hta/cuda_event_sync_multi_stream_trace.json.gz");
  std::vector<std::pair<std::string, RecordedWait>> waits;
  for (const TraceEvent& event : trace.events)
    if ((event.kind == EventKind::block || event.kind == EventKind::call) && event.facts >= 0)
      waits.emplace_back(trace.names[static_cast<std::size_t>(event.name)],
                         trace.waits[static_cast<std::size_t>(event.facts)]);
  // Three cudaEventQuery return at once, though each has its "Event Sync".
  const std::vector<std::pair<std::string, RecordedWait>> expected{
      {"cudaStreamWaitEvent", {RecordedWait::Kind::stream_waits_event, 24, 1385, 20}},
      {"cudaDeviceSynchronize", {RecordedWait::Kind::device, -1, -1, -1}}};
  EXPECT_EQ(waits, expected);
}

TEST(KinetoSamples, OlderFilesTellCollectivesByTheRangeOfTheLaunch) {
  SKIP_WITHOUT_SAMPLES();
  const test::ScratchFolder folder;
  ASSERT_EQ(folder.unpack(samples / "param/dlrm_8ranks_v100_kineto.tar.gz"), 0);
  std::map<CommunicationKind, int> kinds;
  const RankTrace trace =
      read(folder.path / "dlrm_kineto/worker0_step_12.1694128201545.pt.trace.json");
  for (const TraceEvent& event : trace.events) {
    if (event.kind != EventKind::kernel || !is_communication(trace, event)) continue;
    const auto& facts = trace.communications[static_cast<std::size_t>(event.facts)];
    ++kinds[facts.kind];
    EXPECT_GT(facts.size.value, 0);
  }
  // 5 SendRecv kernels under "nccl:all_to_all", 3 AllReduce kernels.
  EXPECT_EQ(kinds, (std::map<CommunicationKind, int>{{CommunicationKind::all_reduce, 3},
                                                     {CommunicationKind::all_to_all, 5}}));
  EXPECT_EQ(trace.world_size, 8);
}

// gui_and_traces.md 3.1: a kernel's duration includes waiting for the slowest rank.
TEST(KinetoSamples, FirstAllToAllOfEightRanksWaitsForTheLast) {
  SKIP_WITHOUT_SAMPLES();
  const test::ScratchFolder folder;
  ASSERT_EQ(folder.unpack(samples / "param/dlrm_8ranks_v100_kineto.tar.gz"), 0);
  std::map<int, std::int64_t> times;
  for (const auto& entry : fs::directory_iterator(folder.path / "dlrm_kineto")) {
    const RankTrace trace = read(entry.path());
    std::vector<TraceEvent> exchanges;
    for (const TraceEvent& event : trace.events)
      if (event.kind == EventKind::kernel && is_communication(trace, event) &&
          trace.communications[static_cast<std::size_t>(event.facts)].kind ==
              CommunicationKind::all_to_all)
        exchanges.push_back(event);
    ASSERT_FALSE(exchanges.empty());
    times[trace.rank] = std::min_element(exchanges.begin(), exchanges.end(),
                                         [](const TraceEvent& left, const TraceEvent& right) {
                                           return left.start < right.start;
                                         })
                            ->time;
  }
  EXPECT_EQ(times.size(), 8u);
  EXPECT_EQ(times[1], 7635000);
  EXPECT_EQ(times[7], 10000);
}

TEST(KinetoSamples, HipCallsAndKernelsAreUnderstood) {
  SKIP_WITHOUT_SAMPLES();
  const RankTrace trace = read(samples / "hta/mi250_minitoy_train_ROCm6_2_kineto.json.gz");
  const KindCounts counts(trace);
  EXPECT_EQ(counts.of.at(EventKind::launch), 14);  // 12 hipLaunchKernel, 2 hipExtModuleLaunchKernel
  EXPECT_EQ(counts.of.at(EventKind::kernel), 14);
  EXPECT_EQ(counts.of.at(EventKind::block), 3);  // 2 hipMemcpyWithStream, hipDeviceSynchronize
  ASSERT_EQ(trace.copies.size(), 2u);
  EXPECT_EQ(trace.copies[0].direction, CopyDirection::host_to_device);
  EXPECT_EQ(trace.rows[0].name, "stream 0");
  EXPECT_EQ(trace.rows[0].device, 2);
}

TEST(KinetoSamples, EveryFileIsReadToItsEndOrRefusedForAReason) {
  SKIP_WITHOUT_SAMPLES();
  const test::ScratchFolder folder;
  ASSERT_EQ(folder.unpack(samples / "param/dlrm_8ranks_v100_kineto.tar.gz"), 0);
  int read_files = 0, refused = 0;
  for (const fs::path& root : {samples / "hta", folder.path / "dlrm_kineto"})
    for (const auto& entry : fs::directory_iterator(root)) {
      const bool is_trace = entry.path().filename() != "memory_timeline.raw.gz";
      EXPECT_EQ(is_kineto(beginning_of(entry.path())), is_trace) << entry.path();
      const auto trace = read_kineto(entry.path());
      EXPECT_EQ(trace.has_value(), is_trace) << entry.path();
      (trace ? read_files : refused) += 1;
      if (!trace) {
        EXPECT_NE(trace.error().text().find("expected event 0"), std::string::npos);
      }
    }
  EXPECT_EQ(read_files, 21);
  EXPECT_EQ(refused, 1);
}

}  // namespace
}  // namespace quintet
