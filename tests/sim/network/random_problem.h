// Random sharing problems for the property tests; the same seed gives the same problem.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "sim/network/fluid/fair_share.h"
#include "tests/support/dice.h"

namespace quintet {

struct Problem {
  std::vector<LinkShare> links;
  std::vector<FlowDemand> flows;
};

enum class Pipes { shared_only, also_fat };

inline FlowDemand random_flow(Dice& dice, int links) {
  FlowDemand flow;
  const int hops = 1 + dice.below(std::min(5, links));
  for (int hop = 0; hop < hops; ++hop) {
    const std::int32_t link = dice.below(links);
    const bool there = std::any_of(flow.uses.begin(), flow.uses.end(),
                                   [&](const Usage& usage) { return usage.link == link; });
    if (!there) flow.uses.push_back({link, dice.below(2) == 0 ? 1.0 : dice.between(0.1, 3.0)});
  }
  if (dice.below(2) == 0) flow.weight = dice.between(0.2, 4.0);
  if (dice.below(4) == 0) flow.bound = dice.between(0.1, 20.0);
  return flow;
}

inline Problem random_problem(Dice& dice, Pipes pipes) {
  Problem problem;
  const int links = 1 + dice.below(12);
  const int flows = 1 + dice.below(30);
  for (int link = 0; link < links; ++link) {
    const bool fat = pipes == Pipes::also_fat && dice.below(4) == 0;
    problem.links.push_back({dice.below(2) == 0 ? 10.0 : dice.between(1.0, 100.0),
                             fat ? Sharing::fat_pipe : Sharing::shared,
                             dice.below(4) == 0 ? 0.01 : 0.0});
  }
  for (int flow = 0; flow < flows; ++flow) problem.flows.push_back(random_flow(dice, links));
  return problem;
}

}  // namespace quintet
