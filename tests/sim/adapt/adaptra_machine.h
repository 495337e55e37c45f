// PipeMorph's testbeds (arXiv 2504.19232) as the simulator knows them.
#pragma once

#include <vector>

#include "sim/cost/cost_table.h"
#include "sim/model/model.h"
#include "sim/plan/plan.h"
#include "sim/program/program.h"
#include "sim/topology/topology.h"
#include "tests/sim/adapt/adaptra_rows.h"

namespace quintet::test {

struct Testbed {
  Model model;
  Topology topology;
  Plan plan;  // S stages, 3 S micro-batches of one sequence of 1,024 tokens in fp16
};
Testbed testbed(const std::string& model);  // "7B", "14B", "A10"

// As the method sends and orders its passes.
Plan plan_of(Plan plan, Method method, int delegates);

// Profiles of stages and nothing else.
CostTable costs_of(const std::vector<StageTimes>& stages, Seconds update);

// Sends between stages i and i + 1 are held by delays[i]. In the logs of 1F1B rank 2 holds its
// sends to rank 1, too, wherever link 2-3 is slow: on A10 B of micro-batch 0 ends on stage 2 at 516
// ms and reaches stage 1, over a link that is well, at 652 (fig14_16/1F1B/2_3/0.12).
Topology with_held_links(Topology topology, const std::vector<Seconds>& delays, Method method);

// The plan's program with its passes in this order, one kernel each.
Program program_in_order(const Model& model, const Plan& plan,
                         const std::vector<PassOrder>& orders);

double median(std::vector<double> values);

}  // namespace quintet::test
