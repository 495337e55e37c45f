// ASTRA-sim's own example traces on its own example networks.
#include <filesystem>

#include <gtest/gtest.h>

#include "tests/traces/astra_sim/astra_table.h"
#include "traces/astra_sim/replay.h"
#include "traces/chakra/chakra.h"

namespace quintet {
namespace {

const std::filesystem::path samples = QUINTET_SOURCE_DIR "/../shared/samples";

// Nanoseconds at which every rank ends; -1: not all at the same, or a complaint.
std::int64_t end_of(const std::string& trace, const std::string& network, AstraBackend backend) {
  const std::vector<std::filesystem::path> files{samples / "chakra/astra-sim" / trace};
  const auto workload = read_chakra(files);
  if (!workload) return ADD_FAILURE() << workload.error().text(), -1;
  const auto on = read_astra_network(samples / "astra-sim/network/analytical" / network);
  const auto system =
      read_astra_system(samples / "astra-sim/system/native_collectives/Ring_4chunks.json");
  const auto times = replay_by_astra_rules(*workload, *on, *system, backend);
  if (!times) return ADD_FAILURE() << times.error().text(), -1;
  for (const AstraRankTime& rank : times->ranks)
    if (rank.finish != times->end) return -1;
  return times->end.picoseconds / 1000;
}

// ASTRA-sim's wiki and tutorials print the all-reduce's 64440 of the log of 2025-01-26, and of the
// same on 16 ranks an all-gather's 323560, which is the last of these with 15 messages for 7. Four
// pieces one after the other. A piece of 262144 bytes round a ring of 8 is messages of 32768: 500 +
// 610.35 ns, cut to 1110; adding up takes 3 x trunc(32768 / 1600 bytes/ns) = 60.
//   all-reduce: 10 + 7 x (1110 + 10 + 60) + 7 x (1110 + 10) = 16110
//   reduce-scatter: 10 + 7 x (1110 + 10 + 60) = 8270
//   all-gather, each rank's megabyte, messages of 262144: 500 + 4882.8: 10 + 7 x (5382 + 10) =
//   37754 all-to-all round the ring, 28 messages: 10 + 28 x (1110 + 10) = 31370
TEST(AstraSamples, TakeWhatTheRulesSay) {
  if (!std::filesystem::exists(samples))
    GTEST_SKIP() << "NOT TESTED on real files: there are no samples at " << samples;
  for (const auto backend : {AstraBackend::congestion_unaware, AstraBackend::congestion_aware}) {
    EXPECT_EQ(end_of("all_reduce.8npus_1MB", "Ring_8npus.yml", backend), 64440);
    EXPECT_EQ(end_of("reduce_scatter.8npus_1MB", "Ring_8npus.yml", backend), 4 * 8270);
    EXPECT_EQ(end_of("all_gather.8npus_1MB", "Ring_8npus.yml", backend), 4 * 37754);
    EXPECT_EQ(end_of("all_to_all.8npus_1MB", "Ring_8npus.yml", backend), 4 * 31370);
  }
}

TEST(AstraSamples, GatherOnSixteenRanksAsAstraSimsExampleDoes) {
  AstraRow row;
  row.network = one_dimension(AstraShape::ring, 16);
  AstraSystem system = system_of(row);
  system.dataset_splits = 4;
  system.memory_gigabytes = 1600.0;
  for (const auto backend : {AstraBackend::congestion_unaware, AstraBackend::congestion_aware}) {
    const auto times =
        replay_by_astra_rules(one_collective(CollectiveKind::all_gather, 16 * mebibyte, 16),
                              row.network, system, backend);
    ASSERT_TRUE(times) << times.error().text();
    EXPECT_EQ(times->end.picoseconds, 323'560'000);
  }
}

// 14 messages of 131072 bytes, 500 + 2441.4 ns, and 7 sums of 7 us as the trace has them.
TEST(AstraSamples, ReplayARingWrittenOutMessageByMessage) {
  if (!std::filesystem::exists(samples))
    GTEST_SKIP() << "NOT TESTED on real files: there are no samples at " << samples;
  EXPECT_GT(
      end_of("custom_ring_allreduce_8npus_1MB", "Ring_8npus.yml", AstraBackend::congestion_aware),
      0);
}

}  // namespace
}  // namespace quintet
