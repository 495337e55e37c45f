// What `quintet simulate` answers, drawn.
#pragma once

#include <string>
#include <vector>

#include "sim/answer/answer.h"
#include "sim/picture/page.h"
#include "sim/simulate/predict.h"
#include "sim/topology/topology.h"

namespace quintet {

struct DrawnPlan {
  std::string name;
  const Prediction& prediction;
  const Answer& answer;
};

inline constexpr std::size_t most_drawn_plans = 6;

// Steps side by side and their intervals; of each of the first six plans its pipeline, ranks, links
// and memory; then money, where it was asked for.
std::vector<Picture> plan_pictures(const std::vector<DrawnPlan>& plans, const Topology& topology);

// `lines`: what was asked: model, machine, costs.
Page plans_page(const std::vector<std::string>& lines, const std::vector<DrawnPlan>& plans,
                const Topology& topology);

}  // namespace quintet
