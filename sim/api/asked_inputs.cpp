#include "sim/api/asked_inputs.h"

#include <fmt/format.h>

#include "sim/api/checked.h"
#include "sim/command/money_wish.h"

namespace quintet::api {
namespace {

OwnText own_text(const File& file) {
  return {file.where, file.json, file.folder};
}

// Names that no path begins with: a blank in the end.
InputNames named(const Model& model, const std::vector<Plan>& plans, const Topology& topology,
                 const PredictOptions& options) {
  InputNames names;
  names.model = "the model ";
  names.topology = "the topology ";
  names.own = {{names.model, own_text(model.file)}, {names.topology, own_text(topology.file)}};
  if (options.costs) {
    names.costs = "the costs ";
    names.own[names.costs] = own_text(options.costs->file);
  }
  for (const Plan& plan : plans) {
    if (plan.file.json.empty()) continue;
    names.plans.push_back(fmt::format("plan {} ", names.plans.size()));
    names.own[names.plans.back()] = own_text(plan.file);
  }
  names.stack = options.stack;
  names.hosts = topology.hosts_asked;
  return names;
}

}  // namespace

AskedInputs asked_inputs(const Model& model, const std::vector<Plan>& plans,
                         const Topology& topology, const PredictOptions& options) {
  InputNames names = named(model, plans, topology, options);
  const AskedFields settings = checked(asked_fields(options.set));
  if (names.plans.empty() && settings.empty())
    throw Failure("plan", "is missing: give a plan, or fields of one such as parallelism.tensor=8");
  names.asked = checked(combinations(settings));
  check(wrong_money({}, names.asked, options.tokens.has_value()));
  FieldChanges prices = names.asked.front().prices;
  return {checked(read_inputs(names)), std::move(prices)};
}

quintet::PredictOptions own_options(const PredictOptions& options) {
  quintet::PredictOptions own;
  own.folding = options.unfolded ? Folding::none : Folding::equivalent;
  own.attention = options.full_attention ? AttentionCount::full : AttentionCount::causal_half;
  own.progress = options.progress;
  return own;
}

}  // namespace quintet::api
