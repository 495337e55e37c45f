#include "sim/advice/worth.h"

#include <algorithm>
#include <utility>

#include "sim/json/field_values.h"

namespace quintet {
namespace {

// Outcomes of all sets of layers from the chosen plan, by the set.
struct AllSets {
  std::vector<Layer> differing;
  std::vector<Outcome> of;  // index: LayerSet

  const Outcome& at(LayerSet set) const { return of[set]; }
};

constexpr LayerSet every_layer = (1U << layer_count) - 1;

AllSets all_sets(const Plan& chosen, const Plan& usual, const Machine& machine,
                 const Evaluator& evaluator, const Effort& effort) {
  AllSets sets;
  for (const Layer layer : all_layers)
    if (!same(chosen, usual, layer)) sets.differing.push_back(layer);
  std::vector<Plan> plans;
  for (LayerSet set = 0; set <= every_layer; ++set)
    plans.push_back(with_layers(usual, chosen, set));
  sets.of = outcomes(plans, machine, evaluator, effort);
  return sets;
}

std::vector<PathStep> path(const AllSets& sets, const std::vector<Layer>& order) {
  std::vector<PathStep> steps;
  LayerSet set = 0;
  for (const Layer layer : order) {
    set |= only(layer);
    steps.push_back({layer, sets.at(set)});
  }
  return steps;
}

// Whether every plan on the way can be run.
bool possible(const AllSets& sets, const std::vector<Layer>& order) {
  const std::vector<PathStep> steps = path(sets, order);
  return sets.at(0).step && std::all_of(steps.begin(), steps.end(), [](const PathStep& each) {
           return each.after.step.has_value();
         });
}

void add_shares(const AllSets& sets, PlanWorth& worth) {
  std::vector<Seconds> taken(layer_count);
  std::vector<Layer> order = sets.differing;
  do {
    ++worth.orders;
    if (!possible(sets, order)) continue;
    ++worth.possible_orders;
    LayerSet set = 0;
    for (const Layer layer : order) {
      const Seconds before = *sets.at(set).step;
      set |= only(layer);
      taken[static_cast<std::size_t>(layer)] += before - *sets.at(set).step;
    }
  } while (std::next_permutation(order.begin(), order.end()));
  if (worth.possible_orders == 0) return;
  for (LayerWorth& each : worth.layers)
    each.share = taken[static_cast<std::size_t>(each.layer)] / worth.possible_orders;
}

// What takes longest without it first; what cannot be undone last.
bool worth_more(const Outcome& one, const Outcome& other) {
  if (!one.step || !other.step) return one.step.has_value() && !other.step.has_value();
  return *one.step > *other.step;
}

// A decision undone alone, or together with those that hang on it.
struct Undone {
  std::size_t decision = 0;
  bool together = false;
  Plan plan;
};

DecisionWorth untried(const Undoing& undoing) {
  DecisionWorth worth;
  worth.field = undoing.field.path;
  worth.chosen = undoing.field.one.empty() ? "" : plain_value(undoing.field.one);
  worth.usual = undoing.field.other.empty() ? "" : plain_value(undoing.field.other);
  return worth;
}

void add_undone(const Plan& chosen, const Undoing& undoing, DecisionWorth& worth,
                std::size_t decision, std::vector<Undone>& all) {
  std::vector<FieldDifference> fields{undoing.field};
  if (Result<Plan> plan = without(chosen, fields))
    all.push_back({decision, false, std::move(*plan)});
  else
    worth.undone.why_not = plan.error().text();
  if (undoing.family.empty()) return;
  fields.insert(fields.end(), undoing.family.begin(), undoing.family.end());
  if (Result<Plan> plan = without(chosen, fields))
    all.push_back({decision, true, std::move(*plan)});
}

// Where one decision alone makes no plan that can be run, those are undone too that hang on it.
void take(const Undone& undone, const Outcome& outcome, const Undoing& undoing,
          DecisionWorth& worth) {
  if (worth.undone.step || (undone.together && !outcome.step)) return;
  worth.undone = outcome;
  if (!undone.together) return;
  for (const FieldDifference& each : undoing.family) worth.along.push_back(each.path);
}

std::vector<DecisionWorth> decisions(const Plan& chosen, const Plan& usual, const Machine& machine,
                                     const Evaluator& evaluator, const Effort& effort) {
  const std::vector<Undoing> undoing = undoings(chosen, usual);
  std::vector<DecisionWorth> all;
  std::vector<Undone> undone;
  for (std::size_t i = 0; i < undoing.size(); ++i) {
    all.push_back(untried(undoing[i]));
    add_undone(chosen, undoing[i], all.back(), i, undone);
  }
  std::vector<Plan> plans;
  for (const Undone& each : undone) plans.push_back(each.plan);
  const std::vector<Outcome> found = outcomes(plans, machine, evaluator, effort);
  for (std::size_t i = 0; i < undone.size(); ++i) {
    const std::size_t decision = undone[i].decision;
    take(undone[i], found[i], undoing[decision], all[decision]);
  }
  std::stable_sort(all.begin(), all.end(), [](const auto& left, const auto& right) {
    return worth_more(left.undone, right.undone);
  });
  return all;
}

}  // namespace

std::optional<Seconds> worth_when_undone(const Outcome& chosen, const Outcome& undone) {
  if (!chosen.step || !undone.step) return std::nullopt;
  return *undone.step - *chosen.step;
}

PlanWorth worth_of(const Plan& chosen, const Plan& usual, const Machine& machine,
                   const Evaluator& evaluator, const Effort& effort) {
  const AllSets sets = all_sets(chosen, usual, machine, evaluator, effort);
  PlanWorth worth;
  worth.usual = sets.at(0);
  worth.chosen = sets.at(every_layer);
  for (const Layer layer : all_layers)
    worth.layers.push_back({layer, !same(chosen, usual, layer), sets.at(only(layer)),
                            sets.at(every_layer & ~only(layer)), std::nullopt});
  worth.downwards = path(sets, sets.differing);
  worth.upwards = path(sets, {sets.differing.rbegin(), sets.differing.rend()});
  add_shares(sets, worth);
  std::stable_sort(
      worth.layers.begin(), worth.layers.end(), [](const auto& left, const auto& right) {
        return left.differs != right.differs ? left.differs : worth_more(left.undone, right.undone);
      });
  worth.decisions = decisions(chosen, usual, machine, evaluator, effort);
  return worth;
}

}  // namespace quintet
