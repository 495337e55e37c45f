#include "traces/astra_sim/phase.h"

#include <algorithm>

namespace quintet {
namespace {

// The rings of a call with their algorithms, from the first dimension.
struct Level {
  int dimension = 0;
  LogicalRing ring;
  AstraImplementation implementation;
};

std::vector<Level> levels_of(const AstraCollectiveCall& call, const AstraNetwork& network,
                             const AstraSystem& system) {
  if (call.group != nullptr) {
    const int members = static_cast<int>(call.group->size());
    if (members == 1) return {};
    return {{0, {members, 0, 1, call.group}, {}}};
  }
  std::vector<Level> levels;
  const std::size_t collective = *astra_collective_of(call.kind);
  for (const AstraImplementation& implementation : system.collectives[collective].per_dimension) {
    const int dimension = static_cast<int>(levels.size());
    if (implementation.one_ring) {
      levels.push_back({dimension, one_ring(network), implementation});
      break;
    }
    levels.push_back({dimension, ring_in(network, dimension, call.rank), implementation});
  }
  return levels;
}

// Adds phases to a piece, each with what the one before leaves.
class Cutting {
 public:
  Cutting(const AstraCollectiveCall& call, std::int64_t piece)
      : in_group_(call.group != nullptr), size_(piece) {}

  void add(CollectiveKind kind, const Level& level, QueueTurns::Turn turn) {
    phases_.push_back(
        {kind, level.implementation, level.ring, size_, turn.queue, turn.backwards, in_group_});
    size_ = size_after(phases_.back());
  }
  std::vector<AstraPhase> phases() && { return std::move(phases_); }

 private:
  bool in_group_;
  std::int64_t size_;
  std::vector<AstraPhase> phases_;
};

}  // namespace

LogicalRing ring_in(const AstraNetwork& network, int dimension, int rank) {
  int stride = 1;
  for (int at = 0; at < dimension; ++at)
    stride *= network.dimensions[static_cast<std::size_t>(at)].ranks;
  const int size = network.dimensions[static_cast<std::size_t>(dimension)].ranks;
  return {size, rank - rank / stride % size * stride, stride, nullptr};
}

LogicalRing one_ring(const AstraNetwork& network) {
  return {ranks_of(network), 0, 1, nullptr};
}

int place_in(const LogicalRing& ring, int rank) {
  if (ring.members == nullptr) return (rank - ring.first) / ring.stride;
  const auto found = std::find(ring.members->begin(), ring.members->end(), rank);
  return found == ring.members->end() ? -1 : static_cast<int>(found - ring.members->begin());
}

std::int64_t size_after(const AstraPhase& phase) {
  if (phase.kind == CollectiveKind::all_gather) return phase.size * phase.ring.size;
  if (phase.kind == CollectiveKind::reduce_scatter) return phase.size / phase.ring.size;
  return phase.size;
}

QueueTurns::QueueTurns(int dimensions, int queues)
    : queues_(queues), turns_(static_cast<std::size_t>(dimensions), {0, 0, queues / 2}) {}

QueueTurns::Turn QueueTurns::next(int dimension) {
  int& turn = turns_[static_cast<std::size_t>(dimension)].all;
  const Turn next{dimension * queues_ + turn, queues_ > 1 && turn >= queues_ / 2};
  turn = (turn + 1) % queues_;
  return next;
}

QueueTurns::Turn QueueTurns::next_out(int dimension) {
  int& turn = turns_[static_cast<std::size_t>(dimension)].out;
  const Turn next{dimension * queues_ + turn, false};
  turn = (turn + 1) % std::max(queues_ / 2, 1);
  return next;
}

QueueTurns::Turn QueueTurns::next_back(int dimension) {
  int& turn = turns_[static_cast<std::size_t>(dimension)].back;
  const Turn next{dimension * queues_ + turn, true};
  if (++turn == queues_) turn = queues_ / 2;
  return next;
}

Pieces pieces_of(const AstraCollectiveCall& call, const AstraNetwork& network,
                 const AstraSystem& system) {
  const std::int64_t splits = system.dataset_splits;
  std::int64_t size = call.size;
  std::int64_t piece = size / splits;
  if (call.kind != CollectiveKind::all_gather && ranks_of(network) > piece) {
    piece = ranks_of(network);
    size = splits * piece;
  }
  if (piece == 0) return {};
  return {piece, (size + piece - 1) / piece};
}

std::vector<AstraPhase> phases_of(const AstraCollectiveCall& call, std::int64_t piece,
                                  const AstraNetwork& network, const AstraSystem& system,
                                  QueueTurns& turns) {
  std::vector<Level> levels = levels_of(call, network, system);
  Cutting cutting(call, piece);
  if (levels.empty()) return {};
  if (call.kind != CollectiveKind::all_reduce ||
      system.optimization == AstraOptimization::baseline) {
    if (call.kind == CollectiveKind::all_gather) std::reverse(levels.begin(), levels.end());
    for (const Level& level : levels) cutting.add(call.kind, level, turns.next(level.dimension));
    return std::move(cutting).phases();
  }
  const Level last = levels.back();
  levels.pop_back();
  for (const Level& level : levels)
    cutting.add(CollectiveKind::reduce_scatter, level, turns.next_out(level.dimension));
  cutting.add(CollectiveKind::all_reduce, last, turns.next_out(last.dimension));
  std::reverse(levels.begin(), levels.end());
  for (const Level& level : levels)
    cutting.add(CollectiveKind::all_gather, level, turns.next_back(level.dimension));
  return std::move(cutting).phases();
}

}  // namespace quintet
