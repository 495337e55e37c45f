#include "traces/kineto/kineto_reader.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <stdexcept>

#include "sim/timeline/chrome_trace/chrome_trace.h"
#include "tests/traces/kineto/scratch_folder.h"

namespace quintet {
namespace {

std::string with_events(const std::string& events, const std::string& header = "") {
  return "{" + header + "\"traceEvents\": [" + events + "]}";
}

RankTrace parsed(const std::string& text) {
  auto trace = parse_kineto(text, "input");
  EXPECT_TRUE(trace) << (trace ? "" : trace.error().text());
  return trace ? *trace : RankTrace{};
}

std::string refusal(const std::string& text) {
  const auto trace = parse_kineto(text, "input");
  return trace ? "not refused" : trace.error().text();
}

const std::string one_kernel =
    R"({"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 10.5, "dur": 2, )"
    R"("args": {"stream": 7, "correlation": 5, "External id": 3}})";

TEST(KinetoReader, ReadsAnEvent) {
  const RankTrace trace = parsed(with_events(one_kernel, R"("baseTimeNanoseconds": 1000, )"));
  EXPECT_EQ(trace.zero_nanoseconds, 11500);
  EXPECT_EQ(trace.rows, (std::vector<RecordedRow>{{RecordedRow::Kind::stream, 0, 7, "stream 7"}}));
  ASSERT_EQ(trace.events.size(), 1u);
  EXPECT_EQ(trace.events[0], (TraceEvent{0, 2000, 5, 3, 0, 0, -1, EventKind::kernel}));
  EXPECT_EQ(trace.names, std::vector<std::string>{"k"});
}

// Written after the events, as on-demand traces have it: ranks are a quoted list there.
TEST(KinetoReader, TakesTheJobBehindTheEvents) {
  const RankTrace trace =
      parsed("{\"traceEvents\": [" + one_kernel +
             R"(], "distributedInfo": {"rank": 3, "world_size": 4, "pg_config": [)"
             R"({"pg_name": "0", "pg_desc": "default_pg", "pg_size": 4, "ranks": "[0, 1, 2, 3]"},)"
             R"({"pg_name": "1", "pg_size": 2, "ranks": [1, 3]}]}, "baseTimeNanoseconds": 5})");
  EXPECT_EQ(trace.rank, 3);
  EXPECT_EQ(trace.world_size, 4);
  EXPECT_EQ(trace.groups, (std::vector<ProcessGroup>{{"0", "default_pg", {0, 1, 2, 3}, 4},
                                                     {"1", "", {1, 3}, 2}}));
  EXPECT_EQ(trace.zero_nanoseconds, 10505);
}

TEST(KinetoReader, CountsWhatItDoesNotUnderstand) {
  const RankTrace trace = parsed(with_events(
      R"({"ph": "i", "ts": 1}, {"ph": "C", "ts": 1}, {"ph": "B", "ts": 1, "name": "x"},)"
      R"({"ph": "B", "ts": 1}, {"name": "x"}, {"ph": "X", "name": "x"},)"
      R"({"ph": "s", "cat": "dataflow", "id": 1, "ts": 1})"));
  EXPECT_TRUE(trace.events.empty());
  const std::vector<LeftOut> expected{
      {"arrows of category \"dataflow\"", 1}, {"counters (phase \"C\")", 1},
      {"events of phase \"B\"", 2},           {"events without a phase (\"ph\")", 1},
      {"events without a time (\"ts\")", 1},  {"instants (phase \"i\")", 1}};
  EXPECT_EQ(trace.left_out, expected);
}

TEST(KinetoReader, NamesRowsOfProcessesThatHaveADevicesNumber) {
  const RankTrace trace = parsed(with_events(
      one_kernel +
      R"(, {"ph": "X", "cat": "cpu_op", "name": "a", "pid": 0, "tid": 7, "ts": 1, "dur": 1},)"
      R"({"ph": "X", "cat": "Trace", "name": "P", "pid": "Spans", "tid": "Profiler", "ts": 1},)"
      R"({"ph": "M", "name": "thread_name", "pid": 0, "tid": 7, "args": {"name": "stream 7 "}})"));
  ASSERT_EQ(trace.rows.size(), 3u);
  EXPECT_EQ(trace.rows[0], (RecordedRow{RecordedRow::Kind::stream, 0, 7, "stream 7"}));
  EXPECT_EQ(trace.rows[1], (RecordedRow{RecordedRow::Kind::thread, -1, 7, "thread 7"}));
  EXPECT_EQ(trace.rows[2].name, "thread Profiler");
}

TEST(KinetoReader, TakesEscapesOutOfNames) {
  const RankTrace trace = parsed(with_events(
      R"({"ph": "X", "name": "a\"b\\c\u00e9\ud83d\ude00 C:\qx", "pid": 1, "tid": 1, "ts": 1})"));
  EXPECT_EQ(trace.names, std::vector<std::string>{"a\"b\\c\u00e9\U0001F600 C:\\qx"});
}

// Line breaks in strings and bytes that are no UTF-8 are no JSON, and in files of users.
TEST(KinetoReader, ReadsNamesThatAreNotJson) {
  const RankTrace trace = parsed(
      with_events("{\"ph\": \"X\", \"name\": \"a\nb\xff\", \"pid\": 1, \"tid\": 1, \"ts\": 1}"));
  EXPECT_EQ(trace.names, std::vector<std::string>{"a b?"});
  ASSERT_EQ(trace.left_out.size(), 1u);
  EXPECT_EQ(trace.left_out[0].count, 2);
}

// Older writers give calls nobody asked for the correlation as "External id".
TEST(KinetoReader, TakesNoCorrelationForAnOperation) {
  const RankTrace trace = parsed(with_events(
      R"({"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1,)"
      R"( "ts": 1, "args": {"correlation": 9, "External id": 9}})"));
  EXPECT_EQ(trace.events[0].correlation, 9);
  EXPECT_EQ(trace.events[0].external, -1);
  EXPECT_EQ(trace.events[0].kind, EventKind::launch);
}

std::string operation(int external, int record) {
  return fmt::format(R"({{"ph": "X", "cat": "cpu_op", "name": "a", "pid": 1, "tid": 1, "ts": {}, )"
                     R"("args": {{"External id": {}, "Record function id": {}}}}},)",
                     external, external, record);
}

TEST(KinetoReader, NumbersOperationsAsExecutionTracesDo) {
  const RankTrace trace = parsed(with_events(operation(3, 30) + operation(4, 40) + one_kernel));
  EXPECT_EQ(trace.events[0].external, 30);  // the kernel's, on the stream's row
  EXPECT_EQ(trace.events[2].external, 40);
}

TEST(KinetoReader, KeepsExternalNumbersWhereRecordsSayNothing) {
  const RankTrace trace = parsed(with_events(operation(3, 0) + operation(4, 0) + one_kernel));
  EXPECT_EQ(trace.events[0].external, 3);
  EXPECT_EQ(trace.events[2].external, 4);
}

TEST(KinetoReader, LinksByArrowsWhatHasNoCorrelation) {
  const RankTrace trace = parsed(with_events(
      R"({"ph": "X", "cat": "Runtime", "name": "cudaLaunchKernel", "pid": 9, "tid": 9, "ts": 1},)"
      R"({"ph": "X", "cat": "Kernel", "name": "k", "pid": 0, "tid": 7, "ts": 5, "dur": 1},)"
      R"({"ph": "s", "cat": "async_gpu", "id": 77, "pid": 9, "tid": 9, "ts": 1},)"
      R"({"ph": "f", "cat": "async_gpu", "id": 77, "pid": 0, "tid": 7, "ts": 5})"));
  ASSERT_EQ(trace.events.size(), 2u);
  EXPECT_EQ(trace.events[0].correlation, 77);
  EXPECT_EQ(trace.events[1].correlation, 77);
}

TEST(KinetoReader, ShowsSynchronisationsWhoseCallIsMissing) {
  const RankTrace trace = parsed(with_events(
      R"({"ph": "X", "cat": "cuda_sync", "name": "Stream Wait Event", "pid": 0, "tid": 24, "ts": 1,)"
      R"("args": {"cuda_sync_kind": "Stream Wait Event", "wait_on_stream": 20, "device": 0,)"
      R"("wait_on_cuda_event_record_corr_id": 13, "stream": 24, "correlation": 15}})"));
  ASSERT_EQ(trace.events.size(), 1u);
  EXPECT_EQ(trace.events[0].kind, EventKind::call);
  EXPECT_EQ(trace.rows[0].name, "GPU 0 synchronisations");
  EXPECT_EQ(trace.waits,
            (std::vector<RecordedWait>{{RecordedWait::Kind::stream_waits_event, 24, 13, 20}}));
}

TEST(KinetoReader, TellsMessagesWithTheirPeer) {
  const RankTrace trace = parsed(with_events(
      R"({"ph": "X", "cat": "kernel", "name": "ncclDevKernel_SendRecv", "pid": 0, "tid": 7,)"
      R"("ts": 1, "args": {"Collective name": "send", "dtype": "BFloat16", "In msg nelems": 100,)"
      R"("Out msg nelems": 100, "Group size": 2, "Process Group Name": "7", "Seq": 12,)"
      R"("Process Group Ranks": "[4, 5]", "Dst Rank": 5, "grid": [2, 1, 1]}})"));
  ASSERT_EQ(trace.communications.size(), 1u);
  const RecordedCommunication expected{.kind = CommunicationKind::send,
                                       .type = DataType::bf16,
                                       .type_known = true,
                                       .elements_in = 100,
                                       .elements_out = 100,
                                       .size = Bytes{200},
                                       .group = 0,
                                       .sequence = 12,
                                       .peer = 5,
                                       .detail = "2 channels"};
  EXPECT_EQ(trace.communications[0], expected);
  EXPECT_EQ(trace.groups, (std::vector<ProcessGroup>{{"7", "", {4, 5}, 2}}));
}

// A list of 64 ranks that the profiler cut short says how many, not which.
TEST(KinetoReader, DoesNotGuessRanksOfAListCutShort) {
  const RankTrace trace = parsed(with_events(
      R"({"ph": "X", "cat": "cpu_op", "name": "record_param_comms", "pid": 1, "tid": 7, "ts": 1,)"
      R"("args": {"Collective name": "allreduce", "Group size": 64, "Process Group Name": "2",)"
      R"("Process Group Ranks": "[0, 1, 2, ..."}})"));
  EXPECT_EQ(trace.groups, (std::vector<ProcessGroup>{{"2", "", {}, 64}}));
}

// More than the window holds: events of 100 to 3000 bytes lie across its ends.
TEST(KinetoReader, ReadsFilesLargerThanItsWindow) {
  std::string events;
  constexpr int count = 2000;
  for (int i = 0; i < count; ++i)
    events += fmt::format(
        "{}{{\"ph\": \"X\", \"name\": \"n{} {}\", \"pid\": 1, \"tid\": 1, "
        "\"ts\": {}.25, \"dur\": 1}}",
        i == 0 ? "" : ",\n", i, std::string(static_cast<std::size_t>(i % 97) * 30, '}'), i);
  ASSERT_GT(events.size(), std::size_t{2} << 20);
  int calls = 0;
  std::size_t last = 0;
  const auto trace =
      parse_kineto(with_events(events), "input", [&](std::size_t read, std::size_t of) {
        ++calls;
        last = read;
        EXPECT_LE(read, of);
      });
  ASSERT_TRUE(trace);
  ASSERT_EQ(trace->events.size(), static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i)
    EXPECT_EQ(trace->events[static_cast<std::size_t>(i)].start, 1000 * i);
  EXPECT_GT(calls, 3);
  EXPECT_EQ(last, with_events(events).size());
}

TEST(KinetoReader, LetsWhoeverIsToldOfProgressStopIt) {
  const auto stop = [](std::size_t, std::size_t) { throw std::runtime_error("enough"); };
  EXPECT_THROW((void)parse_kineto(with_events(one_kernel), "input", stop), std::runtime_error);
}

TEST(KinetoReader, SaysWhereAFileIsCutOff) {
  const std::string text = with_events(one_kernel + ", " + one_kernel);
  const std::string cut = text.substr(0, text.size() - 20);
  EXPECT_EQ(refusal(cut),
            fmt::format("input: byte {}: the file is cut off in event 1, after 1 whole events: "
                        "copy it again, or record anew and let the profiler finish",
                        text.rfind("{\"ph\"")));
}

TEST(KinetoReader, NeverReadsAHalfEvent) {
  const std::string text = with_events(one_kernel + ", " + one_kernel, R"("schemaVersion": 1, )");
  for (std::size_t size = 0; size + 2 < text.size(); ++size) {
    const auto trace = parse_kineto(text.substr(0, size), "input");
    if (!trace) continue;
    // Only between events or behind them, and it is said.
    ASSERT_EQ(trace->left_out.size(), 1u) << size;
    EXPECT_NE(trace->left_out[0].what.find("breaks off"), std::string::npos) << size;
  }
}

TEST(KinetoReader, ReadsWhatAKilledProfilerLeaves) {
  for (const std::string end : {"", ",", "]", ",\n"}) {
    const RankTrace trace = parsed("{\"traceEvents\": [" + one_kernel + end);
    EXPECT_EQ(trace.events.size(), 1u);
    ASSERT_EQ(trace.left_out.size(), 1u);
    EXPECT_EQ(trace.left_out[0].what, "the end of the file: it breaks off after event 1");
  }
  EXPECT_EQ(parsed("[" + one_kernel + ",").events.size(), 1u);
}

TEST(KinetoReader, RefusesWhatIsNoTraceAndSaysWhatWouldBe) {
  const std::string expected_document =
      "a trace of PyTorch's profiler or of a program that writes Chrome's format, "
      "{\"traceEvents\": [...]} or [...]";
  EXPECT_EQ(refusal(""), "input: byte 0: the file is empty: expected " + expected_document);
  EXPECT_EQ(refusal("hello"), "input: byte 0: expected " + expected_document + ", found \"h\"");
  EXPECT_NE(refusal(R"({"nodes": []})").find("has no \"traceEvents\""), std::string::npos);
  EXPECT_NE(refusal(R"({"traceEvents": {}})").find("expected a list of events, found \"{\""),
            std::string::npos);
  EXPECT_NE(refusal(R"({"traceEvents": [1]})").find("expected event 0"), std::string::npos);
  EXPECT_NE(
      refusal(with_events(one_kernel) + with_events(one_kernel)).find("nothing after the end"),
      std::string::npos);
  EXPECT_NE(refusal(R"({"traceEvents": [], "traceEvents": []})").find("appears twice"),
            std::string::npos);
  EXPECT_NE(refusal(with_events("", R"("baseTimeNanoseconds": "soon", )")).find("since 1970"),
            std::string::npos);
}

TEST(KinetoReader, SaysWhichEventIsWrong) {
  const std::string wrong = R"({"ph": "X", "name": "x", "ts": "soon"})";
  const std::string text = with_events(one_kernel + ", " + wrong);
  const std::string told = refusal(text);
  EXPECT_NE(told.find("(event 1): \"ts\" is \"soon\": expected microseconds"), std::string::npos)
      << told;
  const std::string joined = refusal(with_events(one_kernel + " " + one_kernel));
  EXPECT_NE(joined.find("(event 1): not valid JSON"), std::string::npos) << joined;
}

// Balanced brackets around a string without end: the parser does not open such a text at all.
TEST(KinetoReader, SurvivesTextThatTheParserDoesNotOpen) {
  const std::string event = R"({"ph": "X", "name": \, "ts": 1, "x": "a\"b"})";
  EXPECT_NE(refusal(with_events(event + ", " + one_kernel)).find("not valid JSON"),
            std::string::npos);
}

TEST(KinetoReader, SurvivesBracketsWithoutEnd) {
  const std::string deep(std::size_t{1} << 20, '[');
  EXPECT_NE(refusal(deep), "not refused");
  EXPECT_NE(refusal(R"({"traceEvents": [{"a": )" + deep), "not refused");
  EXPECT_NE(refusal(R"({"a": )" + deep), "not refused");
  EXPECT_NE(
      refusal(R"({"distributedInfo": )" + deep + std::string(std::size_t{1} << 20, ']') + "}"),
      "not refused");
}

TEST(KinetoReader, TakesTracesOfOthersAndNotOurs) {
  EXPECT_TRUE(is_kineto("\n{\n  \"schemaVersion\": 1,"));
  EXPECT_TRUE(is_kineto(with_events(one_kernel)));
  EXPECT_TRUE(is_kineto("[" + one_kernel));
  EXPECT_FALSE(is_kineto("[[1, 2]]"));
  EXPECT_FALSE(is_kineto("{\"schema\": \"1.0.1\", \"nodes\": []}"));
  EXPECT_FALSE(is_kineto(""));
  std::ostringstream ours;
  Timeline timeline;
  timeline.lanes = {"compute"};
  timeline.tracks.resize(1);
  timeline.infos = {{.name = "norm"}};
  timeline.spans = {{.end = Instant{1000}}};
  write_chrome_trace(ours, timeline);
  EXPECT_FALSE(is_kineto(ours.str().substr(0, 4096)));
}

TEST(KinetoReader, ReadsFilesAndSaysWhyItCannot) {
  const test::ScratchFolder folder;
  std::ofstream(folder.path / "trace.json") << with_events(one_kernel);
  const auto trace = read_kineto(folder.path / "trace.json");
  ASSERT_TRUE(trace);
  EXPECT_EQ(trace->file, (folder.path / "trace.json").string());
  EXPECT_EQ(trace->format, "Kineto");
  EXPECT_FALSE(read_kineto(folder.path / "none.json"));
  EXPECT_FALSE(read_kineto(folder.path));
}

}  // namespace
}  // namespace quintet
