#include "sim/validate/rows/mlperf_bert.h"

#include <gtest/gtest.h>

namespace quintet {
namespace {

const std::string header =
    "round,submitter,system,division,nodes,gpus,accelerator,global_batch,"
    "samples_per_s_whole_run\n";

// All sequences of 256 tokens: dealing changes nothing.
MlperfBert all_256(const std::string& rows) {
  LengthHistogram lengths{std::vector<double>(256, 0.0)};
  lengths.share.back() = 1;
  return {header + rows, "bert.csv", std::nullopt, lengths, Input::packed};
}

TEST(MlperfBert, IsKnownByItsHeader) {
  EXPECT_TRUE(is_mlperf_bert(header));
  EXPECT_FALSE(is_mlperf_bert("id,source,confidence\n"));
}

// 448 on 8 GPUs: 56 each of 256 tokens. 448 samples at 2240 per second: 0.2 s.
TEST(MlperfBert, ARowIsAStepOfDataParallelRanks) {
  const auto rows =
      mlperf_bert_rows(all_256("v1.1,N,s,closed,1,8,NVIDIA A100-SXM4-80GB (400W),448,2240\n"));
  ASSERT_TRUE(rows) << rows.error().text();
  ASSERT_EQ(rows->size(), 1U);
  const PublishedRow& row = rows->front();
  EXPECT_EQ(row.gpu, "A100-SXM-80GB");
  EXPECT_EQ(row.seq, 256);
  EXPECT_EQ(row.mbs, 56);
  EXPECT_EQ(row.gbs, 448);
  EXPECT_EQ(row.layers, 24);
  EXPECT_DOUBLE_EQ(*row.step_time_s, 0.2);
  EXPECT_EQ(row.notes,
            "56 sequences at once of 14336 tokens in the mean, 14336 on the slowest rank, 28672 "
            "padded");
}

TEST(MlperfBert, PaddedInputIsWholeSequences) {
  MlperfBert given = all_256("v1.1,N,s,closed,1,8,NVIDIA A100-SXM4-40GB,448,2240\n");
  given.input = Input::padded;
  const auto rows = mlperf_bert_rows(given);
  ASSERT_TRUE(rows);
  EXPECT_EQ(rows->front().gpu, "A100-SXM-40GB");
  EXPECT_EQ(rows->front().seq, 512);
  EXPECT_EQ(rows->front().mbs, 56);
}

// 112 per GPU do not fit at once: two micro-batches of 56.
TEST(MlperfBert, ABatchBeyondMemoryIsAccumulated) {
  const auto rows =
      mlperf_bert_rows(all_256("v2.0,N,s,closed,1,4,NVIDIA A100-SXM4-80GB,448,2240\n"));
  ASSERT_TRUE(rows);
  EXPECT_EQ(rows->front().mbs, 56);
  EXPECT_EQ(rows->front().gbs, 448);
}

// 150,000 samples between evaluations 60 s apart are 2500 per second, whatever the start took; runs
// that failed do not count.
TEST(MlperfBert, TimesBetweenEvaluationsComeFirst) {
  MlperfBert given = all_256("v1.1,N,s,closed,1,8,NVIDIA A100-SXM4-80GB,500,2240\n");
  given.runs =
      "round,submitter,system,status,train_samples,n_evals,median_eval_gap_s\n"
      "v1.1,N,s,success,1500000,10,60\nv1.1,N,s,aborted,1500000,10,10\nv1.1,N,t,success,1,1,1\n";
  const auto rows = mlperf_bert_rows(given);
  ASSERT_TRUE(rows) << rows.error().text();
  EXPECT_DOUBLE_EQ(*rows->front().step_time_s, 0.2);
}

TEST(MlperfBert, HostsOfAnotherSizeAreNotTheMachines) {
  const auto rows =
      mlperf_bert_rows(all_256("v2.0,D,s,closed,4,16,NVIDIA A100-SXM-80GB CTS,448,2240\n"));
  ASSERT_TRUE(rows);
  EXPECT_EQ(rows->front().gpu, "A100-SXM-80GB in hosts of 4");
}

TEST(MlperfBert, RefusesWithItsPlace) {
  for (const char* bad : {"v1,N,s,c,1,x,A100,448,1\n", "v1,N,s,c,1,8,A100,4,1\n", "v1,N,s,c\n",
                          "v1,N,s,c,1,8,A100,1e30,1\n"}) {
    const auto rows = mlperf_bert_rows(all_256(bad));
    ASSERT_FALSE(rows) << bad;
    EXPECT_EQ(rows.error().where, "bert.csv: line 2");
  }
}

}  // namespace
}  // namespace quintet
