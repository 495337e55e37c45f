#include "sim/simulate/folded_walk.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "sim/base/event_queue.h"
#include "sim/simulate/fidelity.h"
#include "sim/simulate/shortened.h"

namespace quintet {

namespace {

struct Step : PricedStep {
  std::optional<PeriodsLeftOut> left_out{};
};

// One walk, and which links of the topology were presumed slack in vain.
struct Attempt {
  Result<Execution> execution;
  std::vector<bool> overfull;
  double share = 1.0;  // of the step that was walked
};

// Ends a walk that has presumed too much, once no further link is found to bind for as long as it
// took to find the last: the next walk is needed anyway, and knows more the more of them it knows.
class GivingUp {
 public:
  explicit GivingUp(const Fabric& fabric) : fabric_(fabric) {}

  bool goes_on(double share) {
    share_ = share;
    const std::size_t found = fabric_.overfull().size();
    if (found > found_) last_found_ = share;
    found_ = found;
    constexpr double least = 0.01;
    return found == 0 || share < 2 * last_found_ + least;
  }
  double share() const { return share_; }

 private:
  const Fabric& fabric_;
  std::size_t found_ = 0;
  double last_found_ = 0, share_ = 0;
};

Attempt attempt(const Step& step, const FoldedWorld& world, const PredictOptions& options) {
  EventQueue events;
  const std::unique_ptr<Fabric> fabric = row_of(options.fidelity).make(events, world.links);
  GivingUp patience(*fabric);
  const auto goes_on = [&patience](double share) { return patience.goes_on(share); };
  Attempt made{execute({step.program, step.plan, step.costs, step.all, world, events, *fabric,
                        step.changes, step.states, step.may_stand},
                       {step.left_out, options.traffic, options.progress, options.begins, goes_on}),
               {}};
  made.share = made.execution ? 1.0 : patience.share();
  if (made.execution) {
    made.execution->load_of_link = world.class_of_link;
    made.execution->track_of_rank = world.class_of_rank;
    made.execution->folding.slack_links = static_cast<int>(
        std::count(world.presumed_slack.begin(), world.presumed_slack.end(), true));
  }
  std::vector<bool> overfull(world.links.size(), false);
  for (const std::int32_t link : fabric->overfull())
    overfull[static_cast<std::size_t>(link)] = true;
  if (std::find(overfull.begin(), overfull.end(), true) == overfull.end()) return made;
  for (const std::int32_t link : world.class_of_link)
    made.overfull.push_back(link >= 0 && overfull[static_cast<std::size_t>(link)]);
  return made;
}

// Counts all links; core pools, of which nobody presumes anything, tell ranks apart.
bool may_presume(const Step& step, const PredictOptions& options) {
  return options.folding == Folding::equivalent && row_of(options.fidelity).watches &&
         step.all.kernels.empty() && step.changes.empty();
}

// Links that turn out to bind are many where routes are hashed onto a crowded network: then walks
// in vain cost more than they save. Counted in whole steps.
constexpr double most_walked_in_vain = 2.0, share_of_folding = 0.1;

// Without most of the steady part first, where there is one; whole where that came to no state
// again.
Attempt attempt_shorter(const Step& step, const std::optional<Shortened>& shorter,
                        const FoldedWorld& world, const PredictOptions& options) {
  if (!shorter) return attempt(step, world, options);
  const PricedStep without{shorter->program, step.plan, step.costs, step.all};
  Attempt made = attempt({without, shorter->left_out}, world, options);
  if (made.execution || !made.overfull.empty()) return made;
  return attempt(step, world, options);
}

// Neither the machine's changes nor who waits for whom in NCCL's queue are in a walk's state
// (walk/period_marks.h).
bool tells_its_state(const Step& step) {
  return step.changes.empty() && !step.may_stand &&
         step.plan.host_net.head_of_line == HeadOfLine::none;
}

}  // namespace

Result<Execution> walk_folded(const PricedStep& priced, const PredictOptions& options) {
  const Step step{priced};
  const auto walked = [](Result<Execution> execution, int walks) {
    if (execution) execution->folding.walks = walks;
    return execution;
  };
  if (options.folding == Folding::none)
    return attempt(step, fold(step.program, step.all, options.folding), options).execution;
  std::optional<Shortened> shorter;
  if (tells_its_state(step)) shorter = shortened(step.program, step.all, step.costs);
  int walks = 1;
  if (may_presume(step, options)) {
    std::vector<bool> binding(step.all.links.size(), false);
    for (double in_vain = 0; in_vain < most_walked_in_vain; ++walks) {
      const FoldedWorld world = fold_presuming_slack(step.program, step.all, binding);
      Attempt made = attempt_shorter(step, shorter, world, options);
      if (made.overfull.empty()) return walked(std::move(made.execution), walks);
      in_vain += made.share + share_of_folding;
      for (std::size_t link = 0; link < binding.size(); ++link)
        if (made.overfull[link]) binding[link] = true;
    }
  }
  const FoldedWorld world = fold(step.program, step.all, options.folding);
  return walked(attempt_shorter(step, shorter, world, options).execution, walks);
}

}  // namespace quintet
