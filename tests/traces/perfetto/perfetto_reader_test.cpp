#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/traces/perfetto/packets.h"
#include "traces/perfetto/perfetto.h"

namespace quintet {
namespace {

std::vector<std::string> seen_in(const RankTrace& trace) {
  std::vector<std::string> seen;
  for (const TraceEvent& each : trace.events)
    seen.push_back(fmt::format(
        "{}: {} {} {}+{}", trace.rows[static_cast<std::size_t>(each.row)].name, name_of(each.kind),
        trace.names[static_cast<std::size_t>(each.name)], each.start, each.time));
  return seen;
}

RankTrace one(const std::string& file) {
  auto traces = parse_perfetto(file, "x");
  if (!traces) throw std::logic_error(traces.error().text());
  EXPECT_EQ(traces->size(), 1u);
  return traces->front();
}

// A process with a thread, a stream of its GPU, and a launch that a flow leads from.
std::string launch_and_kernel() {
  return process_track(1, 50, "rank 3") + thread_track(2, 50, 51, "python") +
         child_track(3, 1, "stream 7") + begin(100, 2, "step") +
         begin(110, 2, "cudaLaunchKernel", fixed(47, 9)) + end(120, 2) +
         begin(130, 3, "gemm", fixed(48, 9)) + end(200, 2) + end(230, 3);
}

TEST(PerfettoReader, SlicesNestAndFlowsLinkLaunchesToKernels) {
  EXPECT_TRUE(is_perfetto(launch_and_kernel()));
  const RankTrace trace = one(launch_and_kernel());
  EXPECT_EQ(trace.rank, 3);
  EXPECT_EQ(seen_in(trace), (std::vector<std::string>{"python: other step 100+100",
                                                      "python: launch cudaLaunchKernel 110+10",
                                                      "stream 7: kernel gemm 130+100"}));
  EXPECT_EQ(trace.events[1].correlation, trace.events[2].correlation);
  EXPECT_GE(trace.events[1].correlation, 0);
  EXPECT_EQ(trace.rows, (std::vector<RecordedRow>{{RecordedRow::Kind::thread, -1, 51, "python"},
                                                  {RecordedRow::Kind::stream, 0, 7, "stream 7"}}));
}

TEST(PerfettoReader, TextsMayBeInternedUntilTheSequencesStateIsCleared) {
  const auto names = [](std::uint64_t iid, std::string_view text) {
    return bytes(12, bytes(2, number(1, iid) + bytes(2, text)));
  };
  const std::string sequence = number(10, 4);
  const auto by_number = [&](std::uint64_t time) {
    return event(time, 2, 1, number(10, 1), sequence + number(13, 2)) + end(time + 1, 2);
  };
  const RankTrace trace =
      one(thread_track(2, 50, 51, "t") + packet(sequence + number(13, 1) + names(1, "one")) +
          by_number(10) + packet(number(10, 5) + names(1, "of another sequence")) + by_number(20) +
          packet(sequence + number(13, 1) + names(1, "two")) + by_number(30));
  EXPECT_EQ(seen_in(trace), (std::vector<std::string>{"t: other one 10+1", "t: other one 20+1",
                                                      "t: other two 30+1"}));
}

TEST(PerfettoReader, ClocksOfASequenceAreTranslated) {
  const auto clock = [](std::uint64_t id, std::uint64_t time, const std::string& rest = "") {
    return bytes(1, number(1, id) + number(2, time) + rest);
  };
  const std::string sequence = number(10, 4);
  // Clock 64 counts microseconds, each packet since the last; it stood at 5 when boot time was
  // 1000.
  const std::string snapshot =
      packet(sequence + bytes(6, clock(6, 1000) + clock(1, 1'700'000'000'000'000'000) +
                                     clock(64, 5, number(3, 1) + number(4, 1000))));
  const std::string by_64 = sequence + number(58, 64);
  const RankTrace trace =
      one(thread_track(2, 50, 51, "t") + snapshot + event(3, 2, 1, bytes(23, "a"), by_64) +
          event(2, 2, 2, "", by_64) + event(9, 2, 1, "", number(10, 4) + number(58, 77)) +
          event(1'700'000'000'000'009'000, 2, 1, bytes(23, "b"), number(58, 1)) + end(11'000, 2));
  // 1000 ns + 3 us, then 2 us more; b by real time: 9000 ns after the snapshot's 1000 - 1000.
  EXPECT_EQ(seen_in(trace),
            (std::vector<std::string>{"t: other a 4000+2000", "t: other b 10000+1000"}));
  EXPECT_EQ(trace.zero_nanoseconds, 1'700'000'000'000'000'000 - 1000);
  EXPECT_EQ(trace.left_out,
            (std::vector<LeftOut>{{"events by a clock that is not explained, or too late", 1}}));
}

TEST(PerfettoReader, AnnotationsUnderKinetosNamesAreFacts) {
  const std::string communication =
      category("kernel") + note("Collective name", "_allgather_base") + note("dtype", "BFloat16") +
      note("In msg nelems", 100) + note("Out msg nelems", 400) + note("Group size", 4) +
      note("Process Group Name", "7") + note("Process Group Ranks", "[0, 2, 4, 6]") +
      note("Seq", 12) + note("correlation", 33);
  const RankTrace trace = one(
      process_track(1, 50, "python") + child_track(3, 1, "GPU 1 stream 20") +
      thread_track(2, 50, 51, "t") +
      begin(1, 3, "ncclDevKernel_AllGather_RING_LL(x)", communication) + end(2, 3) +
      begin(3, 3, "Memcpy DtoH (Device -> Pinned)", category("gpu_memcpy") + note("bytes", 64)) +
      end(4, 3) +
      begin(5, 2, "aten::mm",
            category("cpu_op") + note("Sequence number", 8) + note("External id", 70) +
                note("Input Dims", "[[2], [3]]")) +
      end(6, 2) + begin(7, 2, "cudaStreamSynchronize", category("cuda_runtime")) + end(9, 2) +
      begin(9, 2, "cudaLaunchKernel", category("cuda_runtime") + note("correlation", 33)) +
      end(10, 2));
  EXPECT_EQ(trace.rank, -1);
  EXPECT_EQ(trace.rows[0], (RecordedRow{RecordedRow::Kind::stream, 1, 20, "GPU 1 stream 20"}));
  EXPECT_EQ(trace.communications,
            (std::vector<RecordedCommunication>{{.kind = CommunicationKind::all_gather,
                                                 .type = DataType::bf16,
                                                 .type_known = true,
                                                 .elements_in = 100,
                                                 .elements_out = 400,
                                                 .size = Bytes{800},
                                                 .group = 0,
                                                 .sequence = 12,
                                                 .detail = "ring LL"}}));
  EXPECT_EQ(trace.groups, (std::vector<ProcessGroup>{{"7", "", std::vector<int>{0, 2, 4, 6}, 4}}));
  EXPECT_EQ(trace.copies, (std::vector<RecordedCopy>{{CopyDirection::device_to_host, Bytes{64}}}));
  EXPECT_EQ(trace.waits, (std::vector<RecordedWait>{{RecordedWait::Kind::stream}}));
  ASSERT_EQ(trace.operations.size(), 1u);
  EXPECT_EQ(trace.operations[0].sequence, 8);
  EXPECT_EQ(trace.names[static_cast<std::size_t>(trace.operations[0].shapes)], "[[2], [3]]");
  std::vector<EventKind> kinds;
  for (const TraceEvent& each : trace.events) kinds.push_back(each.kind);
  EXPECT_EQ(kinds, (std::vector<EventKind>{EventKind::kernel, EventKind::copy, EventKind::operation,
                                           EventKind::block, EventKind::launch}));
  EXPECT_EQ(trace.events[2].external, 70);
}

TEST(PerfettoReader, ProcessesAreTracesAndTracksOfNobodyGoWithTheOnlyOne) {
  const std::string two = process_track(1, 50, "rank 1") + process_track(2, 60, "rank 0") +
                          begin(1, 1, "a") + end(2, 1);
  const RankTrace alone = one(two + child_track(9, 0, "GPU 0") + begin(3, 9, "k") + end(4, 9));
  EXPECT_EQ(seen_in(alone),
            (std::vector<std::string>{"track 1: other a 1+1", "GPU 0: kernel k 3+1"}));
  const auto traces =
      parse_perfetto(two + begin(1, 2, "b") + end(2, 2) + begin(3, 9, "k") + end(4, 9), "x");
  ASSERT_TRUE(traces) << traces.error().text();
  ASSERT_EQ(traces->size(), 3u);
  EXPECT_EQ((*traces)[0].rank, -1);  // of no process
  EXPECT_EQ((*traces)[1].rank, 1);
  EXPECT_EQ((*traces)[2].rank, 0);
}

// Threads write behind one another: what is later in time may come first.
TEST(PerfettoReader, OrderInTimeIsMadeOfPacketsInAnyOrder) {
  const RankTrace trace = one(thread_track(2, 50, 51, "t") + begin(20, 2, "b") + end(30, 2) +
                              begin(1, 2, "a") + end(10, 2) + begin(10, 2, "empty") + end(10, 2));
  EXPECT_EQ(seen_in(trace), (std::vector<std::string>{"t: other a 1+9", "t: other empty 10+0",
                                                      "t: other b 20+10"}));
}

TEST(PerfettoReader, CountsWhatItLeavesOut) {
  const std::string counter = packet(bytes(60, number(1, 8) + bytes(8, "")));
  const RankTrace trace =
      one(launch_and_kernel() + counter + event(5, 8, 4, number(30, 77)) +
          event(6, 2, 3, bytes(23, "i")) + begin(300, 2, "open") + end(1, 3) + event(7, 2, 0) +
          packet(bytes(1, "ftrace")) + packet(bytes(50, "zlib")) + begin(1ull << 63, 2, "late"));
  EXPECT_EQ(
      trace.left_out,
      (std::vector<LeftOut>{{"compressed packets (traceconv decompress_packets unpacks them)", 1},
                            {"ends of slices that did not begin", 1},
                            {"events by a clock that is not explained, or too late", 1},
                            {"events of no known type", 1},
                            {"instants", 1},
                            {"packets of other kinds", 1},
                            {"slices that do not end", 1},
                            {"values of counters", 1}}));
}

TEST(PerfettoReader, NamesThePacketThatIsWrong) {
  const std::string whole = launch_and_kernel();
  const auto error = [](const std::string& file) {
    const auto traces = parse_perfetto(file, "x");
    return traces ? "none" : traces.error().text();
  };
  EXPECT_NE(error(whole.substr(0, whole.size() - 1)).find("x: packet 9 at byte"),
            std::string::npos);
  EXPECT_NE(error(whole.substr(0, whole.size() - 1)).find("is cut off"), std::string::npos);
  EXPECT_NE(error(whole + "{").find("begins with byte 0x7b"), std::string::npos);
  EXPECT_NE(error(packet("\xff\xff")).find("is no packet"), std::string::npos);
  EXPECT_NE(error("\x0a\xff\xff\xff\xff\x0f").find("longer than 256 MiB"), std::string::npos);
  EXPECT_NE(error("").find("holds no slice"), std::string::npos);
  EXPECT_FALSE(read_perfetto("/nowhere/x.pftrace"));
}

// Parents may lead round in a circle.
TEST(PerfettoReader, TracksThatAreTheirOwnAncestorsEnd) {
  const RankTrace trace =
      one(child_track(1, 2, "a") + child_track(2, 1, "b") + begin(1, 1, "s") + end(2, 1));
  EXPECT_EQ(seen_in(trace), (std::vector<std::string>{"a: other s 1+1"}));
}

TEST(PerfettoReader, TextIsNoTrace) {
  for (const char* const text : {"", "\n", "\n{\"traceEvents\": []}", "{}", "\n\n\n\n\n\n\n",
                                 "# nccl-tests\n", "\nhost:1:1 [0] NCCL INFO Bootstrap : eth0\n"})
    EXPECT_FALSE(is_perfetto(text)) << text;
  const std::string whole = launch_and_kernel();
  for (std::size_t size = 30; size <= whole.size(); ++size)  // what a beginning may be
    EXPECT_TRUE(is_perfetto(whole.substr(0, size))) << size;
}

}  // namespace
}  // namespace quintet
