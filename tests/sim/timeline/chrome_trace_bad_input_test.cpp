#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "sim/timeline/chrome_trace/chrome_trace.h"
#include "tests/support/sample_step.h"

namespace quintet {
namespace {

// A trace with one span and one gap, with one piece replaced by another.
std::string changed(const std::string& from, const std::string& to) {
  std::string text =
      R"json({"quintet":{"schema_version":1,"name":"x","end":10},"quintetLanes":[{"name":"compute"}],
"quintetTracks":[{"pid":5,"rank":0,"ranks":1,"stage":0,"role":"r"}],
"quintetInfos":[{"name":"f","kind":"compute","work":"norm","phase":"forward","axis":"data","bytes":0,"lane":0,"detail":""}],
"traceEvents":[{"ph":"X","pid":5,"ts":1.5,"dur":2,"args":{"info":0,"waited us":0.25,"layer":4}},
{"ph":"X","pid":5,"ts":4,"dur":1,"args":{"host_gap":1}}]})json";
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

Error error_of(const std::string& text) {
  const Result<Timeline> read = parse_chrome_trace(text, "t.json");
  return read ? Error{"nothing wrong", ""} : read.error();
}

TEST(ChromeTraceReader, SkipsWhatItDoesNotKnow) {
  const std::string text = changed(
      "\"traceEvents\":[",
      "\"other\":[1,[2,{\"a\":{}}]],\"deeper\":{\"traceEvents\":[{\"ph\":\"X\"}]},\"traceEvents\":["
      "{\"ph\":\"X\",\"name\":\"foreign\"},{\"ph\":\"i\",\"args\":{\"info\":77}},17,"
      "{\"ph\":\"C\",\"args\":{\"deep\":{\"info\":1},\"list\":[1]}},");
  const Result<Timeline> read = parse_chrome_trace(text, "t.json");
  ASSERT_TRUE(read) << read.error().text();
  ASSERT_EQ(read->spans.size(), 1u);
  EXPECT_EQ(read->spans[0].moving, Instant{1'750'000});
  EXPECT_EQ(read->spans[0].end, Instant{3'500'000});
  EXPECT_EQ(read->spans[0].layer, 4);
  EXPECT_EQ(read->host_gaps, (std::vector<HostGap>{{0, {4'000'000}, {5'000'000}}}));
}

struct BadInput {
  std::string from, to;
  Error expected;
};

TEST(ChromeTraceReader, NamesThePlaceAndWhatIsAccepted) {
  const std::string i32 = "an integer from -2147483648 to 2147483647";
  const std::string us = "microseconds with at most 6 decimals";
  const std::vector<BadInput> inputs{
      {R"("info":0)",
       R"("info":1)",
       {"t.json: span 0", "args.info 1: quintetInfos has 1 (counted from 0)"}},
      {R"("info":0)",
       R"("info":-1)",
       {"t.json: span 0", "args.info -1: quintetInfos has 1 (counted from 0)"}},
      {R"("info":0)",
       R"("info":"0")",
       {"t.json: traceEvents[0].info", "expected " + i32 + ", found \"0\""}},
      {R"("layer":4)",
       R"("layer":4294967296)",
       {"t.json: traceEvents[0].layer", "expected " + i32 + ", found 4294967296"}},
      {R"("layer":4)",
       R"("chunk":40000)",
       {"t.json: traceEvents[0].chunk", "expected an integer from -32768 to 32767, found 40000"}},
      {R"("pid":5,"ts":1.5)",
       R"("pid":6,"ts":1.5)",
       {"t.json: span 0", "pid 6 is not one of quintetTracks"}},
      {R"("pid":5,"ts":4)",
       R"("pid":6,"ts":4)",
       {"t.json: host gap 0", "pid 6 is not one of quintetTracks"}},
      {R"("ts":1.5)",
       R"("ts":1.1234567)",
       {"t.json: traceEvents[0].ts", "expected " + us + ", found 1.1234567"}},
      {R"("ts":1.5)",
       R"("ts":1e3)",
       {"t.json: traceEvents[0].ts", "expected " + us + ", found 1e3"}},
      {R"("ts":1.5)",
       R"("ts":null)",
       {"t.json: traceEvents[0].ts", "expected " + us + ", found true, false or null"}},
      {R"("ts":1.5,)", "", {"t.json: traceEvents[0].ts", "missing; expected " + us}},
      {R"("ts":1.5)",
       R"("ts":9223372036854)",
       {"t.json: traceEvents[0].dur", "expected a time below 53 days"}},
      {R"("ts":1.5)",
       R"("ts":99999999999999999999)",
       {"t.json: traceEvents[0].ts", "expected " + us + ", found 99999999999999999999"}},
      {R"("dur":2)", R"("dur":-2)", {"t.json: traceEvents[0].dur", "expected 0 or more"}},
      {R"("waited us":0.25)",
       R"("waited us":2.000001)",
       {"t.json: traceEvents[0].args.waited us", "expected no more than dur"}},
      {R"("lane":0)",
       R"("lane":1)",
       {"t.json: quintetInfos 0", "lane 1: quintetLanes has 1 (counted from 0)"}},
      {R"("kind":"compute")",
       R"("kind":"cook")",
       {"t.json: quintetInfos[0].kind",
        "expected one of compute, collective, send, receive, copy, host, found \"cook\""}},
      {R"("bytes":0)",
       R"("bytes":"4 KB")",
       {"t.json: quintetInfos[0].bytes", "expected a number of bytes, found \"4 KB\""}},
      {R"("ranks":1)", R"("ranks":0)", {"t.json: quintetTracks[0].ranks", "expected 1 or more"}},
      {R"({"pid":5,"rank":0,"ranks":1,"stage":0,"role":"r"})",
       R"({"pid":5,"rank":0,"ranks":1,"stage":0,"role":"r"},{"pid":5,"rank":0,"ranks":1,"stage":0,"role":"r"})",
       {"t.json: quintetTracks[1].pid", "5 is the pid of an earlier track"}},
      {R"("layer":4)",
       R"("cpu us":-0.5)",
       {"t.json: traceEvents[0].args.cpu us", "expected 0 or more"}},
      {R"("traceEvents":[)",
       R"("quintetMeasurement":{"step":1},"traceEvents":[)",
       {"t.json: quintetMeasurement.clock_bound", "missing; expected " + us}},
      {R"("traceEvents":[)",
       R"("quintetSteps":[{"step":1,"time":2},{"step":2,"time":-1}],"traceEvents":[)",
       {"t.json: quintetSteps[1].time", "expected 0 or more"}},
      {R"("traceEvents":[)",
       R"("quintetUnobeyed":[{"decision":"a","asked":3,"done":"c"}],"traceEvents":[)",
       {"t.json: quintetUnobeyed[0].asked", "expected a text, found 3"}},
      {R"("end":10)", R"("end":-10)", {"t.json: quintet.end", "expected 0 or more"}},
      {R"("schema_version":1)",
       R"("schema_version":2)",
       {"t.json: quintet.schema_version", "expected 1, found 2"}},
      {R"("quintet":)",
       R"("chintet":)",
       {"t.json",
        "no \"quintet\" object: expected a trace that quintet simulate --trace or quintet run "
        "--timeline wrote; what other tools write is not read"}},
      {R"("quintet":{"schema_version":1,"name":"x","end":10})",
       R"("quintet":5)",
       {"t.json", "quintet: expected an object, found a single value"}},
      {R"("quintetLanes":[{"name":"compute"}])",
       R"("quintetLanes":{"name":"compute"})",
       {"t.json", "quintetLanes: expected a list, found an object"}},
      {R"("quintetLanes":[{"name":"compute"}])",
       R"("quintetLanes":"compute")",
       {"t.json", "quintetLanes: expected a list, found a single value"}},
  };
  for (const BadInput& input : inputs) {
    SCOPED_TRACE(input.to);
    EXPECT_EQ(error_of(changed(input.from, input.to)), input.expected);
  }
}

TEST(ChromeTraceReader, RefusesWhatIsNoTrace) {
  EXPECT_EQ(error_of("[]").what, "expected an object with traceEvents, found an array");
  EXPECT_EQ(error_of("17").what, "expected an object with traceEvents, found a single value");
  EXPECT_EQ(error_of(std::string(1000, '[')).where, "t.json");
  EXPECT_EQ(error_of("{\"a\":" + std::string(70, '[')).what, "nested deeper than 64 levels");
  for (const std::string text : {"{", "{\"traceEvents\":[}", "\xff", "{\"a\":1e999}"})
    EXPECT_EQ(error_of(text).what.rfind("not JSON: ", 0), 0u) << text << error_of(text).text();
  EXPECT_EQ(error_of(" \n").what, "is empty, expected JSON");
  EXPECT_EQ(error_of("\xff\xfe{").what, "is UTF-16 or UTF-32; save it as UTF-8");
}

// Cut anywhere and with any byte changed, the sample is read or refused, never more.
TEST(ChromeTraceReader, SurvivesDamage) {
  std::ostringstream out;
  write_chrome_trace(out, sample_step());
  const std::string text = out.str();
  int refused = 0;
  for (std::size_t at = 0; at < text.size(); at += 3) {
    refused += parse_chrome_trace(text.substr(0, at), "cut") ? 0 : 1;
    for (const char byte : {'"', '9', '-', '{', ']', '\0'}) {
      std::string damaged = text;
      damaged[at] = byte;
      refused += parse_chrome_trace(damaged, "damaged") ? 0 : 1;
    }
  }
  EXPECT_GT(refused, static_cast<int>(text.size() / 3));
}

// A limit on file size stands in for a full disk: the write fails half way (EFBIG instead of
// ENOSPC).
TEST(ChromeTraceWriter, SaysThatTheDiskIsFullAndLeavesNoHalfFile) {
  const std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) / "quintet_full_disk";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit small = before;
  small.rlim_cur = 1000;
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const auto written = write_chrome_trace(folder / "t.json", sample_step());
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, old_handler);
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error(),
            (Error{(folder / "t.json").string(), "cannot write the trace: File too large"}));
  EXPECT_TRUE(std::filesystem::is_empty(folder));
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace quintet
