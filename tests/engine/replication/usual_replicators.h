// Toys whose replicas exchange by each kind of replicator.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tests/support/toy_layout.h"

namespace quintet::engine::test {

// Nothing clips what is merged, and no weight decays: that is the update's.
inline Toy plain(Model model, UpdateRule rule) {
  Toy made = toy(std::move(model));
  made.plan.parallelism.clipping = Clipping::none;
  made.plan.parallelism.optimizer = rule == UpdateRule::sgd ? Optimizer::sgd : Optimizer::adamw;
  made.optimizer.rule = rule;
  made.optimizer.weight_decay = 0;
  made.optimizer.learning_rate = rule == UpdateRule::sgd ? 0.3F : 3e-3F;
  return made;
}

inline Toy replicated(Toy made, const Layout& layout, const Replicator& replicator) {
  made = laid_out(std::move(made), layout);
  made.plan.parallelism.replicator = replicator;
  return made;
}

using NamedReplicators = std::vector<std::pair<std::string, Replicator>>;

inline NamedReplicators usual_replicators() {
  using enum ReplicatorKind;
  return {
      {"demo", {.kind = demo, .chunk = 16, .top_k = 4, .decay = 0.9}},
      {"random", {.kind = random, .rate = 0.25, .decay = 0.9}},
      {"striding", {.kind = striding, .rate = 0.25, .decay = 0.9}},
      {"diloco", {.kind = diloco, .every = 4}},
      {"full", {.kind = full, .every = 4}},
  };
}

// Other types on the wire, values in place of signs, exchanges in some steps only, none at all.
inline NamedReplicators more_replicators() {
  using enum ReplicatorKind;
  constexpr auto bf16 = DataType::bf16;
  NamedReplicators all = usual_replicators();
  all.push_back({"demo bf16 int16",
                 {.kind = demo,
                  .chunk = 8,
                  .top_k = 5,
                  .decay = 0.9,
                  .sign = false,
                  .index_type = IndexType::int16,
                  .value_type = bf16}});
  all.push_back({"demo int64 every 2",
                 {.kind = demo,
                  .every = 2,
                  .chunk = 8,
                  .top_k = 3,
                  .decay = 0.9,
                  .index_type = IndexType::int64}});
  all.push_back({"random bf16",
                 {.kind = random, .rate = 0.25, .decay = 0.9, .sign = false, .value_type = bf16}});
  all.push_back({"diloco bf16", {.kind = diloco, .every = 2, .value_type = bf16}});
  all.push_back({"none", {.kind = none}});
  return all;
}

inline std::vector<Layout> replicated_layouts() {
  using enum Sharding;
  return {
      {.name = "dp2", .data = 2},
      {.name = "dp4 buckets", .data = 4, .bucket = 9e3},
      {.name = "dp2 pp2 untied", .pipeline = 2, .data = 2},
      {.name = "zero1 dp4 in groups of 2", .data = 4, .sharding = optimizer, .sharding_group = 2},
      {.name = "zero2 dp4 in groups of 2", .data = 4, .sharding = gradients, .sharding_group = 2},
      {.name = "zero3 dp4 in groups of 2", .data = 4, .sharding = parameters, .sharding_group = 2},
      {.name = "zero3 dp2 in groups of 1", .data = 2, .sharding = parameters, .sharding_group = 1},
      {.name = "tp2 dp2", .tensor = 2, .data = 2},
      {.name = "tp2 sp dp2", .tensor = 2, .data = 2, .sequence_parallel = true},
  };
}

// What a plan's check refuses too (sim/plan/problems/problems_replicator.cpp).
inline bool is_refused(const Layout& layout, const Replicator& replicator) {
  return replicator.kind == ReplicatorKind::demo && layout.tensor > 1 && layout.sharding_group > 0;
}

}  // namespace quintet::engine::test
