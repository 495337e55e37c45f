#include "calibrate/loop/loop_inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <utility>

#include "calibrate/loop/loop_plans.h"
#include "calibrate/machine/processor_choice.h"
#include "engine/device/gpu_module.h"
#include "sim/asked/sample_lengths.h"
#include "sim/asked/settings.h"
#include "sim/compile/step_program.h"
#include "sim/cost/kernel_time.h"
#include "sim/cost/operator_curves.h"
#include "sim/cost/operator_family.h"
#include "sim/model/model_file.h"
#include "sim/plan/asked_plan.h"
#include "sim/plan/plan_file.h"
#include "sim/topology/file/topology_file.h"
#include "sim/usage/shipped.h"

namespace quintet::calibrate {
namespace {

namespace fs = std::filesystem;

Result<std::vector<NamedModel>> read_models(const LoopArguments& arguments) {
  std::vector<NamedModel> models;
  for (const std::string& given : arguments.models) {
    const Result<fs::path> file = find_file(FileKind::model, given);
    if (!file) return file.error();
    Result<Model> model = read_model(*file);
    if (!model) return model.error();
    // Files of one name in several folders are told apart by their place in the list.
    std::string name = fs::path(given).filename().string() == "config.json"
                           ? fs::path(given).parent_path().filename().string()
                           : fs::path(given).stem().string();
    for (const NamedModel& other : models)
      if (other.name == name) name += fmt::format("-{}", models.size() + 1);
    models.push_back({file->string(), name, std::move(*model)});
  }
  return models;
}

Result<std::vector<Plan>> plans_for(const LoopArguments& arguments, const NamedModel& model,
                                    const Topology& topology) {
  if (arguments.plans == std::vector<std::string>{"auto"}) {
    if (!arguments.set.empty())
      return Error{"--set " + arguments.set.front(),
                   "is of plans that --plans names, not of auto's"};
    const Processor processor = processor_of(arguments.device);
    const int usual_length = processor == Processor::gpu ? 1024 : 128;
    const LoopWork work{ranks_of(arguments, topology), arguments.sequences,
                        arguments.length > 0 ? arguments.length : usual_length, processor};
    std::vector<Plan> plans = loop_plans(model.model, topology, work);
    if (plans.empty())
      return Error{"--plans", fmt::format("auto finds none for {} on {} ranks with sequences of {} "
                                          "tokens (--ranks, --length); its positions are {}, the "
                                          "machine's places {}. Name some",
                                          model.name, work.ranks, work.length,
                                          model.model.max_positions, rank_slots(topology).size())};
    return plans;
  }
  const Result<AskedChanges> asked = one_combination(
      arguments.set, {AskedFile::plan}, "the loop measures it as it is; change its file instead");
  if (!asked) return asked.error();
  const int slots = static_cast<int>(rank_slots(topology).size());
  std::vector<Plan> plans;
  for (const std::string& given : arguments.plans) {
    const Result<fs::path> file = find_file(FileKind::plan, given);
    if (!file) return file.error();
    Result<Plan> plan =
        with_lengths(read_asked_plan(*file, asked->plan, slots), file->parent_path());
    if (!plan) return plan.error();
    if (plan->name.empty()) plan->name = file->stem().string();
    plans.push_back(std::move(*plan));
  }
  return plans;
}

// Plans may be told by a name only, so they are written where the programs find them.
std::optional<Error> write_plan(const fs::path& file, const Plan& plan) {
  std::ofstream out(file);
  out << plan_text(plan);
  if (!out.flush()) return Error{file.string(), "cannot be written"};
  return std::nullopt;
}

std::optional<Error> write_plans(const Loop& loop, const fs::path& folder) {
  const std::string where = "--out " + folder.string();
  std::error_code wrong;
  fs::create_directories(folder, wrong);
  if (wrong)
    return Error{where, "the folder cannot be made: " + wrong.message() + "; name another place"};
  for (const LoopCaseInput& each : loop.cases)
    if (auto error = write_plan(each.file, each.plan)) return error;
  return std::nullopt;
}

template <class Visit>
void for_operators(const Loop& loop, Visit visit) {
  for (const LoopCaseInput& each : loop.cases)
    if (const auto program = checked_step_program(each.model->model, each.plan, loop.topology))
      for (const Body& body : program->bodies)
        for (const Instruction& instruction : body.instructions)
          if (const auto* const compute = std::get_if<Compute>(&instruction.action))
            visit(as_priced(compute->work));
}

}  // namespace

int ranks_of(const LoopArguments& arguments, const Topology& topology) {
  if (arguments.ranks > 0) return arguments.ranks;
  if (processor_of(arguments.device) == Processor::cpu) return 4;
  const int slots = static_cast<int>(rank_slots(topology).size());
  return std::max(1, std::min(slots, engine::count_gpus()));
}

Result<Loop> read_loop(const LoopArguments& arguments) {
  Loop loop;
  Result<std::vector<NamedModel>> models = read_models(arguments);
  if (!models) return models.error();
  loop.models = std::move(*models);
  const Result<fs::path> file = find_file(FileKind::topology, arguments.topology);
  if (!file) return file.error();
  Result<Topology> topology = read_topology(*file);
  if (!topology) return topology.error();
  loop.topology = std::move(*topology);
  if (auto error = other_ranks(loop.topology, processor_of(arguments.device))) return *error;
  if (const auto data = find_file(FileKind::text, arguments.data); !data) return data.error();
  if (arguments.keep_costs || fs::exists(arguments.costs))
    if (const auto costs = read_cost_table(arguments.costs); !costs) return costs.error();
  for (const NamedModel& model : loop.models) {
    const Result<std::vector<Plan>> plans = plans_for(arguments, model, loop.topology);
    if (!plans) return plans.error();
    for (const Plan& plan : *plans) {
      const fs::path written =
          fs::path(arguments.folder) / (model.name + "-" + plan.name + ".plan.json");
      if (const auto program = checked_step_program(model.model, plan, loop.topology); !program)
        return Error{plan.name + " of " + model.name, program.error().text()};
      loop.cases.push_back({&model, plan, written.string()});
    }
  }
  if (auto error = write_plans(loop, arguments.folder)) return *error;
  return Result<Loop>(std::move(loop));  // cases point into it
}

bool covers(const CostTable& table, const Loop& loop) {
  const bool on_gpus = !other_ranks(loop.topology, Processor::gpu) && !table.launch.source.empty();
  bool covered = on_gpus || table.processors.has_value();
  for_operators(loop, [&](const PricedOperator& work) {
    if (natural_work(work) <= 0 || measured(work, table) != nullptr) return;
    const bool memory = family_of(work).form == OperatorForm::memory;
    if (curve_for(work, table) == nullptr || (!memory && !outside_measured(work, table).empty()))
      covered = false;
  });
  return covered;
}

std::vector<std::string> outside(const CostTable& table, const Loop& loop) {
  std::vector<std::string> all;
  for_operators(loop, [&](const PricedOperator& work) {
    for (const std::string& each : outside_measured(work, table))
      if (std::find(all.begin(), all.end(), each) == all.end()) all.push_back(each);
  });
  return all;
}

}  // namespace quintet::calibrate
