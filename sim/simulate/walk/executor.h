// The event-driven walk of a folded program: compute under communication, collectives that wait for
// their members, messages, launches, and what slows what down. Every span of every class of ranks
// comes out as a Timeline.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/base/event_queue.h"
#include "sim/base/result.h"
#include "sim/cost/cost_table.h"
#include "sim/network/fabric.h"
#include "sim/plan/plan.h"
#include "sim/program/program.h"
#include "sim/simulate/fold/world.h"
#include "sim/simulate/walk/link_loads.h"
#include "sim/simulate/walk/link_traffic.h"
#include "sim/simulate/walk/recurrence.h"
#include "sim/simulate/walk/world_change.h"
#include "sim/timeline/timeline.h"

namespace quintet {

struct ExecutorInput {
  const Program& program;
  const Plan& plan;
  const CostTable& costs;
  const Communications& communications;
  const FoldedWorld& world;
  EventQueue& events;                      // at its beginning
  Fabric& fabric;                          // over these, of the world's links
  std::span<const WorldChange> changes{};  // in order of time
  int states = 1;                          // how often each pattern stands among the communications
  bool may_stand = false;                  // links may carry nothing: then a step may have no end
};

// How far a step was folded, and what that took.
struct FoldingEffort {
  int walks = 1;        // of the step: all but the last presumed too much (fold/slack_links.h)
  int slack_links = 0;  // link classes that the last left out of the sharing
};

struct Execution {
  Timeline timeline;
  RepeatedPart repeated;  // of the timeline: what it is without
  std::vector<LinkLoad> loads;
  LinkTraffic traffic;                      // where it was asked for
  std::vector<std::int32_t> load_of_link;   // per link of the topology; -1: it carried nothing
  std::vector<std::int32_t> track_of_rank;  // index into the timeline's tracks
  std::uint64_t events = 0;
  MeasuredMoves measured;  // of what it communicates
  FoldingEffort folding;
  // What a step that has no end (ExecutorInput::may_stand) stands in: what began and cannot end,
  // since when nothing happens any more. There is no timeline then.
  std::vector<StandingTask> standing{};
  Instant stood_still{};
};

// How much a walk has before it.
struct WalkExtent {
  std::size_t classes = 0;  // of ranks
  std::size_t tasks = 0;    // of all classes
};

struct ExecuteOptions {
  // The program is without these; then the execution is that of the whole step but for
  // Execution::repeated, or fails where the walk does not come to a state again. Of steps without
  // copies to the host's memory and shared cores only.
  std::optional<PeriodsLeftOut> left_out{};
  bool traffic = false;  // whether Execution::traffic is wanted

  std::function<void(double share)> progress;  // called now and then with the share of tasks done
  std::function<void(const WalkExtent&)> begins{};  // called once, before the first task
  // Asked now and then, with the share of tasks done; false ends the walk, which then has failed.
  std::function<bool(double share)> goes_on{};
  std::function<void()> finished{};  // called once, as the last task is done
};

// Fails when the program stops half-way (a receive nobody sends to); the error names what each lane
// waits for.
Result<Execution> execute(const ExecutorInput& input, const ExecuteOptions& options);

// A walk among others over one queue and one fabric, which somebody else runs: it begins at the
// queue's present instant, and all its times are the queue's. Every time is told by differences, so
// a walk that nobody disturbs takes as long whenever it begins. Without periods left out, changes
// of the machine and links that stand still.
class Walk {
 public:
  // What the input refers to outlives the walk; the walk outlives the instant in which it is done.
  Walk(const ExecutorInput& input, ExecuteOptions options);
  ~Walk();
  Walk(const Walk&) = delete;
  Walk& operator=(const Walk&) = delete;

  void begin();
  // The queue is empty, or the walk is done (ExecuteOptions::finished). Once.
  Result<Execution> ended();

 private:
  struct Inside;
  std::unique_ptr<Inside> inside_;
};

}  // namespace quintet
