#include "tests/sim/adapt/adaptra_machine.h"

#include <algorithm>

#include "sim/parallelism/profiled_passes.h"
#include "sim/parallelism/program_builder.h"
#include "tests/support/shipped.h"

namespace quintet::test {

namespace {

// Stages have one layer less at both ends of the pipeline.
std::vector<int> stage_layers(int layers, int stages) {
  std::vector<int> each(static_cast<std::size_t>(stages), (layers + 2) / stages);
  --each.front();
  --each.back();
  return each;
}

std::vector<int> falling_by_two(int stages) {
  std::vector<int> warm_ups;
  for (int stage = 0; stage < stages; ++stage) warm_ups.push_back(2 * (stages - stage) - 1);
  return warm_ups;
}

}  // namespace

Testbed testbed(const std::string& model) {
  const bool a10 = model == "A10";
  Testbed bed;
  bed.model = shipped_model(a10             ? "pipemorph-a10"
                            : model == "7B" ? "pipemorph-7b"
                                            : "pipemorph-14b");
  const int stages = model == "14B" ? 8 : 4;
  bed.topology = shipped_topology(a10 ? "a10-4" : "h800-8", stages);
  Parallelism& parallelism = bed.plan.parallelism;
  parallelism.pipeline = stages;
  parallelism.sequence_length = 1024;
  parallelism.micro_batches = 3 * stages;
  parallelism.compute_type = DataType::fp16;
  parallelism.stage_layers = stage_layers(bed.model.layers, stages);
  parallelism.clipping = Clipping::none;
  return bed;
}

Plan plan_of(Plan plan, Method method, int delegates) {
  Parallelism& parallelism = plan.parallelism;
  switch (method) {
    case Method::one_f_one_b:
      parallelism.schedule = PipelineSchedule::one_f_one_b;
      plan.host_net.head_of_line = HeadOfLine::launches;
      break;
    case Method::zero_bubble:
      parallelism.schedule = PipelineSchedule::adapted;
      parallelism.warm_ups = falling_by_two(parallelism.pipeline);
      plan.host_net.head_of_line = HeadOfLine::neighbours;
      break;
    case Method::delegated:
      parallelism.schedule = PipelineSchedule::warm_up;
      parallelism.warm_ups = falling_by_two(parallelism.pipeline);
      plan.host_net.pipeline_delivery = Delivery::delegated;
      plan.host_net.delegates = delegates;
      break;
    case Method::adapted:
      parallelism.schedule = PipelineSchedule::adapted;
      plan.host_net.pipeline_delivery = Delivery::delegated;
      plan.host_net.delegates = delegates;
      break;
  }
  return plan;
}

CostTable costs_of(const std::vector<StageTimes>& stages, Seconds update) {
  CostTable costs = shipped_costs("toy-pipeline");
  costs.stages.clear();
  for (const StageTimes& stage : stages)
    costs.stages.push_back({stage.forward, stage.input_gradient, stage.weight_gradient, update});
  return costs;
}

Topology with_held_links(Topology topology, const std::vector<Seconds>& delays, Method method) {
  const auto hold = [&](std::size_t from, std::size_t to, Seconds by) {
    if (by > Seconds{}) topology.held_sends.push_back({id_at<HostId>(from), id_at<HostId>(to), by});
  };
  for (std::size_t link = 0; link < delays.size(); ++link) {
    hold(link, link + 1, delays[link]);
    hold(link + 1, link, delays[link]);
  }
  constexpr std::size_t third = 2;
  if (method == Method::one_f_one_b && !(delays[third - 1] > Seconds{}))
    hold(third, third - 1, delays[third]);
  return topology;
}

Program program_in_order(const Model& model, const Plan& plan,
                         const std::vector<PassOrder>& orders) {
  const CompileOptions options{.work = WorkSource::stage_profiles};
  ProgramBuilder builder(plan, options.ranks_per_host);
  const auto all_chunks = stage_chunks(model, plan.parallelism);
  for (int stage = 0; stage < plan.parallelism.pipeline; ++stage) {
    const std::vector<Chunk>& chunks = all_chunks[static_cast<std::size_t>(stage)];
    const LayerWork work = layer_work(plan.parallelism, options.fusion, 1);
    ScriptBuilder script;
    StageMessages messages(model, work, plan, options, stage, builder, script);
    StageExchange exchange(model, plan, options, stage, builder, script);
    ProfiledPasses passes(plan.parallelism.compute_type, stage, chunks, builder, script, messages,
                          exchange);
    const PassOrder& order = orders[static_cast<std::size_t>(stage)];
    exchange.begin_step(order);
    for (const Pass& pass : order) passes.run(pass);
    exchange.finish_step();
    builder.add(Role{"stage " + std::to_string(stage), stage, std::move(script).script()});
  }
  return std::move(builder).program();
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

}  // namespace quintet::test
