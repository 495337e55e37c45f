#include "sim/price/nccl_answers.h"

#include <utility>

#include "sim/ccl/algorithms/collective_algorithm.h"
#include "sim/ccl/choice/cpu_choice.h"
#include "sim/host_net/host_path.h"

namespace quintet {

namespace {

// What NCCL cannot do of a rule it leaves alone as a whole, and chooses itself, as the engine's
// tuner plugin lets it (engine/nccl/plugins).
bool is_nccls(const CollectiveRule& rule) {
  return !rule.algorithm || row_of(*rule.algorithm).nccl != nullptr;
}

}  // namespace

bool NcclAnswers::holds_for(const Question& asked, const GpuCurves& curves) const {
  return told_ && told_->curves == &curves && *told_->shape == asked.shape &&
         told_->uniform == uniform(asked.layout);
}

NcclAnswers::Answer NcclAnswers::chosen(const Question& asked) const {
  const auto by = [&](const CollectiveRule& rule) {
    return choose(plan_.ccl.tuner, asked.collective.kind, asked.collective.size, asked.shape, rule);
  };
  Answer answer;
  answer.rule = rule_for(plan_.ccl, asked.collective.kind, asked.axis);
  answer.choice = by(answer.rule);
  if (answer.choice || !is_nccls(answer.rule)) return answer;
  answer.rule = {};
  answer.choice = by(answer.rule);
  return answer;
}

const NcclAnswers::Answer& NcclAnswers::of(const Question& asked, GpuCurves& curves) {
  if (holds_for(asked, curves)) return told_->answer;
  const auto& [collective, axis, layout, shape] = asked;
  told_ = Told{chosen(asked), &curves, &shape, uniform(layout)};
  Answer& answer = told_->answer;
  if (!answer.choice) return answer;
  const AskedOfNccl asking{collective,
                           axis,
                           answer.rule,
                           *answer.choice,
                           layout,
                           shape,
                           delivery_of(plan_.host_net, axis)};
  answer.measured = curves.of(asking);
  if (curves.asks_network(asking)) told_->curves = nullptr;
  return answer;
}

}  // namespace quintet
