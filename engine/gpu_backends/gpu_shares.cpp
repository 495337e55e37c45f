#include "engine/gpu_backends/gpu_shares.h"

#include <algorithm>
#include <fstream>

#include "engine/files/storage/hash64.h"
#include "engine/network/transport/transport.h"
#include "engine/peers/peers.h"

namespace quintet::engine {

namespace {

constexpr std::uint64_t identities = label_in(LabelSpace::launch, 0);

}  // namespace

int gpu_of(int local_rank, int gpus) {
  return local_rank % gpus;
}

Result<GpuShare> found_share(Peers& peers, const std::string& identity) {
  const auto all = exchanged(peers, identities, hash64(identity));
  if (!all) return all.error();
  GpuShare share;
  for (const std::uint64_t each : *all)
    share.most = std::max(share.most, static_cast<int>(std::count(all->begin(), all->end(), each)));
  const auto mine = all->begin() + peers.rank().value;
  share.first = std::find(all->begin(), mine, *mine) == mine;
  return share;
}

std::string machine_identity() {
  std::ifstream in("/proc/sys/kernel/random/boot_id");
  std::string identity;
  std::getline(in, identity);
  return identity;
}

}  // namespace quintet::engine
