#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>

#include "traces/simai/simai.h"

using namespace quintet;

namespace {

namespace fs = std::filesystem;

fs::path samples() {
  return fs::path(QUINTET_SOURCE_DIR) / "../shared/samples/simai";
}
#define QUINTET_NEEDS_SAMPLES()                                                   \
  if (!fs::exists(samples()))                                                     \
  GTEST_SKIP() << "NOT TESTED: the samples of other programs are not beside the " \
                  "repository (../shared/samples/simai)"

const SpanInfo& info(const Workload& workload, std::size_t task, std::size_t rank = 0) {
  return workload.infos[static_cast<std::size_t>(workload.ranks[rank].tasks[task].info)];
}
const TaskPeers& peers(const Workload& workload, std::size_t task, std::size_t rank = 0) {
  const WorkloadRank& of = workload.ranks[rank];
  return of.peers[static_cast<std::size_t>(of.tasks[task].peers)];
}
std::vector<std::int32_t> after(const Workload& workload, std::size_t task) {
  const WorkloadRank& rank = workload.ranks[0];
  return {rank.after.begin() + rank.after_begin[task],
          rank.after.begin() + rank.after_begin[task + 1]};
}
std::vector<std::string> names(const Workload& workload) {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < workload.ranks[0].tasks.size(); ++i)
    all.push_back(info(workload, i).name);
  return all;
}
std::string remarks(const Workload& workload) {
  std::string text;
  for (const WorkloadRemark& remark : workload.remarks) text += remark.text + "\n";
  return text;
}
Result<Workload> parse(const std::string& text, int gpus = 0) {
  return parse_simai(text, "w.txt", gpus);
}

// Picoseconds of compute in all passes of one rank.
std::int64_t compute(const Workload& workload) {
  std::int64_t sum = 0;
  for (const WorkloadTask& task : workload.ranks.at(0).tasks) {
    const SpanInfo& what = workload.infos[static_cast<std::size_t>(task.info)];
    if (what.kind == SpanKind::compute && what.phase != Phase::update) sum += task.work.picoseconds;
  }
  return sum;
}

const std::string transformer =
    "HYBRID_TRANSFORMER model_parallel_NPU_group: 2 ep: 2 pp: 2 vpp: 1 ga: 1 all_gpus: 16\n2\n"
    "first -1 10 ALLREDUCE 100 20 ALLGATHER 200 30 REDUCESCATTER 300 5\n"
    "second -1 11 ALLTOALL_EP 101 21 NONE 0 31 ALLREDUCE_DP_EP 301 6\n";

TEST(SimaiReader, WalksATransformerForwardAndBackAndLetsOnlyItsSumsOverlap) {
  const auto workload = parse(transformer);
  ASSERT_TRUE(workload) << workload.error().text();
  EXPECT_EQ(names(*workload),
            (std::vector<std::string>{"first forward", "all-reduce first forward", "second forward",
                                      "all-to-all second forward", "second input gradient",
                                      "second weight gradient", "all-reduce second weight gradient",
                                      "second update", "first input gradient",
                                      "all-gather first input gradient", "first weight gradient",
                                      "reduce-scatter first weight gradient", "first update"}));
  EXPECT_EQ(after(*workload, 2), std::vector<std::int32_t>{1});  // forward waits for its collective
  EXPECT_EQ(after(*workload, 7), std::vector<std::int32_t>{6});  // the update for the sum
  EXPECT_EQ(after(*workload, 8), std::vector<std::int32_t>{5});  // the next layer does not
  EXPECT_EQ(after(*workload, 10), std::vector<std::int32_t>{9});
  EXPECT_EQ(workload->ranks[0].tasks[0].work.picoseconds, 10'000);
  EXPECT_EQ(info(*workload, 7).phase, Phase::update);
  EXPECT_EQ(info(*workload, 5).phase, Phase::weight_gradient);
  EXPECT_EQ(workload->ranks[0].tasks[8].layer, 0);
  EXPECT_LT(workload->ranks[0].tasks[1].work.picoseconds, 0);
}

// 16 GPUs, 2 stages of 8: tensor pairs {0 1}, ..., 4 data ranks {0 2 4 6} of which 2 hold the
// experts.
TEST(SimaiReader, FormsGroupsAsMegatronNumbersRanks) {
  const auto workload = parse(transformer);
  ASSERT_TRUE(workload) << workload.error().text();
  ASSERT_EQ(workload->ranks.size(), 8U);
  const auto group = [&](std::size_t task, std::size_t rank) {
    return workload->groups[static_cast<std::size_t>(peers(*workload, task, rank).group)].ranks;
  };
  using Ranks = std::vector<std::int32_t>;
  EXPECT_EQ(group(1, 3), (Ranks{2, 3}));         // tensor
  EXPECT_EQ(group(11, 3), (Ranks{1, 3, 5, 7}));  // data
  EXPECT_EQ(group(3, 3), (Ranks{1, 3}));         // experts
  EXPECT_EQ(group(6, 3), (Ranks{3, 7}));         // data of an expert
  EXPECT_EQ(info(*workload, 3).axis, Axis::expert);
  EXPECT_EQ(info(*workload, 3).size, Bytes{101});
  EXPECT_EQ(peers(*workload, 3).collective, CollectiveKind::all_to_all);
  EXPECT_NE(remarks(*workload).find("one pipeline stage's of 2"), std::string::npos);
}

// 4096 ranks of 300 rows with three passes each are more than a million tasks.
TEST(SimaiReader, HoldsRankZeroWhereAllRanksAreTooMany) {
  std::string text = "HYBRID_TRANSFORMER model_parallel_NPU_group: 8 all_gpus: 4096\n300\n";
  for (int i = 0; i < 300; ++i) text += "a -1 1 ALLREDUCE 8 1 NONE 0 1 ALLREDUCE 8 1\n";
  const auto workload = parse(text);
  ASSERT_TRUE(workload) << workload.error().text();
  ASSERT_EQ(workload->ranks.size(), 1U);
  EXPECT_EQ(workload->world_size, 4096);
  ASSERT_EQ(workload->groups.size(), 2U);
  EXPECT_EQ(workload->groups[0].members, (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(workload->groups[1].members.size(), 512U);
  EXPECT_EQ(workload->groups[1].members.at(1), 8);
  EXPECT_EQ(workload->groups[1].ranks, std::vector<std::int32_t>{0});
  EXPECT_NE(remarks(*workload).find("all 4096 ranks do the same"), std::string::npos);
  EXPECT_EQ(faults(*workload), std::vector<std::string>{});
}

TEST(SimaiReader, CountsCollectivesPerGroupAlikeOnAllRanks) {
  const auto workload = parse(transformer);
  ASSERT_TRUE(workload) << workload.error().text();
  for (std::size_t rank = 0; rank < 8; ++rank) {
    EXPECT_EQ(peers(*workload, 1, rank).sequence, 0);
    EXPECT_EQ(peers(*workload, 9, rank).sequence, 1);  // the tensor group's second
    EXPECT_EQ(peers(*workload, 6, rank).sequence, 0);
  }
}

TEST(SimaiReader, RecomputesFromTheCheckpointBeforeARowThatInitiatesIt) {
  const auto workload = parse(
      "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 2 checkpoints: 1 0 "
      "checkpoint_initiates: 1 2\n3\n"
      "a -1 1 NONE 0 2 NONE 0 0 NONE 0 1\nb -1 1 NONE 0 2 NONE 0 0 NONE 0 1\n"
      "c -1 1 NONE 0 2 NONE 0 0 NONE 0 1\n");
  ASSERT_TRUE(workload) << workload.error().text();
  EXPECT_EQ(names(*workload),
            (std::vector<std::string>{"a forward", "b forward", "c forward", "a recomputed",
                                      "b recomputed", "c input gradient", "b input gradient",
                                      "a input gradient"}));
  const auto without = parse(
      "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 2 checkpoints: 0 "
      "checkpoint_initiates: 1 0\n1\na -1 1 NONE 0 2 NONE 0 0 NONE 0 1\n");
  ASSERT_FALSE(without);
  EXPECT_NE(without.error().what.find("no checkpoint"), std::string::npos);
}

TEST(SimaiReader, DataParallelTextSumsWeightsOverAllGpusBesideTheNextLayer) {
  const std::string text =
      "DATA\n2\na -1 1 ALLREDUCE 9 2 NONE 0 3 ALLREDUCE 10 4\nb -1 1 NONE 0 2 NONE 0 3 ALLREDUCE "
      "20 4\n";
  const auto unsaid = parse(text);
  ASSERT_FALSE(unsaid);
  EXPECT_NE(unsaid.error().what.find("how many GPUs"), std::string::npos);
  const auto workload = parse(text, 4);
  ASSERT_TRUE(workload) << workload.error().text();
  EXPECT_EQ(
      names(*workload),
      (std::vector<std::string>{"a forward", "b forward", "b weight gradient",
                                "all-reduce b weight gradient", "b update", "b input gradient",
                                "a weight gradient", "all-reduce a weight gradient", "a update"}));
  EXPECT_EQ(workload->groups.at(0).ranks.size(), 4U);
  EXPECT_EQ(after(*workload, 5), std::vector<std::int32_t>{2});
}

// The embedding's all-to-all goes on under the bottom layers; the top waits for it.
TEST(SimaiReader, DlrmWaitsForItsEmbeddingsAtTheLastBottomLayer) {
  const auto workload = parse(
      "HYBRID_DLRM DLRM_LAST_BOTTOM_LAYER: 1\n3\n"
      "embedding -1 1 ALLTOALL 8 1 ALLTOALL 8 1 NONE 0 1\n"
      "bottom -1 1 NONE 0 1 NONE 0 1 ALLREDUCE 4 1\ntop -1 1 NONE 0 1 NONE 0 1 ALLREDUCE 4 1\n",
      2);
  ASSERT_TRUE(workload) << workload.error().text();
  const std::vector<std::string> all = names(*workload);
  EXPECT_EQ(all[1], "all-to-all embedding forward");
  EXPECT_EQ(all[2], "bottom forward");
  EXPECT_EQ(after(*workload, 2), std::vector<std::int32_t>{0});
  EXPECT_EQ(all[3], "top forward");
  EXPECT_EQ(after(*workload, 3), (std::vector<std::int32_t>{2, 1}));
  const auto back = std::find(all.begin(), all.end(), "all-to-all embedding input gradient");
  ASSERT_NE(back, all.end());
  EXPECT_EQ(*std::prev(back), "top input gradient");
}

TEST(SimaiReader, ALayerMayHaveAPolicyOfItsOwn) {
  const auto workload = parse(
      "HYBRID_CUSTOMIZED model_parallel_NPU_group: 2 all_gpus: 4\n2\n"
      "a -1 1 ALLREDUCE 9 0 NONE 0 1 ALLREDUCE 10 1 HYBRID_TRANSFORMER\n"
      "b -1 1 ALLREDUCE 9 0 NONE 0 1 ALLREDUCE 10 1 DATA\n");
  ASSERT_TRUE(workload) << workload.error().text();
  const auto size = [&](std::size_t task) {
    return workload->groups[static_cast<std::size_t>(peers(*workload, task).group)].ranks.size();
  };
  EXPECT_EQ(names(*workload)[1], "all-reduce a forward");
  EXPECT_EQ(size(1), 2U);
  EXPECT_EQ(names(*workload)[4], "all-reduce b weight gradient");  // no collective forward
  EXPECT_EQ(size(4), 4U);
}

TEST(SimaiReader, NamesTheLineAndWhatWouldBeAccepted) {
  const std::vector<std::pair<std::string, std::string>> wrong{
      {"HYBRID_TRANSFORMER model_parallel_NPU_group: x\n1\n", "line 1"},
      {"HYBRID_TRANSFORMER tensors: 4\n1\n", "\"tensors:\" is not known"},
      {"HYBRID_TRANSFORMER model_parallel_NPU_group: 4\nmany\n", "line 2"},
      {"HYBRID_TRANSFORMER model_parallel_NPU_group: 4\n2\na -1 1 NONE 0 1 NONE 0 1 NONE 0 1\n",
       "expected 2 rows"},
      {"HYBRID_TRANSFORMER model_parallel_NPU_group: 4\n1\na -1 1 NONE 0 1 NONE 0 1 NONE 0\n",
       "has 11 fields"},
      {"HYBRID_TRANSFORMER model_parallel_NPU_group: 4\n1\na -1 1 SUM 0 1 NONE 0 1 NONE 0 1\n",
       "\"SUM\" is no collective"},
      {"HYBRID_TRANSFORMER model_parallel_NPU_group: 4\n1\na -1 -7 NONE 0 1 NONE 0 1 NONE 0 1\n",
       "0 or more whole nanoseconds"},
      {"HYBRID_TRANSFORMER model_parallel_NPU_group: 4 all_gpus: 6\n1\na -1 1 NONE 0 1 NONE 0 1 "
       "NONE 0 1\n",
       "expected a multiple"},
      {"HYBRID_TRANSFORMER model_parallel_NPU_group: 2 ep: 3 all_gpus: 16\n1\n"
       "a -1 1 NONE 0 1 NONE 0 1 NONE 0 1\n",
       "ep is 3"},
      {"HYBRID_MODEL_DATA all_gpus: 6\n1\na -1 1 NONE 0 1 NONE 0 1 NONE 0 1\n",
       "HYBRID_MODEL_DATA"},
  };
  for (const auto& [text, told] : wrong) {
    const auto workload = parse(text);
    ASSERT_FALSE(workload) << text;
    EXPECT_EQ(workload.error().where.substr(0, 5), "w.txt") << text;
    EXPECT_NE(workload.error().text().find(told), std::string::npos) << workload.error().text();
  }
}

const std::string table =
    "comm_type,comm_group,comm_group_size,msg_size,stage,dst,src,additional,_elapsed_time,algbw,"
    "busbw,count\n"
    "CommType.all_reduce,CommGroup.dp_group,4,8,init.model_setup,None,None,,3380.2,0.0,0.0,1\n"
    "CommType.epoch_end,None,None,0,,None,None,,7950.4,0.0,0.0,1\n"
    "CommType.all_gather,CommGroup.tp_group,2,64,forward,None,None,,0.5,0.0,0.0,2\n"
    "CommType.all_to_all,CommGroup.ep_group,None,32,forward,None,None,,0.25,0.0,0.0,1\n"
    "CommType.reduce_scatter,CommGroup.dp_group,4,128,step,None,None,,None,None,None,1\n"
    "CommType.epoch_end,None,None,0,,None,None,,9.0,0.0,0.0,1\n";

TEST(SimaiReader, TakesTheLastIterationOfATableOfAicbs) {
  const auto workload = parse(table);
  ASSERT_TRUE(workload) << workload.error().text();
  ASSERT_EQ(workload->ranks.size(), 8U);  // 2 tensor ranks times 4 data ranks
  EXPECT_EQ(names(*workload), (std::vector<std::string>{"all-gather forward", "all-gather forward",
                                                        "forward", "reduce-scatter step"}));
  EXPECT_EQ(workload->ranks[0].tasks[0].work.picoseconds, 500'000'000);
  EXPECT_EQ(info(*workload, 2).kind, SpanKind::host);  // of a group whose size is not told
  EXPECT_EQ(workload->ranks[0].tasks[2].work.picoseconds, 250'000'000);
  EXPECT_LT(workload->ranks[0].tasks[3].work.picoseconds, 0);
  EXPECT_EQ(after(*workload, 3), std::vector<std::int32_t>{2});
  EXPECT_NE(remarks(*workload).find("the last of 2 iterations"), std::string::npos);
  EXPECT_NE(remarks(*workload).find("1 rows of each rank"), std::string::npos);
}

TEST(SimaiReader, NamesTheLineOfATableThatIsWrong) {
  const auto cut = parse(table.substr(0, table.size() - 30));
  ASSERT_FALSE(cut);
  EXPECT_EQ(cut.error().where, "w.txt: line 7");
  const auto two_sizes =
      parse(table + "CommType.all_gather,CommGroup.tp_group,4,64,f,None,None,,1,0,0,1\n");
  ASSERT_FALSE(two_sizes);
  EXPECT_NE(two_sizes.error().what.find("tp_group has 4 ranks, and 2 before"), std::string::npos);
}

TEST(SimaiReader, RecognisesItsFilesByTheirBeginning) {
  EXPECT_TRUE(is_simai(transformer));
  EXPECT_TRUE(is_simai("MICRO\n1\n"));
  EXPECT_TRUE(is_simai(table));
  EXPECT_TRUE(is_simai("[rank0 ~ rank127]\n" + table));
  EXPECT_FALSE(is_simai(""));
  EXPECT_FALSE(is_simai("{\"traceEvents\": []}"));
  EXPECT_FALSE(is_simai("train_iter:10\nEmb:\n"));
}

// Of the file's columns: 2,235,901,806 + 1,914,495,229 + 392,398,442 ns of forward, input-gradient
// and weight-gradient passes are the 4,542,795 us of compute that SimAI-Analytical reports.
TEST(SimaiSamples, ComputeIsWhatSimaiAnalyticalReports) {
  QUINTET_NEEDS_SAMPLES();
  const auto workload = read_simai(samples() / "workload_analytical.txt");
  ASSERT_TRUE(workload) << workload.error().text();
  EXPECT_EQ(compute(*workload) / 1'000'000, 4'542'795);
  EXPECT_EQ(workload->world_size, 768);   // 9216 GPUs in 12 stages
  EXPECT_EQ(workload->ranks.size(), 1U);  // 768 times some 7000 tasks are not held
  const std::string told = remarks(*workload);
  EXPECT_NE(told.find("one pipeline stage's of 12"), std::string::npos) << told;
  EXPECT_NE(told.find("50331648 bytes"), std::string::npos) << told;
  // 24 micro-batches are in the rows already.
  std::int32_t last = -1;
  for (const WorkloadTask& task : workload->ranks[0].tasks) last = std::max(last, task.micro_batch);
  EXPECT_EQ(last, 23);
  std::multiset<std::size_t> sizes;
  for (const WorkloadGroup& group : workload->groups) sizes.insert(group.members.size());
  // Tensor 2, experts 16, data 384, of which 24 hold the same experts.
  EXPECT_EQ(sizes, (std::multiset<std::size_t>{2, 16, 24, 384}));
  EXPECT_EQ(faults(*workload), std::vector<std::string>{});
}

TEST(SimaiSamples, EachOfTheFilesIsReadOrRefusedForWhatItIs) {
  QUINTET_NEEDS_SAMPLES();
  const auto micro = read_simai(samples() / "microAllReduce.txt");
  ASSERT_TRUE(micro) << micro.error().text();
  EXPECT_EQ(micro->ranks.size(), 8U);
  EXPECT_EQ(names(*micro)[1], "all-reduce embedding_layer forward");
  EXPECT_EQ(info(*micro, 1).size, Bytes{16777216});
  EXPECT_EQ(compute(*micro), 2 * (556'000'000 + 1000 + 1000));

  for (const char* file :
       {"G175B-M1-C03_GPT175B_megatron_tp8_pp1_mbs1_A100.txt", "muti_all_reduce.txt"}) {
    const auto workload = read_simai(samples() / "aicb" / file);
    ASSERT_TRUE(workload) << workload.error().text();
    EXPECT_EQ(workload->ranks.size(), 8U) << file;
    EXPECT_NE(remarks(*workload).find("does not say of how many GPUs"), std::string::npos);
    const auto more = read_simai(samples() / "aicb" / file, 16);
    ASSERT_TRUE(more) << more.error().text();
    EXPECT_EQ(more->ranks.size(), 16U) << file;
  }
  const auto llama =
      read_simai(samples() / "aicb/L7B-M1-C04_Llama7B_megatron_tp2_pp1_mbs1_A100.txt", 4);
  ASSERT_TRUE(llama) << llama.error().text();
  EXPECT_EQ(peers(*llama, 0).collective, CollectiveKind::broadcast);

  const auto reduces = read_simai(samples() / "aicb/all_reduce.txt", 8);
  ASSERT_TRUE(reduces) << reduces.error().text();
  EXPECT_EQ(reduces->ranks[0].peers.size(), 19U);
  EXPECT_FALSE(read_simai(samples() / "aicb/all_reduce.txt"));  // of how many GPUs?

  // 10 iterations after the start: 8538 rows, 853 or so each.
  const auto measured = read_simai(samples() / "aicb/A100_example.csv");
  ASSERT_TRUE(measured) << measured.error().text();
  EXPECT_EQ(measured->ranks.size(), 8U);
  EXPECT_NE(remarks(*measured).find("the last of 11 iterations"), std::string::npos);
  const auto planned = read_simai(samples() / "aicb/L7B-M1-C04_Llama7B_megatron_tp2_pp1_mbs1.csv");
  ASSERT_TRUE(planned) << planned.error().text();
  EXPECT_EQ(planned->ranks.size(), 128U);  // "[rank0 ~ rank127]"

  const std::vector<std::pair<std::string, std::string>> refused{
      {"aicb/Example.txt", "what operators took"},
      {"aicb/Workload_spec_v1.1.csv", "list of models"},
      {"SimAI.conf", "is no workload"},
      {"busbw.yaml", "is no workload"},
      {"generated_topo/Spectrum-X_8g_8gps_400Gbps_H100", "is no workload"}};
  for (const auto& [file, why] : refused) {
    const auto workload = read_simai(samples() / file);
    ASSERT_FALSE(workload) << file;
    EXPECT_NE(workload.error().what.find(why), std::string::npos) << workload.error().text();
  }
}

}  // namespace
