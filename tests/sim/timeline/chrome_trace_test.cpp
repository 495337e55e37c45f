#include "sim/timeline/chrome_trace/chrome_trace.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "sim/timeline/chrome_trace/trace_rows.h"
#include "sim/timeline/chrome_trace/trace_text.h"
#include "sim/timeline/trace_reader.h"
#include "tests/support/sample_step.h"

namespace quintet {
namespace {

std::string text_of(const Timeline& timeline) {
  std::ostringstream out;
  write_chrome_trace(out, timeline);
  return out.str();
}

Timeline read_back(const Timeline& timeline) {
  const Result<Timeline> read = parse_chrome_trace(text_of(timeline), "trace.json");
  if (!read) {
    ADD_FAILURE() << read.error().text();
    return {};
  }
  return *read;
}

TEST(ChromeTrace, ReadsBackWhatItWrote) {
  EXPECT_EQ(read_back(sample_step()), sample_step());
  EXPECT_EQ(read_back(Timeline{}), Timeline{});
}

TEST(ChromeTrace, ReadsBackRandomTimelines) {
  for (std::uint32_t seed = 0; seed < 50; ++seed) {
    const Timeline timeline = random_timeline(seed, {});
    EXPECT_EQ(read_back(timeline), timeline) << "seed " << seed;
  }
}

TEST(ChromeTrace, ReadsBackHowItWasMeasured) {
  EXPECT_EQ(read_back(measured(sample_step())), measured(sample_step()));
  EXPECT_EQ(read_back(measured(Timeline{})), measured(Timeline{}));
  Timeline idle = measured(sample_step());  // no time on the CPU is not the same as not known
  for (Duration& cpu : idle.cpu) cpu = {};
  EXPECT_EQ(read_back(idle), idle);
  Timeline by_the_host = measured(sample_step());
  by_the_host.notes.clear();
  by_the_host.measurement->recording.reset();
  EXPECT_EQ(read_back(by_the_host), by_the_host);
}

// Two tracks of one rank, and a rank that is none, cannot be process ids; the indices stand in.
TEST(ChromeTrace, TellsTracksOfOneRankApart) {
  Timeline timeline = small_world(10);
  for (const std::int32_t rank : {3, 3, -1}) timeline.tracks.push_back({Rank{rank}, 2, 0, "twin"});
  for (std::int32_t track = 0; track < 3; ++track) add_span(timeline, track, On::forward, 0, 10);
  EXPECT_EQ(read_back(timeline), timeline);
}

TEST(ChromeTrace, WritesEveryPicosecond) {
  const auto text = [](std::int64_t picoseconds) {
    std::ostringstream out;
    TraceText(out) << Duration{picoseconds};
    return out.str();
  };
  EXPECT_EQ(text(0), "0.000000");
  EXPECT_EQ(text(1), "0.000001");
  EXPECT_EQ(text(-1), "-0.000001");
  EXPECT_EQ(text(12'345'678'901), "12345.678901");
  EXPECT_EQ(text(INT64_MAX), "9223372036854.775807");
  EXPECT_EQ(text(INT64_MIN), "-9223372036854.775808");
}

// The whole trace of one span, so that a change of the format is seen.
TEST(ChromeTrace, LooksLikeThis) {
  Timeline timeline;
  timeline.name = "one send";
  timeline.lanes = {"send"};
  timeline.tracks = {{Rank{3}, 256, 1, "stage 1"}};
  timeline.infos = {
      {.name = "send activation", .kind = SpanKind::send, .axis = Axis::pipeline, .size = {1e6}}};
  Span& span = add_span(timeline, 0, On::forward, 5, 2'000'005, 3'000'000);
  span.micro_batch = 1;
  span.flow = 9;
  timeline.end = {4'000'000};
  EXPECT_EQ(
      text_of(timeline),
      R"json({"schemaVersion":1,"displayTimeUnit":"ms","baseTimeNanoseconds":0,"deviceProperties":[],"distributedInfo":{"world_size":256},
"quintet":{"schema_version":1,"name":"one send","end":4.000000,"cut_ps":1},
"quintetLanes":[
{"name":"send"}],
"quintetTracks":[
{"pid":3,"rank":3,"ranks":256,"stage":1,"role":"stage 1"}],
"quintetInfos":[
{"name":"send activation","kind":"send","work":"norm","phase":"forward","axis":"pipeline","bytes":1000000,"lane":0,"detail":""}],
"traceEvents":[
{"name":"process_name","ph":"M","ts":0.000000,"pid":3,"tid":0,"args":{"name":"rank 3 (stage 1, stands for 256 ranks)"}},
{"name":"process_labels","ph":"M","ts":0.000000,"pid":3,"tid":0,"args":{"labels":"stage 1"}},
{"name":"process_sort_index","ph":"M","ts":0.000000,"pid":3,"tid":0,"args":{"sort_index":0}},
{"name":"thread_name","ph":"M","ts":0.000000,"pid":3,"tid":1000,"args":{"name":"send"}},
{"name":"thread_sort_index","ph":"M","ts":0.000000,"pid":3,"tid":1000,"args":{"sort_index":0}},
{"ph":"X","cat":"kernel","name":"send activation","pid":3,"tid":1000,"ts":0.000005,"dur":2.999994,"args":{"info":0,"Collective name":"send","Process Group Name":"pipeline","bytes":1000000,"waited us":2.000000,"micro_batch":1,"flow":9}},
{"ph":"s","id":9,"pid":3,"tid":1000,"ts":2.000005,"cat":"pipeline","name":"pipeline"}
],
"traceName":"one send"}
)json");
}

// Lane 1 holds 0..10, 5..15, 10..20: the second overlaps the first, the third fits behind it.
TEST(TraceRows, PutOverlappingSpansOnFurtherRows) {
  Timeline timeline = small_world(20);
  const std::int32_t rank = add_track(timeline, 0);
  add_span(timeline, rank, On::tensor_all_reduce, 0, 10);
  add_span(timeline, rank, On::tensor_all_reduce, 5, 15);
  add_span(timeline, rank, On::tensor_all_reduce, 10, 20);
  timeline.host_gaps = {{rank, {0}, {3}}};
  const TraceRows rows(timeline);
  const std::vector<TraceRow> expected{{0, 1, 0}, {0, 1, 1}, {0, 7, 0}};
  EXPECT_EQ(rows.rows(), expected);
  EXPECT_EQ(rows.thread_of_span(0), rows.thread_of_span(2));
  EXPECT_NE(rows.thread_of_span(0), rows.thread_of_span(1));
  EXPECT_EQ(rows.thread_of_gap(0), rows.thread_of_row(2));
}

// Tracks hold ranks 0, 8, ..., 1600: thread ids start above them.
TEST(TraceRows, NumberThreadsAboveProcesses) {
  Timeline timeline = small_world(20);
  for (int i = 0; i <= 200; ++i) add_span(timeline, add_track(timeline, 0), On::forward, 0, 10);
  const TraceRows rows(timeline);
  EXPECT_EQ(rows.process(200), 1600);
  EXPECT_EQ(rows.thread_of_span(0), 10000);
  EXPECT_EQ(rows.thread_of_span(200), 10200);
}

class ChromeTraceFile : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(testing::TempDir()) /
              testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path folder_;
};

TEST_F(ChromeTraceFile, IsReplacedAsAWhole) {
  const std::filesystem::path file = folder_ / "step.json";
  std::ofstream(file) << "older and longer than nothing";
  const auto written = write_chrome_trace(file, sample_step());
  ASSERT_TRUE(written) << written.error().text();
  EXPECT_EQ(*written, file);
  const auto read = read_chrome_trace(file);
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(*read, sample_step());
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 1);
}

TEST_F(ChromeTraceFile, IsKnownByItsBeginning) {
  const std::filesystem::path file = folder_ / "step.json", other = folder_ / "other.txt";
  ASSERT_TRUE(write_chrome_trace(file, sample_step()));
  std::ofstream(other) << "step 1: 5 ms";
  const auto read = read_timeline(file);
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(*read, sample_step());
  EXPECT_EQ(read_timeline(other).error(),
            (Error{other.string(),
                   "is no trace that can be read here: JSON of Chrome's Trace Event Format that "
                   "quintet simulate --trace or quintet run --timeline wrote"}));
  EXPECT_EQ(read_timeline(folder_ / "none").error().what, "there is no such file");
}

// 2,000 spans are some 400 kB: told every 64 KiB, more each time, of the file's size. What is
// thrown there comes back.
TEST_F(ChromeTraceFile, TellsHowFarItIsReadAndLetsGo) {
  const std::filesystem::path file = folder_ / "step.json";
  const Timeline written = random_timeline(1, {4, 500, 1000});
  ASSERT_TRUE(write_chrome_trace(file, written));
  const std::size_t size = std::filesystem::file_size(file);
  std::vector<std::size_t> told;
  const auto read = read_timeline(file, [&](std::size_t so_far, std::size_t of) {
    EXPECT_EQ(of, size);
    told.push_back(so_far);
  });
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(*read, written);
  EXPECT_GE(told.size(), size >> 16);
  EXPECT_LE(told.size(), (size >> 16) + 1);
  EXPECT_TRUE(std::is_sorted(told.begin(), told.end()));
  struct Enough {};
  EXPECT_THROW((void)read_timeline(file, [](std::size_t, std::size_t) { throw Enough{}; }), Enough);
}

TEST_F(ChromeTraceFile, SaysWhenTheFolderIsMissing) {
  const std::filesystem::path file = folder_ / "missing" / "step.json";
  const auto written = write_chrome_trace(file, sample_step());
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error(),
            (Error{file.string(), "cannot write the trace: No such file or directory"}));
}

TEST_F(ChromeTraceFile, LeavesNothingBehindWhenTheTargetIsAFolder) {
  const auto written = write_chrome_trace(folder_, sample_step());
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().where, folder_.string());
  for (const auto& entry : std::filesystem::directory_iterator(folder_.parent_path()))
    EXPECT_EQ(entry.path().string().find(".part"), std::string::npos) << entry.path();
}

TEST_F(ChromeTraceFile, KeepsALinkAndReplacesWhatItLeadsTo) {
  const std::filesystem::path file = folder_ / "step.json", link = folder_ / "latest.json";
  std::ofstream(file) << "older";
  std::filesystem::create_symlink("step.json", link);
  ASSERT_TRUE(write_chrome_trace(link, sample_step()));
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  const auto read = read_chrome_trace(file);
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(*read, sample_step());
}

// Through a link, so that a writer which renames spoils the link and not the machine's device.
TEST_F(ChromeTraceFile, WritesToADeviceInsteadOfReplacingIt) {
  const std::filesystem::path link = folder_ / "full";
  std::filesystem::create_symlink("/dev/full", link);
  const auto written = write_chrome_trace(link, sample_step());
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error(),
            (Error{link.string(), "cannot write the trace: No space left on device"}));
  EXPECT_TRUE(std::filesystem::is_character_file(link));
}

}  // namespace
}  // namespace quintet
