#include <filesystem>

#include <gtest/gtest.h>

#include "traces/astra_sim/astra_system.h"
#include "traces/astra_sim/remote_memory.h"

namespace quintet {
namespace {

const std::filesystem::path samples = QUINTET_SOURCE_DIR "/../shared/samples/astra-sim";

#define NEED_SAMPLES()                   \
  if (!std::filesystem::exists(samples)) \
  GTEST_SKIP() << "NOT TESTED on real files: there are no samples at " << samples

std::string error_of(const std::string& text) {
  const auto system = astra_system_of(text, "sys.json");
  return system ? "read" : system.error().text();
}

TEST(AstraSystemFile, ReadsTheSamples) {
  NEED_SAMPLES();
  const auto system = read_astra_system(samples / "system/native_collectives/Ring_4chunks.json");
  ASSERT_TRUE(system) << system.error().text();
  EXPECT_EQ(system->policy, AstraPolicy::last_in_first_out);
  EXPECT_EQ(system->dataset_splits, 4);
  EXPECT_EQ(system->memory_gigabytes, 1600.0);
  EXPECT_EQ(system->peak_teraflops, 900.0);
  EXPECT_EQ(system->optimization, AstraOptimization::local_bandwidth_aware);
  for (const AstraCollective& collective : system->collectives)
    EXPECT_EQ(collective.per_dimension, std::vector<AstraImplementation>{{}});
  EXPECT_EQ(system->left_out.size(), 1U);  // boost-mode
  const auto validated =
      read_astra_system(samples / "system/native_collectives/HGX-H100-validated.json");
  ASSERT_TRUE(validated) << validated.error().text();
  EXPECT_EQ(validated->active_chunks, 2);
  const auto custom =
      read_astra_system(samples / "system/custom_collectives/custom_collective.json");
  ASSERT_TRUE(custom) << custom.error().text();
  EXPECT_EQ(custom->policy, AstraPolicy::first_in_first_out);
  EXPECT_TRUE(custom->collectives[0].custom.ends_with("custom_allreduce"));
}

TEST(AstraSystemFile, KnowsTheAlgorithms) {
  const auto system = astra_system_of(R"({"preferred-dataset-splits": 1,
      "all-reduce-implementation": ["ring", "halvingDoubling", "oneRing", "doubleBinaryTree"],
      "all-to-all-implementation": ["direct", "direct8", "oneDirect3", "oneHalvingDoubling"]})",
                                      "sys.json");
  ASSERT_TRUE(system) << system.error().text();
  using enum AstraAlgorithm;
  EXPECT_EQ(system->collectives[0].per_dimension,
            (std::vector<AstraImplementation>{{ring, false, -1},
                                              {halving_doubling, false, -1},
                                              {ring, true, -1},
                                              {double_binary_tree, false, -1}}));
  EXPECT_EQ(system->collectives[3].per_dimension,
            (std::vector<AstraImplementation>{{direct, false, -1},
                                              {direct, false, 8},
                                              {direct, true, 3},
                                              {halving_doubling, true, -1}}));
}

TEST(AstraSystemFile, IsWrittenSoThatItReadsBack) {
  AstraSystem system;
  system.policy = AstraPolicy::last_in_first_out;
  system.dataset_splits = 4;
  system.optimization = AstraOptimization::local_bandwidth_aware;
  system.memory_gigabytes = 3350.0;
  system.peak_teraflops = 989.4;
  system.roofline = true;
  system.collectives[0].per_dimension = {{AstraAlgorithm::direct, true, 4}, {}};
  system.collectives[2].custom = "steps/all_gather";
  const auto again = astra_system_of(astra_system_text(system), "again");
  ASSERT_TRUE(again) << again.error().text();
  EXPECT_EQ(*again, system);
}

TEST(AstraSystemFile, SaysWhichKeyIsWrongAndWhatIsAccepted) {
  EXPECT_EQ(error_of("{}").substr(0, 34), "sys.json: preferred-dataset-splits");
  EXPECT_NE(error_of(R"({"preferred-dataset-splits": 0})").find("preferred-dataset-splits"),
            std::string::npos);
  EXPECT_NE(error_of(R"({"preferred-dataset-splits": 1, "scheduling-policy": "LIF0"})")
                .find("did you mean"),
            std::string::npos);
  const std::string unknown =
      error_of(R"({"preferred-dataset-splits": 1, "all-gather-implementation": ["direct0"]})");
  EXPECT_NE(
      unknown.find("sys.json: all-gather-implementation: \"direct0\" is not known; known are ring"),
      std::string::npos)
      << unknown;
  EXPECT_NE(error_of(R"({"preferred-dataset-splits": 1, "local-mem-bw": -1})").find("found -1"),
            std::string::npos);
  EXPECT_NE(error_of(R"({"preferred-dataset-splits": 1, "roofline-enabled": "yes"})")
                .find("expected 0 or 1"),
            std::string::npos);
  EXPECT_NE(error_of("[]").find("sys.json"), std::string::npos);
}

// ASTRA-sim overlooks keys that it does not know; here they are counted.
TEST(AstraSystemFile, CountsKeysThatChangeNothing) {
  const auto system = astra_system_of(
      R"({"preferred-dataset-splits": 1, "boost-mode": 1, "bosst": 2, "trace-enabled": 1})", "s");
  ASSERT_TRUE(system) << system.error().text();
  EXPECT_EQ(system->left_out,
            (std::vector<LeftOut>{{"the key \"boost-mode\": ASTRA-sim no longer reads it", 1},
                                  {"the key \"bosst\": not known", 1},
                                  {"the key \"trace-enabled\": of its log", 1}}));
}

TEST(AstraRemoteMemoryFile, ReadsTheKinds) {
  EXPECT_EQ(*astra_remote_memory_of(R"({"memory-type": "NO_MEMORY_EXPANSION"})", "m"),
            AstraRemoteMemory{});
  EXPECT_EQ(*astra_remote_memory_of(R"({"memory-type": "PER_NODE_MEMORY_EXPANSION", "num-nodes": 2,
      "num-npus-per-node": 8, "remote-mem-latency": 100, "remote-mem-bw": 50})",
                                    "m"),
            (AstraRemoteMemory{AstraMemoryKind::per_node, 100.0, 50.0, 2, 8}));
  EXPECT_FALSE(astra_remote_memory_of(R"({"memory-type": "LOTS"})", "m"));
  NEED_SAMPLES();
  const auto sample =
      read_astra_remote_memory(samples / "remote_memory/analytical/no_memory_expansion.json");
  ASSERT_TRUE(sample) << sample.error().text();
  EXPECT_EQ(*sample, AstraRemoteMemory{});
}

}  // namespace
}  // namespace quintet
