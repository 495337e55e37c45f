#include "engine/nccl/nccl_plan.h"

#include <algorithm>

#include "engine/plan_limits/plan_deviations.h"
#include "sim/ccl/algorithms/collective_algorithm.h"
#include "sim/ccl/choice/cpu_choice.h"

namespace quintet::engine {

namespace {

// What the plan asks for, an algorithm of others too.
CollectiveRule asked(const Program& program, const Ccl& ccl, CommunicatorId communicator,
                     CollectiveKind kind) {
  const quintet::Communicator& group = program.communicators[communicator.index()];
  return rule_for(ccl, kind, group.parts.front().axis);
}

}  // namespace

TunerRules tuner_rules(const Program& program, const Ccl& ccl, CommunicatorId communicator) {
  TunerRules rules{program.communicators[communicator.index()].name, {}};
  for (const CollectiveKind kind : kinds_on(program, communicator)) {
    // NCCL makes it of messages: there is nothing to choose.
    if (kind == CollectiveKind::all_to_all) continue;
    const CollectiveRule rule = asked(program, ccl, communicator, kind);
    TunerRule made{.kind = kind, .protocol = rule.protocol, .channels = rule.channels};
    if (rule.algorithm && row_of(*rule.algorithm).nccl) made.algorithm = rule.algorithm;
    rules.rules.push_back(made);
  }
  return rules;
}

ChannelLimits channel_limits(const TunerRules& rules) {
  ChannelLimits limits;
  bool all = !rules.rules.empty();
  for (const TunerRule& rule : rules.rules) {
    all = all && rule.channels.has_value();
    if (rule.channels) limits.least = std::max(limits.least.value_or(0), *rule.channels);
  }
  if (all) limits.most = limits.least;
  return limits;
}

std::vector<PlanDeviation> nccl_deviations(const Program& program, const Ccl& ccl) {
  std::vector<PlanDeviation> found;
  for (std::size_t index = 0; index < program.communicators.size(); ++index) {
    const auto id = id_at<CommunicatorId>(index);
    for (const CollectiveKind kind : kinds_on(program, id)) {
      const CollectiveRule rule = asked(program, ccl, id, kind);
      if (!rule.algorithm || row_of(*rule.algorithm).nccl) continue;
      found.push_back({"ccl.rules: " + std::string(name_of(kind)) + " on communicator \"" +
                           program.communicators[index].name + "\"",
                       std::string(name_of(*rule.algorithm)),
                       "NCCL has no such algorithm and chooses one of its own"});
    }
  }
  return found;
}

}  // namespace quintet::engine
