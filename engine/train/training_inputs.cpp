#include "engine/train/training_inputs.h"

#include <algorithm>
#include <cassert>

#include "engine/nccl/nccl_plan.h"
#include "engine/train/surroundings.h"
#include "sim/adapt/candidates.h"
#include "sim/asked/sample_lengths.h"
#include "sim/base/text_file.h"
#include "sim/compile/step_program.h"
#include "sim/intra_inter/placement.h"
#include "sim/json/json_fields.h"
#include "sim/model/model_file.h"
#include "sim/plan/asked_plan.h"
#include "sim/plan/problems/problems.h"
#include "sim/topology/families/single_switch.h"
#include "sim/topology/file/build.h"
#include "sim/topology/file/topology_file.h"

namespace quintet::engine {

namespace {

RankPlaces places_of(const TrainingOptions& options) {
  return options.shaped == TrainingOptions::Shaped::yes ? RankPlaces::of_topology
                                                        : RankPlaces::as_started;
}

// Only an emulated cluster puts ranks where the plan wants them; other starters go from slot to
// slot.
std::vector<Seat> seats_of(const TrainingInputs& inputs, RankPlaces places) {
  const std::vector<int> placement =
      places == RankPlaces::of_topology ? inputs.plan.intra_inter.placement : std::vector<int>{};
  std::vector<Seat> seats;
  for (const DeviceId slot :
       slots_of_ranks(inputs.topology, placement, world_size(inputs.plan.parallelism)))
    seats.push_back(seat_of(inputs.topology, slot));
  return seats;
}

// Older files say "type".
kernels::RotaryScaling read_rotary_scaling(JsonObject& inside) {
  using enum kernels::RotaryScalingKind;
  kernels::RotaryScaling scaling;
  const std::string_view key = inside.has("rope_type") ? "rope_type" : "type";
  scaling.kind = inside.one_of<kernels::RotaryScalingKind>(
      key, {{"default", none}, {"linear", linear}, {"llama3", llama3}});
  const auto positive = [&](std::string_view name) {
    const double number = inside.number(name);
    if (!(number > 0)) inside.fail(name, "expected a number above 0");
    return number;
  };
  if (!inside.failed() && scaling.kind != none) scaling.factor = positive("factor");
  if (!inside.failed() && scaling.kind == llama3) {
    scaling.low_frequency_factor = positive("low_freq_factor");
    scaling.high_frequency_factor = positive("high_freq_factor");
    scaling.original_positions = positive("original_max_position_embeddings");
    if (!inside.failed() && scaling.high_frequency_factor <= scaling.low_frequency_factor)
      inside.fail("high_freq_factor", "expected more than low_freq_factor");
  }
  return scaling;
}

double read_rotary_theta(JsonObject& fields, double fallback) {
  const double theta = fields.number_or("rope_theta", fallback);
  if (!(theta > 1)) fields.fail("rope_theta", "expected a number above 1");
  return theta;
}

// transformers 5 has both in one object, "rope_parameters"; before, theta stood beside
// "rope_scaling" (its MIGRATION_GUIDE_V5.md; pull request 39847).
void read_rotary(JsonObject& fields, Numerics& numerics) {
  numerics.rotary_theta = read_rotary_theta(fields, numerics.rotary_theta);
  for (const std::string_view key : {"rope_parameters", "rope_scaling"}) {
    const nlohmann::json* const given = fields.raw(key);
    if (given == nullptr || given->is_null()) continue;
    JsonObject inside(*given, fields.place(key));
    numerics.rotary_theta = read_rotary_theta(inside, numerics.rotary_theta);
    numerics.rotary_scaling = read_rotary_scaling(inside);
    return fields.adopt(inside);
  }
}

// transformers' activations.py: all of the names that sim/model takes but "gelu" are the form of
// the hyperbolic tangent.
std::optional<kernels::GeluForm> read_gelu(JsonObject& fields, ModelFamily family) {
  if (family != ModelFamily::gpt2 && family != ModelFamily::bert) return std::nullopt;
  const bool gpt2 = family == ModelFamily::gpt2;
  const std::string name =
      fields.text_or(gpt2 ? "activation_function" : "hidden_act", gpt2 ? "gelu_new" : "gelu");
  return name == "gelu" ? kernels::GeluForm::error_function : kernels::GeluForm::hyperbolic;
}

}  // namespace

Topology one_switch(int hosts) {
  const Part assumed{"this machine", "assumed; nothing here is a prediction"};
  const WireRecipe wire{Bandwidth{10e9}, Seconds{1e-6}, assumed};
  HostGroup group;
  group.count = hosts;
  group.host.family = HostFamily::cpu;
  group.host.spec = {.name = "rank",
                     .sockets = 1,
                     .cores = 1,
                     .memory = Bytes{1e9},
                     .memory_bandwidth = Bandwidth{1e10},
                     .source = assumed.source};
  group.host.slots = group.host.nics = 1;
  group.host.pcie = group.host.upstream = group.host.nic = wire;
  TopologyRecipe recipe;
  recipe.name = "one switch";
  recipe.groups = {group};
  recipe.protocol = NetworkProtocol::tcp;
  recipe.family = "single_switch";
  recipe.network = quintet::one_switch({assumed, hosts, Watts{}}, wire);
  Result<Topology> built = build_topology(recipe, "one switch");
  assert(built);
  return std::move(*built);
}

CompileOptions compile_options(Processor processor) {
  CompileOptions options;
  if (processor == Processor::gpu) options.vocabulary_multiple = 128;
  return options;
}

Result<ModelNumerics> read_numerics(const std::filesystem::path& config, ModelFamily family) {
  const Result<std::string> text = read_text_file(config);
  if (!text) return text.error();
  const Result<nlohmann::json> json = parse_json(*text, config.string());
  if (!json) return json.error();
  JsonObject fields(*json, config.string());
  // Defaults: transformers' configuration_gpt2.py, configuration_bert.py, configuration_llama.py.
  const bool bert = family == ModelFamily::bert, gpt2 = family == ModelFamily::gpt2;
  const char* const epsilon = gpt2   ? "layer_norm_epsilon"
                              : bert ? "layer_norm_eps"
                                     : "rms_norm_eps";
  ModelNumerics read;
  const double small = fields.number_or(epsilon, gpt2 ? 1e-5 : bert ? 1e-12 : 1e-6);
  if (!(small > 0 && small < 1)) fields.fail(epsilon, "expected a number above 0 and below 1");
  read.numerics.norm_epsilon = static_cast<float>(small);
  read.deviation = fields.number_or("initializer_range", 0.02);
  if (!(read.deviation >= 0)) fields.fail("initializer_range", "expected 0 or more");
  read_rotary(fields, read.numerics);
  read.numerics.gelu = read_gelu(fields, family);
  if (fields.failed()) return *fields.error();
  return read;
}

Result<TrainingInputs> read_training_inputs(const TrainingOptions& options) {
  Result<Model> model = read_model(options.model);
  if (!model) return model.error();
  const Result<ModelNumerics> numerics = read_numerics(options.model, model->family);
  if (!numerics) return numerics.error();
  Topology topology;
  if (options.topology) {
    Result<Topology> read = read_topology(*options.topology, {{}, {}, options.topology_changes});
    if (!read) return read.error();
    topology = std::move(*read);
  }
  Result<Plan> plan = with_lengths(read_asked_plan(options.plan, options.plan_changes,
                                                   static_cast<int>(rank_slots(topology).size())),
                                   options.plan.parent_path());
  if (!plan) return plan.error();
  if (plan->name.empty()) plan->name = options.plan.stem().string();
  TrainingInputs inputs{std::move(*model),
                        numerics->numerics,
                        numerics->deviation,
                        std::move(*plan),
                        {},
                        {},
                        compile_options(options.processor),
                        {},
                        {},
                        {}};
  if (options.topology) {
    inputs.topology = std::move(topology);
  } else {
    inputs.topology = one_switch(std::max(1, world_size(inputs.plan.parallelism)));
  }
  if (options.adapting.on)
    if (auto wrong = not_adaptable(inputs.plan)) return Error{"--adapt", wrong->text()};
  const std::vector<Problem> found = problems(inputs.plan, inputs.model, inputs.topology);
  if (!found.empty()) return Error{options.plan.string(), refusal_text(inputs.plan, found)};
  inputs.program = step_program(inputs.model, inputs.plan, inputs.topology, inputs.compile);
  inputs.backends = backends_of(options, inputs.plan.host_net);
  if (options.topology) inputs.seats = seats_of(inputs, places_of(options));
  inputs.deviations = deviations_by(inputs, options);
  return inputs;
}

namespace {

std::vector<PlanDeviation> communicators_unobeyed(const TrainingInputs& inputs) {
  switch (inputs.backends.collectives) {
    case BackendKind::nccl:
      return nccl_deviations(inputs.program, inputs.plan.ccl);
    case BackendKind::network:
    case BackendKind::delegates:
      return unobeyed_on_hosts(inputs.program, inputs.plan.ccl, inputs.seats);
    case BackendKind::memory:
      return {};
  }
  return {};
}

}  // namespace

std::vector<PlanDeviation> deviations_by(const TrainingInputs& inputs,
                                         const TrainingOptions& options,
                                         std::vector<std::string> emulated) {
  std::vector<PlanDeviation> found = plan_deviations(
      inputs.plan, options.topology ? &inputs.topology : nullptr,
      {places_of(options), std::move(emulated), options.processor, inputs.backends});
  for (PlanDeviation& each : communicators_unobeyed(inputs)) found.push_back(std::move(each));
  return found;
}

}  // namespace quintet::engine
