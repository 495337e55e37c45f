#include "sim/advice/layers.h"

#include <algorithm>
#include <initializer_list>

#include "sim/json/json_value.h"
#include "sim/plan/asked_plan.h"
#include "sim/plan/plan_file.h"

namespace quintet {
namespace {

// Fields that mean something only together.
using Family = std::initializer_list<std::string_view>;
constexpr std::string_view pipeline_family[] = {
    "parallelism.pipeline", "parallelism.schedule",     "parallelism.virtual_stages",
    "parallelism.warm_ups", "parallelism.stage_layers", "parallelism.stage_times"};
constexpr std::string_view tensor_family[] = {"parallelism.tensor",
                                              "parallelism.sequence_parallel"};
constexpr std::string_view recompute_family[] = {
    "parallelism.recompute", "parallelism.recompute_layers", "parallelism.offload.activations"};
constexpr std::string_view sharding_family[] = {
    "parallelism.sharding", "parallelism.sharding_group", "parallelism.replicator.kind"};
constexpr std::string_view delivery_family[] = {"host_net.delivery", "host_net.pipeline_delivery",
                                                "host_net.delegates"};
constexpr std::string_view type_family[] = {"parallelism.compute_type", "parallelism.fp8.scaling"};

template <std::size_t size>
bool holds(const std::string_view (&family)[size], std::string_view field) {
  return std::find(std::begin(family), std::end(family), field) != std::end(family);
}

bool hang_together(std::string_view one, std::string_view other) {
  const auto both = [&](const auto& family) { return holds(family, one) && holds(family, other); };
  return both(pipeline_family) || both(tensor_family) || both(recompute_family) ||
         both(sharding_family) || both(delivery_family) || both(type_family);
}

bool follows_from_others(std::string_view field) {
  return field == "parallelism.data" || field == "parallelism.micro_batches" ||
         field == "parallelism.global_batch" || field.starts_with("run.");
}

// The field taken out of its object: it is left out where it is as usual.
void erase(JsonValue& object, std::string_view path) {
  const std::size_t dot = path.find('.');
  if (dot == std::string_view::npos) return object.erase(path);
  if (JsonValue* const inner = object.find(path.substr(0, dot)))
    erase(*inner, path.substr(dot + 1));
}

}  // namespace

std::string_view name_of(Layer layer) {
  switch (layer) {
    case Layer::parallelism:
      return "parallelism";
    case Layer::ccl:
      return "ccl";
    case Layer::intra_inter:
      return "intra_inter";
    case Layer::host_net:
      return "host_net";
    case Layer::network:
      return "network";
  }
  return {};
}

bool same(const Plan& one, const Plan& other, Layer layer) {
  return with_layers(one, other, only(layer)) == with_layers(one, other, 0);
}

Plan with_layers(const Plan& usual, const Plan& chosen, LayerSet of_chosen) {
  const auto source = [&](Layer layer) -> const Plan& {
    return (of_chosen & only(layer)) != 0 ? chosen : usual;
  };
  return {chosen.name,
          source(Layer::parallelism).parallelism,
          source(Layer::ccl).ccl,
          source(Layer::intra_inter).intra_inter,
          source(Layer::host_net).host_net,
          source(Layer::network).network,
          chosen.run};
}

std::vector<Undoing> undoings(const Plan& chosen, const Plan& usual) {
  const std::vector<FieldDifference> all = differences(chosen, usual);
  std::vector<Undoing> made;
  for (const FieldDifference& field : all) {
    if (follows_from_others(field.path)) continue;
    Undoing undoing{field, {}};
    for (const FieldDifference& other : all)
      if (other.path != field.path && hang_together(field.path, other.path))
        undoing.family.push_back(other);
    made.push_back(std::move(undoing));
  }
  return made;
}

Result<Plan> without(const Plan& chosen, const std::vector<FieldDifference>& fields) {
  JsonValue json = JsonValue::parse(plan_text(chosen));
  FieldChanges changes;
  for (const FieldDifference& field : fields)
    if (field.other.empty())
      erase(json, field.path);
    else
      changes.push_back({field.path, field.other, field.path + " " + field.other});
  Result<Plan> plan = asked_plan({json.dump(), "", true}, changes, world_size(chosen.parallelism));
  if (!plan) return plan;
  // Lengths of samples are read from a file of their own, which a plan's text only names.
  plan->parallelism.samples = chosen.parallelism.samples;
  plan->name = chosen.name;
  return plan;
}

}  // namespace quintet
