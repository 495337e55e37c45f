#include "sim/cost/file/cost_table_file.h"

#include <gtest/gtest.h>

#include "sim/cost/file/cost_lists.h"
#include "sim/cost/kernel_time.h"

namespace quintet {
namespace {

using namespace literals;

std::filesystem::path shipped(const std::string& name) {
  return std::filesystem::path(QUINTET_SOURCE_DIR) / "traces/costs" / name;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

const std::string whole = R"({
  "name": "n", "gpu": "g", "source": "s",
  "multiprocessors": 10, "memory_bandwidth": "1 TB/s", "cache": "40 MB",
  "framework_memory": "2 GB", "fragmentation": 0.05,
  "gemm": [{"types": ["bf16", "fp16"], "peak": "100 TFLOP/s", "start": "5 us", "k_half": 70,
            "tiles": [{"m": 128, "n": 64, "efficiency": 0.5}],
            "wave_smoothing": 0.5, "sharpness": 3, "memory_efficiency": 0.8, "sustained": 0.9,
            "input_gradient": 1.01, "weight_gradient": 1.05, "source": "s", "fit": "good"}],
  "attention": [{"kernel": "flash", "types": ["bf16"], "forward_efficiency": 0.6,
                 "backward_efficiency": 0.5, "length_half": 100, "causal_length_half": 300,
                 "forward_waves_half": 1, "backward_waves_half": 2, "head_dim_reference": 128,
                 "head_dim_exponent": 0.2, "start": "4 us", "source": "s"}],
  "memory": [{"operation": "norm", "bandwidth": "500 GB/s", "cached": "900 GB/s", "start": "3 us",
              "backward_factor": 2, "rows_per_multiprocessor": 2, "wave_start": "1 us",
              "columns_exponent": 0.5, "backward_columns_exponent": 0.2, "source": "s"}],
  "launch": {"eager": "6 us", "graph": "1 us", "collective": "15 us", "gap": "2 us", "queue": 8,
             "synchronise": "10 us", "source": "s"},
  "copy": {"host_to_device": "26 GB/s", "device_to_host": "25 GB/s", "device_to_device": "1 TB/s",
           "start": "2 us", "source": "s"},
  "overlap": {"multiprocessors_per_channel": 2, "memory_traffic_reduce": 3,
              "memory_traffic_copy": 2, "compute_slowdown": 1.1, "communication_slowdown": 1.2,
              "source": "s"},
  "communication": {"bandwidth_factor": 0.9, "latency_factor": 1.5, "source": "s",
                    "curves": [{"collective": "all_reduce", "ranks": 8, "source": "s",
                                "points": [{"size": "1 MB", "time": "50 us"},
                                           {"size": "4 MB", "time": "80 us"}]}]}
})";

CostTable whole_table() {
  CostTable table;
  table.name = "n";
  table.gpu = "g";
  table.sms = 10;
  table.memory_bandwidth = 1000_GBps;
  table.cache = 40_MB;
  GemmCosts gemm{DataType::bf16, 100_TFLOPs, {{128, 64, 0.5}}, 5_us, 70, 0.5, 0.8, 3, 0.9,
                 1.01,           1.05,       "s; good"};
  table.gemm = {gemm, gemm};
  table.gemm[1].type = DataType::fp16;
  table.attention = {{"flash", DataType::bf16, 0.6, 0.5, 100, 300, 1, 2, 128, 0.2, 4_us, "s"}};
  table.memory = {{MemoryOperation::norm, 500_GBps, 900_GBps, 2, 2, 1_us, 0.5, 0.2, 3_us, "s"}};
  table.launch = {6_us, 1_us, 15_us, 2_us, 8, 10_us, "s"};
  table.copy = {26_GBps, 25_GBps, 1000_GBps, 2_us, "s"};
  table.overlap = {2, 3, 2, 1.1, 1.2, "s"};
  table.communication = {
      0.9, 1.5, "s", {{CollectiveKind::all_reduce, 8, {{1_MB, 50_us}, {4_MB, 80_us}}, "s"}}};
  table.framework_memory = 2_GB;
  table.fragmentation = 0.05;
  table.source = "s";
  return table;
}

TEST(CostTableFile, ReadsEveryField) {
  const Result<CostTable> read = parse_cost_table(whole, "costs.json");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_TRUE(*read == whole_table());
}

TEST(CostTableFile, ReadsWhatOnlyCalibrationMeasures) {
  std::string text = replaced(whole, "\"gap\": \"2 us\"", "\"gap\": \"2 us\", \"step\": \"90 us\"");
  text = replaced(text, "\"device_to_device\": \"1 TB/s\"",
                  "\"device_to_device\": \"1 TB/s\", \"pageable_to_device\": \"9 GB/s\", "
                  "\"device_to_pageable\": \"7 GB/s\", \"both_ways\": 1.25");
  const Result<CostTable> read = parse_cost_table(text, "costs.json");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(read->launch.step, 90_us);
  EXPECT_EQ(read->copy.pageable_to_device, 9_GBps);
  EXPECT_EQ(read->copy.device_to_pageable, 7_GBps);
  EXPECT_EQ(read->copy.both_ways, 1.25);
}

// What quintet-calibrate writes for ranks on processors: no formula, no GPU.
const std::string measured_table = R"({
  "name": "n", "gpu": "any", "source": "s",
  "operators": [
    {"operator": "mlp_up", "phase": "weight_gradient", "type": "fp32", "kernels": 2,
     "gemm": {"m": 4, "n": 5, "k": 6, "batch": 7}, "time": "1.5 ms", "samples": 40},
    {"operator": "attention", "phase": "backward", "type": "bf16", "kernels": 1,
     "attention": {"sequences": 1, "heads": 2, "kv_heads": 2, "query_length": 16, "key_length": 17,
                   "head_dim": 8, "mask": "causal", "kernel": "flash", "window": 3},
     "time": "2 us", "samples": 1},
    {"operator": "norm", "phase": "forward", "type": "fp32", "kernels": 1,
     "memory": {"read": "1234567 B", "written": "2 KiB", "rows": 8, "columns": 9},
     "time": "0 s", "samples": 3}],
  "processors": {"cores": 2, "message_rate": "600 MB/s", "message_work": "20 us",
                 "message_latency": "70 us", "crowded_latency": "3 ms", "source": "p"}
})";

std::vector<MeasuredOperator> measured_operators() {
  return {
      {{OperatorKind::mlp_up, Phase::weight_gradient, DataType::fp32, GemmShape{4, 5, 6, 7}, 2},
       1.5_ms,
       40},
      {{OperatorKind::attention, Phase::backward, DataType::bf16,
        AttentionShape{1, 2, 2, 16, 17, 8, MaskKind::causal, AttentionKernel::flash, 3}, 1},
       2_us,
       1},
      {{OperatorKind::norm, Phase::forward, DataType::fp32, MemoryShape{1234567_B, 2_KiB, 8, 9}, 1},
       Seconds{},
       3}};
}

TEST(CostTableFile, ReadsMeasuredOperatorsAndProcessors) {
  const Result<CostTable> read = parse_cost_table(measured_table, "costs.json");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(read->operators, measured_operators());
  EXPECT_EQ(read->processors, (ProcessorCosts{2, 600_MBps, 20_us, 70_us, 3_ms, "p"}));
}

TEST(CostTableFile, RefusesMeasuredOperatorsThatItCannotUse) {
  const auto refusal = [](const std::string& from, const std::string& to) {
    const Result<CostTable> read =
        parse_cost_table(replaced(measured_table, from, to), "costs.json");
    EXPECT_FALSE(read) << to;
    return read ? "" : read.error().text();
  };
  EXPECT_NE(refusal("\"mlp_up\"", "\"mlp_sideways\"").find("mlp_sideways"), std::string::npos);
  EXPECT_NE(refusal("\"kernels\": 2,", "\"kernels\": 0,").find("operators[0]"), std::string::npos);
  EXPECT_NE(refusal("\"mask\": \"causal\"", "\"mask\": \"half\"").find("mask"), std::string::npos);
  EXPECT_NE(refusal("\"gemm\": {", "\"gem\": {").find("exactly one of"), std::string::npos);
  EXPECT_NE(refusal("\"message_work\": \"20 us\"", "\"message_work\": 20").find("message_work"),
            std::string::npos);
  EXPECT_NE(refusal("\"samples\": 3}]", "\"samples\": 3, \"colour\": 1}]").find("colour"),
            std::string::npos);
}

TEST(CostTableFile, RefusesAnOperatorTwice) {
  const std::string twice =
      replaced(measured_table, "\"time\": \"1.5 ms\", \"samples\": 40},",
               "\"time\": \"1.5 ms\", \"samples\": 40}, {\"operator\": \"mlp_up\", \"phase\": "
               "\"weight_gradient\", \"type\": \"fp32\", \"kernels\": 2, \"gemm\": {\"m\": 4, "
               "\"n\": 5, \"k\": 6, \"batch\": 7}, \"time\": \"1 ms\", \"samples\": 1},");
  const Result<CostTable> read = parse_cost_table(twice, "costs.json");
  ASSERT_FALSE(read);
  EXPECT_NE(read.error().text().find("mlp_up weight_gradient in fp32, 4x5x6"), std::string::npos)
      << read.error().text();
}

// Exactly this operator, or the formula.
TEST(KernelTime, AMeasuredOperatorTakesItsMeasuredTime) {
  const Result<CostTable> read = parse_cost_table(measured_table, "costs.json");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(kernel_time(measured_operators()[0].work, *read), 1.5_ms);
  PricedOperator other = measured_operators()[0].work;
  other.phase = Phase::forward;
  EXPECT_EQ(measured(other, *read), nullptr);
}

TEST(CostTableFile, TheShippedTablesPriceTheirTypes) {
  const Result<CostTable> a100 = read_cost_table(shipped("a100-sxm-80gb.json"));
  ASSERT_TRUE(a100) << a100.error().text();
  EXPECT_EQ(a100->gpu, "A100-SXM-80GB");
  EXPECT_EQ(missing_for(DataType::bf16, *a100), "");
  EXPECT_EQ(missing_for(DataType::fp16, *a100), "");
  EXPECT_EQ(missing_for(DataType::fp8, *a100), "GEMM in fp8");  // Ampere has none
  const Result<CostTable> h100 = read_cost_table(shipped("h100-sxm-80gb.json"));
  ASSERT_TRUE(h100) << h100.error().text();
  EXPECT_EQ(h100->gpu, "H100-SXM-80GB");
  EXPECT_EQ(missing_for(DataType::bf16, *h100), "");
  EXPECT_EQ(missing_for(DataType::fp16, *h100), "");
  EXPECT_EQ(missing_for(DataType::fp8, *h100), "");
}

// Four stages of 10 ms for each of the three passes, nothing else.
TEST(CostTableFile, ProfiledStagesNeedNoKernels) {
  const Result<CostTable> toy = read_cost_table(shipped("toy-pipeline.json"));
  ASSERT_TRUE(toy) << toy.error().text();
  EXPECT_EQ(toy->stages, (std::vector<StageCosts>(4, {10_ms, 10_ms, 10_ms, 0_ms})));
  EXPECT_TRUE(toy->gemm.empty());
  EXPECT_EQ(missing_for(DataType::bf16, *toy), "");
}

void expect_refused(const std::string& from, const std::string& to, const std::string& where,
                    const std::string& what) {
  const Result<CostTable> read = parse_cost_table(replaced(whole, from, to), "costs.json");
  ASSERT_FALSE(read) << to;
  EXPECT_EQ(read.error().where, where);
  EXPECT_NE(read.error().what.find(what), std::string::npos) << read.error().what;
}

TEST(CostTableFile, NamesThePlaceOfWhatIsWrong) {
  expect_refused("\"5 us\"", "5", "costs.json: gemm[0].start", "text with a unit");
  expect_refused("\"5 us\"", "\"5 GB\"", "costs.json: gemm[0].start", "us");
  expect_refused("\"5 us\"", "\"-5 us\"", "costs.json: gemm[0].start", "negative");
  expect_refused("\"k_half\"", "\"k_hafl\"", "costs.json: gemm[0].k_half", "missing");
  expect_refused("\"gap\": \"2 us\"", "\"gap\": \"2 us\", \"gaps\": 1", "costs.json: launch.gaps",
                 "unknown key");
  expect_refused("\"norm\"", "\"norms\"", "costs.json: memory[0].operation", "norm");
  expect_refused("[\"bf16\", \"fp16\"]", "[\"bf16\", \"bf17\"]", "costs.json: gemm[0].types", "bf");
  expect_refused("[\"bf16\", \"fp16\"]", "[\"bf16\", \"bf16\"]", "costs.json: gemm[0].types",
                 "already");
  expect_refused("\"efficiency\": 0.5", "\"efficiency\": 0",
                 "costs.json: gemm[0].tiles[0].efficiency", "from 0.001 to 1.2");
  expect_refused("\"bandwidth_factor\": 0.9", "\"bandwidth_factor\": -0.9",
                 "costs.json: communication.bandwidth_factor", "from 0.01 to 10");
}

// A curve is a function of the size that never falls, of one collective the table must name once.
TEST(CostTableFile, CurvesRiseFromPointToPoint) {
  const std::string point = "costs.json: communication.curves[0].points[1].size";
  expect_refused("\"4 MB\"", "\"1 MB\"", point, "rise");
  expect_refused("\"80 us\"", "\"50 us\"", point, "rise");
  expect_refused("\"1 MB\"", "\"0 MB\"", "costs.json: communication.curves[0].points[0].size",
                 "above zero");
  expect_refused("{\"size\": \"1 MB\", \"time\": \"50 us\"},", "",
                 "costs.json: communication.curves[0].points", "two points");
  expect_refused("\"all_reduce\"", "\"all_reduced\"",
                 "costs.json: communication.curves[0].collective", "all_reduce");
  expect_refused("\"ranks\": 8", "\"ranks\": 1", "costs.json: communication.curves[0].ranks", "2");
  expect_refused("\"curves\": [", R"("curves": [{"collective": "all_reduce", "ranks": 8,
      "source": "s", "points": [{"size": "1 MB", "time": "1 us"}, {"size": "2 MB", "time": "2 us"}]},)",
                 "costs.json: communication.curves[1].ranks", "already");
}

TEST(CostTableFile, EveryPartMustSayWhereItsNumbersComeFrom) {
  expect_refused("\"latency_factor\": 1.5, \"source\": \"s\"", "\"latency_factor\": 1.5",
                 "costs.json: communication.source", "missing");
  expect_refused("\"latency_factor\": 1.5, \"source\": \"s\"",
                 "\"latency_factor\": 1.5, \"source\": \"\"", "costs.json: communication.source",
                 "where the numbers come from");
}

TEST(CostTableFile, RubbishIsAnErrorAndNotACrash) {
  for (const char* text : {"", "[]", "3", "{", "{\"name\": 3}", "{\"stages\": 4}",
                           "{\"name\":\"n\",\"gpu\":\"g\",\"source\":\"s\",\"gemm\":[[]]}"})
    EXPECT_FALSE(parse_cost_table(text, "costs.json")) << text;
  EXPECT_FALSE(read_cost_table(shipped("absent.json")));
}

// What calibration among hosts writes.
const std::string messages_table = R"({
  "name": "n", "gpu": "any", "source": "s",
  "processors": {"message_rate": "600 MB/s", "message_work": "20 us", "message_latency": "70 us",
                 "source": "p"},
  "overlap": {"multiprocessors_per_channel": 1, "memory_traffic_reduce": 3,
              "memory_traffic_copy": 2, "compute_slowdown": 1, "communication_slowdown": 1,
              "source": "o",
              "rows": [{"compute": "memory", "communication": "copying", "compute_slowdown": 1.5,
                        "communication_slowdown": 0.98}]},
  "communication": {"bandwidth_factor": 1, "latency_factor": 1, "source": "c",
    "curves": [{"collective": "all_reduce", "ranks": 8, "hosts": 4, "algorithm": "halving_doubling",
                "protocol": "ll128", "network": {"rate": "1 Gb/s", "latency": "9 us"},
                "points": [{"size": "1 KB", "time": "1 ms"}, {"size": "2 KB", "time": "2 ms"}],
                "source": "r"}],
    "messages": [{"points": [{"size": "1 KB", "time": "1 ms"}, {"size": "2 KB", "time": "2 ms"}],
                  "source": "m", "residuals": {"p05": -0.1, "p95": 0.2, "samples": 7},
                  "residuals_up_to_64_kib": {"p05": -0.3, "p95": 0.4, "samples": 5},
                  "residuals_above": {"p05": -0.05, "p95": 0.06, "samples": 6}}],
    "pairs": [{"from": 3, "to": 5, "latency": "61 us", "rate": "110 MB/s"}],
    "among": {"ranks": 8, "hosts": 4, "clock_offset": "2 s", "clock_bound": "5 us",
              "quantum": "1 ms", "residuals": {"p05": -0.01, "p95": 0.02, "samples": 9},
              "slowest": 1.25, "slowest_rank": 6, "source": "a"}}
})";

TEST(CostTableFile, ReadsWhatRanksSaidToEachOther) {
  const Result<CostTable> read = parse_cost_table(messages_table, "costs.json");
  ASSERT_TRUE(read) << read.error().text();
  CommunicationCosts costs{1, 1, "c"};
  costs.evidence = usual_evidence(costs.residuals);  // the file says none
  const std::vector<CurvePoint> points{{1_KB, 1_ms}, {2_KB, 2_ms}};
  CollectiveCurve curve{CollectiveKind::all_reduce, 8, points, "r"};
  curve.hosts = 4;
  curve.algorithm = Algorithm::halving_doubling;
  curve.protocol = Protocol::ll128;
  curve.network = CurveNetwork{1_Gbps, 9_us};
  costs.curves = {curve};
  costs.messages = {{points, "m", {-0.1, 0.2, 7}, {}, {{-0.3, 0.4, 5}, {-0.05, 0.06, 6}}}};
  costs.messages.front().evidence = Evidence::measured;  // there are residuals of samples
  costs.pairs = {{3, 5, 61_us, 110_MBps}};
  costs.among = MeasuredRanks{8, 4, 2_s, 5_us, 1_ms, {-0.01, 0.02, 9}, 1.25, 6, "a"};
  EXPECT_TRUE(read->communication == costs);
  EXPECT_EQ(
      read->overlap.rows,
      (std::vector<OverlapRow>{{ComputeClass::memory, CommunicationClass::copying, 1.5, 0.98}}));
}

// Of GPUs: there are no processors, and nothing else was measured.
TEST(CostTableFile, ReadsATableOfMessagesAlone) {
  std::string text = messages_table;
  const std::size_t from = text.find("\"processors\""), to = text.find("\"overlap\"");
  text.replace(from, to - from, "\"not_measured\": [\"operators\"], ");
  const Result<CostTable> read = parse_cost_table(text, "costs.json");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_FALSE(read->processors);
  EXPECT_EQ(read->communication.curves.size(), 1u);
  text.replace(text.find("\"operators\""), 11, "\"clocks\"");
  EXPECT_FALSE(parse_cost_table(text, "costs.json"));  // formulas are due
}

std::string complaint_with(const std::string& what, const std::string& instead) {
  std::string text = messages_table;
  text.replace(text.find(what), what.size(), instead);
  const Result<CostTable> read = parse_cost_table(text, "costs.json");
  return read ? "none" : read.error().text();
}

TEST(CostTableFile, RefusesCurvesOfNoNetworkOrNoKnownAlgorithm) {
  EXPECT_EQ(complaint_with(R"("network": {"rate": "1 Gb/s", "latency": "9 us"},)", ""),
            "costs.json: communication.curves[0].network: belongs to curves of several hosts, and "
            "only to those");
  EXPECT_EQ(complaint_with(R"("hosts": 4, "algorithm")", R"("algorithm")"),
            "costs.json: communication.curves[0].network: belongs to curves of several hosts, and "
            "only to those");
  EXPECT_TRUE(complaint_with("halving_doubling", "halving_doublin")
                  .starts_with("costs.json: communication.curves[0].algorithm: "));
  EXPECT_TRUE(
      complaint_with(R"("slowest": 1.25)", R"("slowest": 0.9)")
          .starts_with("costs.json: communication.among.slowest: expected a number from 1"));
}

}  // namespace
}  // namespace quintet
