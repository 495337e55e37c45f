#include "calibrate/command/calibrate_inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "calibrate/machine/processor_choice.h"
#include "engine/device/gpu_module.h"
#include "sim/asked/sample_lengths.h"
#include "sim/asked/settings.h"
#include "sim/base/quantity_text.h"
#include "sim/model/model_file.h"
#include "sim/plan/asked_plan.h"
#include "sim/topology/file/topology_file.h"
#include "sim/usage/shipped.h"

namespace quintet::calibrate {
namespace {

template <class T, class Read>
Result<T> read_named(FileKind kind, const std::string& given, Read read) {
  const Result<std::filesystem::path> file = find_file(kind, given);
  if (!file) return file.error();
  return read(*file);
}

// All ranks of a small machine, since they share its cores: a thread that waited for one finds more
// to do at once, so a byte costs less among many ranks than among few.
constexpr int most_ranks = 8;

struct Defaults {
  int length, tokens;
  DataType type;
};
// A GPU that is to be busy wants more of everything.
Defaults defaults_of(Processor processor) {
  if (processor == Processor::gpu) return {1024, 16384, DataType::bf16};
  return {128, 1024, DataType::fp32};
}

// Models without a name of their own that scale to the same are one.
std::vector<Model> different(const std::vector<Model>& models) {
  std::vector<Model> seen, all;
  for (const Model& each : models) {
    Model like = scaled(each, 1024);
    like.name.clear();
    if (std::find(seen.begin(), seen.end(), like) != seen.end()) continue;
    seen.push_back(like);
    all.push_back(each);
  }
  return all;
}

}  // namespace

Result<CalibrateInputs> read_inputs(const CalibrateArguments& arguments) {
  CalibrateInputs inputs;
  const Result<AskedChanges> asked =
      one_combination(arguments.set, {AskedFile::plan, AskedFile::topology},
                      "calibration measures what costs are, and reads none");
  if (!asked) return asked.error();
  if (!asked->plan.empty() && arguments.plans.empty())
    return Error{asked->plan.front().asked, "is of a plan, and --plan names none; name one"};
  const Result<std::filesystem::path> file = find_file(FileKind::topology, arguments.topology);
  if (!file) return file.error();
  Result<Topology> topology = read_topology(*file, {arguments.hosts, {}, asked->topology});
  if (!topology) return topology.error();
  inputs.topology = std::move(*topology);
  const int slots = static_cast<int>(rank_slots(inputs.topology).size());
  for (const std::string& given : arguments.plans) {
    const auto read = [&](const std::filesystem::path& plan_file) {
      return with_lengths(read_asked_plan(plan_file, asked->plan, slots), plan_file.parent_path());
    };
    Result<Plan> plan = read_named<Plan>(FileKind::plan, given, read);
    if (!plan) return plan.error();
    if (plan->name.empty()) plan->name = std::filesystem::path(given).stem().string();
    if (plan->parallelism.samples.vary())
      return Error{given + ": parallelism.samples",
                   "of unequal length have no one size at which operators could be measured; leave "
                   "--plan out, for curves of all sizes, with --length and --tokens as the plan's"};
    inputs.plans.push_back(std::move(*plan));
  }
  for (const std::string& given : arguments.models) {
    Result<Model> model = read_named<Model>(FileKind::model, given, read_model);
    if (!model) return model.error();
    inputs.models.push_back(std::move(*model));
  }
  return inputs;
}

int ranks_of(const CalibrateArguments& arguments, const Topology& topology) {
  const int slots = static_cast<int>(rank_slots(topology).size());
  const int most = arguments.ranks > 0 ? arguments.ranks : most_ranks;
  if (processor_of(arguments.device) == Processor::cpu) return std::min(slots, most);
  return std::max(1, std::min({slots, most, engine::count_gpus()}));
}

Result<ProbeRange> range_of(const CalibrateArguments& arguments, const CalibrateInputs& inputs) {
  ProbeRange range;
  range.models = different(inputs.models);
  range.ranks = ranks_of(arguments, inputs.topology);
  range.processor = processor_of(arguments.device);
  const Defaults usual = defaults_of(range.processor);
  range.smallest = range.largest = inputs.models.front().hidden;
  for (const Model& each : inputs.models) {
    range.smallest = std::min(range.smallest, each.hidden);
    range.largest = std::max(range.largest, each.hidden);
  }
  if (arguments.smallest > 0) range.smallest = arguments.smallest;
  if (arguments.largest > 0) range.largest = arguments.largest;
  if (range.smallest > range.largest)
    return Error{
        "--smallest",
        fmt::format("is {}, above the largest, {}; give a smaller one, or a larger --largest",
                    range.smallest, range.largest)};
  range.length = arguments.length > 0 ? arguments.length : usual.length;
  range.tokens = arguments.tokens > 0 ? arguments.tokens : usual.tokens;
  range.types.clear();
  if (arguments.types.empty()) range.types.push_back(usual.type);
  for (const std::string& each : arguments.types) {
    const Result<DataType> type = parse_data_type(each);
    if (!type) return Error{"--types", type.error().what};
    range.types.push_back(*type);
  }
  return range;
}

}  // namespace quintet::calibrate
