// Which of a rank's tasks run when, by ASTRA-sim's rules: its "workload layer".
#pragma once

#include <array>
#include <cstdint>
#include <set>
#include <vector>

#include "traces/astra_sim/rank_events.h"
#include "traces/astra_sim/rank_pieces.h"
#include "traces/astra_sim/replay.h"
#include "traces/astra_sim/traffic.h"

namespace quintet {

// Only one of each runs at a time on a rank, but any number of receives.
enum class AstraResource : std::uint8_t { host, compute, communication, none };
AstraResource resource_of(const Workload& workload, const SpanInfo& info);

// By the roofline.
std::int64_t roofline_nanoseconds(const AstraSystem& system, Flops operations, Bytes touched);

class AstraTasks {
 public:
  // All outlive this. The workload has been looked over (replay.cpp).
  AstraTasks(const Workload& workload, const AstraNetwork& network, const AstraSystem& system,
             EventQueue& events, Traffic& traffic);

  void start();  // every rank, in their order
  void ended(int rank, int task);
  void happen(int rank, const RankEvent& event);
  void received(Receiver receiver);

  // Of a rank: whether it got through, and its times.
  bool finished(int rank) const { return ranks_[static_cast<std::size_t>(rank)].finished; }
  AstraRankTime time(int rank) const { return ranks_[static_cast<std::size_t>(rank)].time; }
  std::int64_t alone() const { return alone_; }  // collectives without anybody else

 private:
  struct RankState {
    std::vector<std::int32_t> missing;            // predecessors of each task that have not ended
    std::vector<std::int32_t> next_begin, next;   // successors
    std::array<std::set<std::int32_t>, 4> ready;  // by AstraResource
    std::array<bool, 4> taken{};
    std::vector<std::int32_t> ready_later;  // became ready while tasks are taken up
    bool taking_up = false, finished = false;
    std::int32_t running = 0;
    Duration computed;
    AstraRankTime time;
  };
  void order(int rank);
  void settle(int rank, int task);
  void make_ready(int rank, int task);
  void take_up(int rank);
  std::int32_t next_to_take_up(const RankState& state, std::int32_t last) const;
  void issue(int rank, int task);
  void replay(int rank, int task);
  void compute(int rank, int task);
  void communicate(int rank, int task);
  void collective(int rank, int task);
  void message(int rank, int task);
  void take(int rank, int task, std::int64_t nanoseconds);
  const SpanInfo& info_of(int rank, int task) const;
  const WorkloadTask& task_of(int rank, int task) const;

  const Workload& workload_;
  const AstraNetwork& network_;
  const AstraSystem& system_;
  EventQueue& events_;
  Traffic& traffic_;
  RankEvents rank_events_;
  RankPieces pieces_;
  std::vector<RankState> ranks_;
  // Receives by their number in the mailbox, which has room for one: rank and task.
  struct Task {
    std::int32_t rank, task;
  };
  std::vector<Task> receives_;
  std::vector<std::int32_t> free_receives_;
  std::int64_t alone_ = 0;
};

}  // namespace quintet
