// The step of all stages, pass by pass, by the dependency recursion over stages: each stage does
// its schedule's passes in their order, each as soon as its message is there.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "sim/analytic/stage_clock.h"
#include "sim/analytic/step_pieces.h"
#include "sim/cost/cost_table.h"
#include "sim/parallelism/compile.h"
#include "sim/parallelism/schedules/schedule.h"
#include "sim/plan/plan.h"

namespace quintet {

// How far a stage was when a micro-batch was done with it.
struct Milestone {
  double now = 0;
  TimeSpent spent;
};

struct WalkedStep {
  double end = 0;                 // s
  std::vector<TimeSpent> stages;  // what is left of `end` is neither
};

class StepWalk {
 public:
  // References must outlive this. `orders`: of each stage.
  StepWalk(const Plan& plan, const CostTable& costs, const CompileOptions& options,
           const StepPieces& pieces, const std::vector<PassOrder>& orders, int micro_batches,
           JointLinks& joint);

  WalkedStep run();
  // Of a walk of few of the plan's micro-batches the whole step, if the walk has come to go on
  // evenly: from one period of micro-batches to the next all stages add the same.
  // `anyhow`: even if not.
  std::optional<WalkedStep> prolonged(const WalkedStep& walked, bool anyhow) const;

 private:
  // What one stage still knows of its micro-batches.
  struct Message {
    double sent = -1, arrives = -1;
  };
  struct Late {
    std::size_t chunk = 0, bucket = 0;
  };
  struct Gather {
    const MoveChain* chain = nullptr;
    std::size_t uses = 0;
  };
  struct Stage {
    StageClock clock;
    std::size_t next = 0;                    // pass
    std::vector<Message> forward, backward;  // that it receives, by chunk and micro-batch
    std::vector<std::vector<int>> gathered;  // by chunk and bucket: the gather's number
    // FSDP: gathers in the order of the script, each with how many uses it waits for; how many have
    // begun, and the number of each on its lane; how many were used.
    std::vector<Gather> gathers;
    std::vector<int> begun;
    std::size_t awaited = 0, used = 0;
    std::vector<Late> late;
    std::vector<int> passes_left;  // by chunk, until its gradients are whole
    // When micro-batches were done, of those at the ends of two periods: forward by the last chunk,
    // backward by the first.
    std::vector<Milestone> forwards, backwards;
  };

  std::size_t place(int chunk, int micro_batch) const {
    return static_cast<std::size_t>(chunk * micro_batches_ + micro_batch);
  }
  bool advance(std::size_t stage);
  void forward(std::size_t stage, const Pass& pass);
  void backward(std::size_t stage, const Pass& pass);
  void weight_gradient(std::size_t stage, const Pass& pass);
  void backward_layers(Stage& at, const StagePieces& pieces, const ChunkPieces& chunk, int last,
                       int count);
  void backward_run(Stage& at, const StagePieces& pieces, const TimedBody& body, int count);
  void send(std::size_t stage, const Pass& pass, bool forward, double ready);
  void exchange(Stage& at, const StagePieces& pieces, int chunk, std::size_t bucket);
  void send_bucket(Stage& at, const StagePieces& pieces, std::size_t chunk, std::size_t bucket);
  void list_gathers(std::size_t stage);
  void begin_gathers(Stage& at);
  void await_gather(Stage& at);
  void use(Stage& at);
  int take(Stage& at, DataLanes::Lane lane, const MoveChain& chain, const TimedBody* beside);
  void gather_all(Stage& at, const StagePieces& pieces);
  void finish();
  void meet(const MoveChain& chain, const std::vector<std::size_t>& stages, Axis axis);
  void note(const Stage& at, int micro_batch, std::vector<Milestone>& milestones) const;
  bool completes(const Stage& at, const Pass& pass) const;
  WalkedStep result();

  const Plan& plan_;
  const Parallelism& parallelism_;
  const CostTable& costs_;
  const CompileOptions& options_;
  const StepPieces& pieces_;
  const std::vector<PassOrder>& orders_;
  const int micro_batches_;
  const bool sharded_;        // weights are in shares
  const bool gathers_;        // weights are put together after the update
  const bool gathers_first_;  // at the start of the step
  const bool splits_;         // B and W apart
  const int period_, last_;   // micro-batches; and the last of two periods
  std::vector<Stage> stages_;
};

}  // namespace quintet
