// What a rank has to say about a step, and what all of them make of it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/adapt/told_passes.h"
#include "engine/executor/rank_executor.h"
#include "engine/peers/peers.h"
#include "sim/explain/breakdown.h"

namespace quintet::engine {

enum class GoOn : std::uint64_t { yes, no };

// Plain numbers, the same on every rank of a job: sent as they lie.
struct RankFigures {
  double loss_sum = 0, gradient_norm = 0;
  double step = 0, compute = 0, exposed = 0, waiting = 0, bubble = 0;  // seconds
  double peak = 0;                                                     // FLOP/s, measured
  double datasheet_peak = 0;                                           // 0: not known
  double memory = 0;                                                   // bytes of a device so far
  double predicted_memory = 0;                                         // likewise, at most
  double processors = 0;   // seconds of its process since the step before was told
  GoOn go_on = GoOn::yes;  // no: asked to end
};

// A report without spans, of a device that takes no times, leaves the seconds 0.
RankFigures figures_of(const Program& program, Rank rank, const StepReport& report);

struct StepFigures {
  double loss = 0;           // per target
  double gradient_norm = 0;  // 0: the plan does not ask for it
  double step = 0;           // seconds, of the slowest rank
  double compute_share = 0, exposed_share = 0, waiting_share = 0, bubble_share = 0;  // mean
  bool has_shares = false;              // some rank took times
  double peak = 0, datasheet_peak = 0;  // of all ranks together
  GoOn go_on = GoOn::yes;
};
// What all ranks' processes used (StepTime::processors).
Duration processors_of(const std::vector<RankFigures>& all);
StepFigures combined(const std::vector<RankFigures>& all, double targets);

// Every rank learns every rank's, through rank 0.
Result<std::vector<RankFigures>> exchanged(Peers& peers, const RankFigures& mine);

// Likewise, with passes beside them (engine/adapt/told_passes.h), as many on every rank.
struct ToldStep {
  std::vector<RankFigures> figures;
  std::vector<ToldPass> passes;  // rank by rank
};
Result<ToldStep> exchanged(Peers& peers, const RankFigures& mine, std::span<const ToldPass> passes);

}  // namespace quintet::engine
