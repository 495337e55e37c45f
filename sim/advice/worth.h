// What the decisions of a plan are worth: its step against steps of plans without one of them.
//
// A layer's worth has three figures, which differ where layers help or hinder one another:
//   alone   usual plan - usual plan with this layer as chosen
//   undone  chosen plan with this layer as usual - chosen plan
//   share   the mean, over all orders in which the layers may be changed one after the other from
//           usual to chosen, of what this layer takes off when its turn comes (Shapley, A value for
//           n-person games, 1953). Shares of all layers sum to the whole gain exactly. Orders that
//           pass a plan which cannot be run are left out of the mean.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/advice/attempts.h"
#include "sim/advice/layers.h"

namespace quintet {

struct LayerWorth {
  Layer layer = Layer::parallelism;
  bool differs = false;  // from the usual plan's; otherwise it is worth nothing
  Outcome alone;         // the usual plan with this layer as chosen
  Outcome undone;        // the chosen plan with this layer as usual
  std::optional<Seconds> share;
  bool operator==(const LayerWorth&) const = default;
};

// The chosen plan with one decision as usual.
struct DecisionWorth {
  std::string field;               // "ccl.bucket"
  std::string chosen, usual;       // as people write them; empty: left out
  std::vector<std::string> along;  // fields that had to become as usual too
  Outcome undone;
  bool operator==(const DecisionWorth&) const = default;
};

// From the usual plan to the chosen one, one layer after the other.
struct PathStep {
  Layer layer = Layer::parallelism;
  Outcome after;
  bool operator==(const PathStep&) const = default;
};

struct PlanWorth {
  Outcome usual, chosen;
  std::vector<LayerWorth> layers;            // all five, what is worth most when undone first
  std::vector<DecisionWorth> decisions;      // likewise; those that cannot be undone last
  std::vector<PathStep> downwards, upwards;  // parallelism first, network first; what differs
  int orders = 0, possible_orders = 0;
  bool operator==(const PlanWorth&) const = default;
};

PlanWorth worth_of(const Plan& chosen, const Plan& usual, const Machine& machine,
                   const Evaluator& evaluator, const Effort& effort);

// undone - chosen; none where it cannot be undone.
std::optional<Seconds> worth_when_undone(const Outcome& chosen, const Outcome& undone);

}  // namespace quintet
