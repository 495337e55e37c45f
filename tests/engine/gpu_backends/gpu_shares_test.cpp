#include "engine/gpu_backends/gpu_shares.h"

#include <gtest/gtest.h>

#include <thread>

#include "engine/peers/thread_peers.h"

namespace quintet::engine {
namespace {

std::vector<GpuShare> shares_of(const std::vector<std::string>& identities) {
  ThreadPeers peers(static_cast<int>(identities.size()));
  std::vector<GpuShare> found(identities.size());
  std::vector<std::thread> threads;
  for (std::size_t rank = 0; rank < identities.size(); ++rank)
    threads.emplace_back([&, rank] {
      const auto share = found_share(peers.rank(Rank{static_cast<int>(rank)}), identities[rank]);
      ASSERT_TRUE(share) << share.error().text();
      found[rank] = *share;
    });
  for (std::thread& thread : threads) thread.join();
  return found;
}

TEST(GpuShares, AreOneWhereEveryRankHasItsOwn) {
  EXPECT_EQ(shares_of({"a", "b", "c"}), std::vector<GpuShare>(3, {1, true}));
}

// Everyone knows the most crowded one; the first rank of each GPU knows that it is.
TEST(GpuShares, OfTheMostCrowdedAreKnownToAll) {
  EXPECT_EQ(
      shares_of({"a", "b", "a", "c", "a", "b"}),
      (std::vector<GpuShare>{{3, true}, {3, true}, {3, false}, {3, true}, {3, false}, {3, false}}));
}

TEST(GpuShares, RanksTakeTheirMachinesGpusInTurn) {
  std::vector<int> taken;
  for (int rank = 0; rank < 5; ++rank) taken.push_back(gpu_of(rank, 2));
  EXPECT_EQ(taken, (std::vector<int>{0, 1, 0, 1, 0}));
}

TEST(GpuShares, AMachineKnowsItself) {
  EXPECT_EQ(machine_identity().size(), 36u);  // a UUID
  EXPECT_EQ(machine_identity(), machine_identity());
}

}  // namespace
}  // namespace quintet::engine
