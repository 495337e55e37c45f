// What a rank answers for, copied while its next step goes on: fp32 weights and moments as they
// lie, by the thread that writes them, before the next update may change them. They are brought
// into the tensors' order when each is written. The history of delayed scaling in fp8 is copied
// at once.
#pragma once

#include <future>
#include <memory>
#include <span>
#include <vector>

#include "engine/device/host_memory.h"
#include "engine/device/pinned_fetch.h"
#include "engine/executor/rank_executor.h"
#include "engine/files/checkpoint/shard_source.h"
#include "engine/parameters/held_parts.h"

namespace quintet::engine {

enum class Contents { weights, weights_and_moments };

class StateCopy final : public ShardSource {
 public:
  // All that this rank answers for: what several ranks keep alike is in one rank's copy only. The
  // executor, which waits with its next update until copies are taken, must outlive that; `way` is
  // a device's and may be null where there is none.
  StateCopy(RankExecutor& executor, Contents contents, PinnedFetch* way);

  std::optional<Error> take_copies() override;
  const std::vector<Piece>& pieces() const override { return pieces_; }
  void put_content(std::size_t piece, std::span<std::byte> content) override;

 private:
  struct Stretch {
    kernels::ConstTensor memory{};
    Index count = 0;
    Buffer copy;
  };
  struct PartOfStretch {
    std::size_t stretch = 0;
    HeldPart part;
  };
  void add(StateKind kind, const kernels::ConstTensor& memory, Index count,
           const std::vector<HeldPart>& parts);

  void add_replicator(RankExecutor& executor, const KeptStretch& kept,
                      const std::vector<HeldPart>& parts);
  void add_float8_rows(RankExecutor& executor);

  PinnedFetch* way_;
  int replica_ = 0;  // whose names pieces get
  HostMemory memory_;
  std::vector<Stretch> stretches_;
  std::vector<PartOfStretch> parts_;           // of each piece
  std::vector<std::vector<float>> histories_;  // of the pieces after those
  std::vector<Piece> pieces_;
  std::promise<void> taken_;
};

// A way for all copies of a rank; null where it has no device.
std::unique_ptr<PinnedFetch> way_of_copies(RankExecutor& executor);

}  // namespace quintet::engine
