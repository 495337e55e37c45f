// What a rank has to say about a step, and what all of them make of it.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/collectives/rank_group.h"
#include "engine/executor/rank_executor.h"
#include "sim/timeline/breakdown.h"

namespace quintet::engine {

enum class GoOn : std::uint64_t { yes, no };

// Plain numbers, the same on every rank of a job: sent as they lie.
struct RankFigures {
  double loss_sum = 0, gradient_norm = 0;
  double step = 0, compute = 0, exposed = 0, waiting = 0, bubble = 0;  // seconds
  double peak = 0;                                                     // FLOP/s
  GoOn go_on = GoOn::yes;                                              // no: asked to end
};

RankFigures figures_of(const Program& program, Rank rank, const StepReport& report);

struct StepFigures {
  double loss = 0;           // per target
  double gradient_norm = 0;  // 0: the plan does not ask for it
  double step = 0;           // seconds, of the slowest rank
  double compute_share = 0, exposed_share = 0, waiting_share = 0, bubble_share = 0;  // mean
  double peak = 0;  // of all ranks together
  GoOn go_on = GoOn::yes;
};
StepFigures combined(const std::vector<RankFigures>& all, double targets);

// Every rank learns every rank's.
class FigureExchange {
 public:
  static Result<std::unique_ptr<FigureExchange>> make(Transport& transport, Milliseconds within);
  Result<std::vector<RankFigures>> exchange(const RankFigures& mine);

 private:
  FigureExchange(std::unique_ptr<RankGroup> group, Milliseconds within)
      : group_(std::move(group)), within_(within) {}
  std::unique_ptr<RankGroup> group_;
  Milliseconds within_;
};

}  // namespace quintet::engine
