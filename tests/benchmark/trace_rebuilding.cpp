// How long it takes to make a Program of recorded events.
//   trace_rebuilding [EVENTS = 1000000] [RANKS = 4]
// The events are those of ranks that launch kernels from one thread onto two streams, sum up by
// collectives, and wait for each other's streams: one in four is a call, one a kernel, one an
// operation, one something else. Prints seconds of each part; one core.

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "traces/replay/recorded_program.h"
#include "traces/replay/recorded_times.h"
#include "traces/replay/replay.h"
#include "traces/workload/recorded_job.h"

namespace {

using namespace quintet;

RankTrace trace_of(int rank, int ranks, std::int64_t events) {
  RankTrace trace{.file = "made", .format = "made", .rank = rank, .world_size = ranks};
  trace.names = {"cudaLaunchKernel", "ampere_bf16_gemm", "ncclDevKernel_AllReduce_Sum(int)",
                 "aten::mm",         "cudaEventRecord",  "cudaStreamWaitEvent",
                 "aten::add"};
  trace.rows = {{RecordedRow::Kind::stream, 0, 7, "stream 7"},
                {RecordedRow::Kind::stream, 0, 20, "stream 20"},
                {RecordedRow::Kind::thread, -1, 100, "thread"}};
  ProcessGroup all{"0", "data", {}, ranks};
  for (int each = 0; each < ranks; ++each) all.ranks.push_back(each);
  trace.groups = {all};
  trace.communications = {{.kind = CommunicationKind::all_reduce, .size = Bytes{25e6}, .group = 0}};
  std::int64_t cpu = 0, compute = 0, sums = 0, correlation = 0;
  while (static_cast<std::int64_t>(trace.events.size()) < events) {
    const bool sum = correlation % 97 == 96;
    trace.events.push_back({cpu, 9'000, -1, correlation, 3, 2, -1, EventKind::operation});
    trace.events.push_back({cpu + 500, 3'000, -1, correlation, 6, 2, -1, EventKind::operation});
    trace.events.push_back(
        {cpu + 5'000, 3'000, ++correlation, correlation, 0, 2, -1, EventKind::launch});
    std::int64_t& stream = sum ? sums : compute;
    stream = std::max({stream, cpu + 9'000, sum ? compute : 0});
    const std::int64_t time = sum ? 400'000 : 10'000;
    trace.events.push_back({stream, time, correlation, correlation, sum ? 2 : 1, sum ? 1 : 0,
                            sum ? 0 : -1, EventKind::kernel});
    stream += time;
    cpu += 10'000;
  }
  put_in_order(trace);
  return trace;
}

double since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

int main(int count, char** words) {
  const std::int64_t events = count > 1 ? std::atoll(words[1]) : 1'000'000;
  const int ranks = count > 2 ? std::atoi(words[2]) : 4;
  std::vector<RankTrace> traces;
  for (int rank = 0; rank < ranks; ++rank) traces.push_back(trace_of(rank, ranks, events / ranks));
  auto begin = std::chrono::steady_clock::now();
  const Result<Workload> workload = workload_of(std::move(traces), "");
  if (!workload) return std::fprintf(stderr, "%s\n", workload.error().text().c_str()), 1;
  const double joined = since(begin);
  begin = std::chrono::steady_clock::now();
  const RecordedTimes times = recorded_times(*workload);
  const RecordedProgram program = recorded_program(*workload, times);
  const double built = since(begin);
  std::size_t tasks = 0;
  for (const auto& of_rank : program.tasks) tasks += of_rank.size();
  begin = std::chrono::steady_clock::now();
  const Result<Replay> replayed = replay(*workload, {});
  if (!replayed) return std::fprintf(stderr, "%s\n", replayed.error().text().c_str()), 1;
  std::printf(
      "%lld events of %d ranks: workload %.2f s, Program %.2f s (%zu instructions), "
      "together %.2f s; replayed in %.2f s, step off by %.3f %%\n",
      static_cast<long long>(events), ranks, joined, built, tasks, joined + built, since(begin),
      100 * (static_cast<double>(replayed->timeline.end.picoseconds) /
                 static_cast<double>(workload->end.picoseconds) -
             1));
  return 0;
}
