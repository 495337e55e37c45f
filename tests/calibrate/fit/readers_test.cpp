// Files as the tools write them (their layouts: measurement_files.h); the small ones are the fuzz
// targets' seeds.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "calibrate/fit/measurement_files.h"

namespace quintet::calibrate {
namespace {

std::string seed(const std::string& name) {
  std::ifstream file(std::string(QUINTET_SOURCE_DIR) + "/tests/fuzz/corpus/parse_measurements/" +
                     name);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

Measurements of_seed(const std::string& name) {
  const Result<Measurements> read = parse_measurements(seed(name), name);
  if (read) return *read;
  ADD_FAILURE() << read.error().text();
  return {};
}

std::string error_of(const std::string& text) {
  const Result<Measurements> read = parse_measurements(text, "f");
  return read ? "nothing wrong" : read.error().text();
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(NcclTestsText, CountsRanksAndHostsAndTakesTheTimesOutOfPlace) {
  const CollectiveSample first{.kind = Swept::all_reduce,
                               .hosts = 1,
                               .ranks = 2,
                               .size = {8},
                               .time = {12.5 * 1e-6},
                               .gpu = "NVIDIA H100 80GB HBM3",
                               .source = "nccl_tests.txt"};
  CollectiveSample second = first;
  second.size = {4096};
  second.time = {1652.2 * 1e-6};
  EXPECT_EQ(of_seed("nccl_tests.txt").collectives, (std::vector{first, second}));
}

// Older versions print no word for the reduction: a cell less in the row.
TEST(NcclTestsText, CountsColumnsFromTheEnd) {
  const Result<Measurements> read =
      parse_measurements(replaced(seed("nccl_tests.txt"), "float     sum ", "float         "), "f");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(read->collectives[0].time, Seconds{12.5 * 1e-6});
}

TEST(NcclTestsText, ErrorsNameTheLine) {
  const std::string text = seed("nccl_tests.txt");
  EXPECT_EQ(error_of(replaced(text, "12.50", "soon")),
            "f: line 12: expected a time above 0 us, found \"soon\"");
  EXPECT_EQ(error_of(replaced(text, "sum      -1    12.50    0.00    0.00      0    12.25", "")),
            "f: line 12: found 6 cells; expected 13 as the table's head has");
  EXPECT_EQ(error_of(replaced(text, "all_reduce_perf", "mine")),
            "f: does not say which collective it measured; expected a word like "
            "\"all_reduce_perf\" in it or in its name (all_reduce, reduce_scatter, all_gather, "
            "broadcast, reduce, alltoall, sendrecv)");
  EXPECT_EQ(error_of(replaced(replaced(text, "#  Rank  0", "# "), "#  Rank  1", "# ")),
            "f: expected two lines \"#  Rank\" or more, found 0");
}

TEST(NcclTestsJson, TakesWhatTheTextSays) {
  const CollectiveSample only{.kind = Swept::all_gather,
                              .hosts = 2,
                              .ranks = 2,
                              .size = {4096},
                              .time = {21.5 * 1e-6},
                              .gpu = "NVIDIA H100 80GB HBM3",
                              .source = "nccl_tests.json"};
  EXPECT_EQ(of_seed("nccl_tests.json").collectives, (std::vector{only}));
}

TEST(NcclTestsJson, RefusesTheCpusClockAndNamesThePlace) {
  const std::string text = seed("nccl_tests.json");
  EXPECT_EQ(error_of(replaced(text, "\"time\":21.5", "\"cpu_time\":21.5")),
            "f: results[0].out_of_place.cpu_time: times by the CPU's clock are not the "
            "collective's; run nccl-tests without -C");
  EXPECT_EQ(error_of(replaced(text, "\"time\":21.5", "\"time\":\"nan\"")),
            "f: results[0].out_of_place.time: expected a time above 0 in microseconds");
  EXPECT_EQ(error_of("{\"results\": 3}"),
            "f: results: expected the list that nccl-tests writes with -J");
}

// What a rank gets of a reduce-scatter is 1/8 of what it gives; the last rank came last and did not
// wait, so its 39 us count.
TEST(Inspector, TakesTheRankThatDidNotWait) {
  const CollectiveSample only{.kind = Swept::reduce_scatter,
                              .hosts = 1,
                              .ranks = 8,
                              .size = {8192},
                              .time = {39e-6},
                              .source = "inspector.jsonl"};
  EXPECT_EQ(of_seed("inspector.jsonl").collectives, (std::vector{only}));
}

TEST(Inspector, ErrorsNameTheLine) {
  const std::string text = seed("inspector.jsonl");
  EXPECT_EQ(error_of(replaced(text, "\"ReduceScatter\"", "\"Sort\"")),
            "f: line 1.coll_perf.coll: expected one of all_reduce, reduce_scatter, all_gather, "
            "broadcast, reduce, alltoall, sendrecv, found \"Sort\"");
  EXPECT_NE(error_of(text + "{").find("f: line 3"), std::string::npos) << error_of(text + "{");
}

TEST(MeasurementsCsv, TakesEveryKnownTable) {
  ASSERT_EQ(of_seed("collectives.csv").collectives.size(), 1u);  // the second row has no size
  EXPECT_EQ(of_seed("collectives.csv").collectives[0].protocol, "LL");
  const GemmSample gemm{DataType::fp16, 128,        256,      64,
                        {7.5 * 1e-6},   "H100-SXM", "cuBLAS", "gemm.csv"};
  EXPECT_EQ(of_seed("gemm.csv").gemms, (std::vector{gemm}));
  // 4 x 2 x 16 x 1024^2 x 128 / 2 multiply-adds, 3.5 times for both passes, at 400 TFLOP/s.
  ASSERT_EQ(of_seed("attention.csv").attentions.size(), 1u);
  EXPECT_DOUBLE_EQ(of_seed("attention.csv").attentions[0].time.value,
                   4.0 * 2 * 16 * 1024 * 1024 * 128 / 2 * 3.5 / 400e12);
  ASSERT_EQ(of_seed("memory.csv").memories.size(), 1u);
  EXPECT_EQ(of_seed("memory.csv").memories[0].tensors, 3);
  const CollectiveSample slowest{.kind = Swept::all_reduce,
                                 .hosts = 2,
                                 .ranks = 2,
                                 .size = {2048},
                                 .time = {0.05 * 1e-3},
                                 .source = "vidur.csv"};
  EXPECT_EQ(of_seed("vidur.csv").collectives, (std::vector{slowest}));
}

TEST(MeasurementsCsv, ErrorsNameLineColumnAndWhatIsAccepted) {
  EXPECT_EQ(error_of(replaced(seed("gemm.csv"), "256", "wide")),
            "f: line 2, column n: expected a number of 1 or more, found \"wide\"");
  EXPECT_EQ(error_of(replaced(seed("attention.csv"), "True", "perhaps")),
            "f: line 2, column causal: expected True or False, found \"perhaps\"");
  EXPECT_NE(error_of("a,b\n1,2\n").find("f: line 1: its columns are of no known table; accepted"),
            std::string::npos);
  for (const char* const other : {"hello", "nccl_bus{rank=\"2\",ranks=\"8\"} 17\n"})
    EXPECT_NE(error_of(other).find("is no file of measurements that this reads"),
              std::string::npos);
}

}  // namespace
}  // namespace quintet::calibrate
