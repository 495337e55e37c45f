// Model + Plan + Topology + CostTable -> a predicted, explained step. The whole simulator in one
// call.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/base/result.h"
#include "sim/cost/cost_table.h"
#include "sim/explain/breakdown.h"
#include "sim/explain/memory_report.h"
#include "sim/explain/summary.h"
#include "sim/model/model.h"
#include "sim/parallelism/compile.h"
#include "sim/plan/plan.h"
#include "sim/program/program.h"
#include "sim/simulate/fidelity.h"
#include "sim/simulate/prediction_interval.h"
#include "sim/simulate/walk/executor.h"
#include "sim/topology/topology.h"

namespace quintet {

// What a timeline holds. A long step's is large, and its sums do not need all of it.
enum class ShownTimeline {
  whole,
  without_repetition,  // it may lack a part that repeats (sim/timeline/repeated_part.h)
};

struct PredictOptions {
  Folding folding = Folding::equivalent;
  Fidelity fidelity = Fidelity::fluid;
  AttentionCount attention = AttentionCount::causal_half;  // of MFU and HFU
  CompileOptions compile;  // of the software stack; the source of work is set by the costs
  std::function<void(double share)> progress;  // called now and then with 0..1
  // Called before the step is walked; several times where it is walked anew (fold/slack_links.h).
  std::function<void(const WalkExtent&)> begins{};
  ShownTimeline shown = ShownTimeline::whole;
  bool traffic = false;  // whether Prediction::traffic is wanted: it is as long as the timeline
  bool interval = true;  // whether Prediction::interval is wanted; else it is of no width
  int threads = 2;       // that one prediction may take: 1 where others are made beside it
  // Ways through the topology, kept from one prediction on it to the next (sim/price/ways.h): for
  // who makes many, one thread after the other. Null: they are found anew. Results are the same.
  KnownWays* ways = nullptr;
};

// What a walk and the explanation of it will take on one core, within a factor of two or so.
Seconds expected_time(const WalkExtent& extent);

struct Prediction {
  Program program;
  Timeline timeline;
  std::vector<RankBreakdown> breakdowns;
  RankBreakdown mean;
  StepNumbers numbers;
  StepSummary summary;
  std::optional<StepSummary> between;  // of a step without what replicas exchange every n steps
  PredictedInterval interval;
  MemoryReport memory;
  std::vector<LinkLoad> loads;
  std::vector<std::int32_t> load_of_link;  // per link of the topology; -1: it carried nothing
  LinkTraffic traffic;                     // when they carried it, where it was asked for
  std::uint64_t events = 0;
  std::vector<std::int32_t> track_of_rank;  // per rank the track that shows it
  std::vector<MoveBasis> move_bases;        // what priced its communications
  Seconds evaluation;                       // of one that the plan's run has; 0: it has none
  Bytes checkpoint;                         // the state that one keeps (evaluation.h)
  // What the plan's samples come to over many steps; none: they have one length.
  std::optional<LoadBalanceFigures> load_balance;
};

// The program that predict() simulates, after the checks that it makes. Without profiles of whole
// stages among the costs it is the one that the engine runs (sim/job).
Result<Program> checked_program(const Model& model, const Plan& plan, const Topology& topology,
                                const CostTable& costs, const CompileOptions& compile = {});

// The same, whether or not the costs cover it.
Result<Program> unpriced_program(const Model& model, const Plan& plan, const Topology& topology,
                                 const CostTable& costs, const CompileOptions& compile = {});

// Fails with a place when the plan does not fit (all problems in the text) or the costs do not
// cover it.
Result<Prediction> predict(const Model& model, const Plan& plan, const Topology& topology,
                           const CostTable& costs, const PredictOptions& options = {});

// What fills the memory, without simulating the step: kernels need no price.
Result<MemoryReport> predict_memory(const Model& model, const Plan& plan, const Topology& topology,
                                    const CostTable& costs, const CompileOptions& compile = {});

// The timeline alone, of any program.
Result<Execution> simulate(const Program& program, const Plan& plan, const Topology& topology,
                           const CostTable& costs, const PredictOptions& options = {});

// A step whose communications are priced already, of a machine that may change while it is walked
// (walk/world_change.h). `all` has the machine's whole numbering of links.
struct PricedStep {
  const Program& program;
  const Plan& plan;
  const CostTable& costs;
  const Communications& all;
  std::span<const WorldChange> changes{};
  int states = 1;
  bool may_stand = false;
};
// What stands still for ever is no error where the step may stand (Execution::standing).
Result<Execution> simulate_priced(const PricedStep& step, const Topology& topology,
                                  const PredictOptions& options = {});

}  // namespace quintet
