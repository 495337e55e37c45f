// The pieces of collectives that ranks have under way, each in the queue of the dimension that its
// phase is in: ASTRA-sim's scheduler. A queue's first pieces are in work, active_chunks of them
// over all queues of a dimension; behind them stand others, those of higher priority first.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <vector>

#include "traces/astra_sim/phase.h"
#include "traces/astra_sim/phase_run.h"
#include "traces/astra_sim/rank_events.h"
#include "traces/astra_sim/traffic.h"

namespace quintet {

class RankPieces {
 public:
  // Outlive this: all but the function, which is told of a task whose collective has ended; it may
  // start others.
  RankPieces(const AstraNetwork& network, const AstraSystem& system, RankEvents& events,
             Traffic& traffic, std::function<void(int rank, int task)> ended);

  // How many pieces there are; of none nobody will be told. `group` tells collectives apart: they
  // match by their order in it.
  std::int64_t start(const AstraCollectiveCall& call, int group, int task);
  // A packet of a piece has been handled, or must be added up first.
  void handled(int rank, const RankEvent& event);
  // A packet of a piece has come.
  void received(int piece);

 private:
  struct Collective {
    std::int64_t left = 0;  // pieces
    std::int32_t task = 0;
  };
  struct Piece {
    std::int32_t rank = 0, collective = 0;
    std::int64_t tag = 0;
    std::vector<AstraPhase> phases;
    std::size_t phases_begun = 0;
    PhaseRun run;
    const AstraPhase& phase() const { return phases[phases_begun - 1]; }
  };
  struct Queue {
    std::vector<std::int32_t> pieces;  // in work, then waiting
    int in_work = 0;
  };
  struct RankState {
    QueueTurns turns;
    std::vector<Queue> queues;
    std::map<int, std::int64_t> pieces_of_group{};
  };
  void go_on(int piece);
  void end_of(const Piece& piece);
  void work_on(int rank, int queue);
  void begin(int piece);
  void take_in_hand(int piece);
  std::int64_t adding_up(std::int64_t size) const;

  const AstraNetwork& network_;
  const AstraSystem& system_;
  RankEvents& events_;
  Traffic& traffic_;
  std::function<void(int, int)> ended_;
  int at_once_;  // pieces in work, a queue
  std::vector<RankState> ranks_;
  std::deque<Piece> pieces_;  // a deque: references last while others are added
  std::vector<std::int32_t> free_pieces_;
  std::vector<Collective> collectives_;
  std::vector<std::int32_t> free_collectives_;
  std::vector<PhasePacket> packets_;  // that go now
};

// Tags of pieces and of tasks' messages never meet.
constexpr std::int64_t tag_of_piece(std::int64_t group, std::int64_t number) {
  return ((group + 1) << 32 | number) << 1;
}
constexpr std::int64_t tag_of_task(std::int64_t tag) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(tag) << 1 | 1);
}

}  // namespace quintet
