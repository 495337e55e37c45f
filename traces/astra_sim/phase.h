// How ASTRA-sim cuts a collective up: pieces that go through the dimensions one after the other, a
// phase in each.
#pragma once

#include <cstdint>
#include <vector>

#include "traces/astra_sim/astra_network.h"
#include "traces/astra_sim/astra_system.h"

namespace quintet {

// Who takes part, counted from 0: ranks a stride apart, or those of a list.
struct LogicalRing {
  int size = 1;
  int first = 0, stride = 1;
  const std::vector<std::int32_t>* members = nullptr;  // none: by stride; outlives this
  bool operator==(const LogicalRing&) const = default;

  int rank_at(int place) const {
    return members != nullptr ? (*members)[static_cast<std::size_t>(place)]
                              : first + place * stride;
  }
};

// Those of dimension `dimension` that `rank` is among; dimensions of more ranks than one.
LogicalRing ring_in(const AstraNetwork& network, int dimension, int rank);
// All ranks, as the "one..." algorithms have them.
LogicalRing one_ring(const AstraNetwork& network);
// -1: not among them.
int place_in(const LogicalRing& ring, int rank);

struct AstraPhase {
  CollectiveKind kind = CollectiveKind::all_reduce;
  AstraImplementation implementation;
  LogicalRing ring;
  std::int64_t size = 0;   // that the rank has before it, in bytes
  int queue = 0;           // of the rank, where it waits for its turn
  bool backwards = false;  // round the ring the other way
  // Packets wait 10 ns for being handled, whatever the system says: so it is in groups.
  bool in_group = false;
  bool operator==(const AstraPhase&) const = default;
};

// That the rank has after it.
std::int64_t size_after(const AstraPhase& phase);

// Which queue of a dimension is next, by turns (ASTRA-sim's --num-queues-per-dim). All-reduces go
// out through the first half of a dimension's queues and come back through the second.
class QueueTurns {
 public:
  struct Turn {
    int queue = 0;
    bool backwards = false;
  };
  QueueTurns(int dimensions, int queues);
  Turn next(int dimension);
  Turn next_out(int dimension);
  Turn next_back(int dimension);

 private:
  struct Turns {
    int all = 0, out = 0, back = 0;
  };
  int queues_;
  std::vector<Turns> turns_;
};

// A collective as a rank sees it. `size` is what it puts in.
struct AstraCollectiveCall {
  CollectiveKind kind = CollectiveKind::all_reduce;
  std::int64_t size = 0;
  int rank = 0;
  const std::vector<std::int32_t>* group = nullptr;  // none: all ranks of the network
};

// The bytes of a piece, and how many pieces there are. None where it cannot be cut so finely, which
// ASTRA-sim does not notice.
struct Pieces {
  std::int64_t size = 0, count = 0;
};
Pieces pieces_of(const AstraCollectiveCall& call, const AstraNetwork& network,
                 const AstraSystem& system);

// Of one piece. Empty where there is nobody to communicate with.
std::vector<AstraPhase> phases_of(const AstraCollectiveCall& call, std::int64_t piece,
                                  const AstraNetwork& network, const AstraSystem& system,
                                  QueueTurns& turns);

}  // namespace quintet
