#include "engine/executor/rank_executor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <limits>
#include <stdexcept>
#include <utility>

#include "engine/device/lost_peer.h"
#include "engine/device/memory_full.h"
#include "engine/executor/follow_program.h"
#include "engine/executor/less_memory.h"
#include "engine/executor/rehearsal.h"
#include "engine/executor/support.h"
#include "engine/operators/sized_batches.h"
#include "sim/program/groups.h"

namespace quintet::engine {

namespace {

const Collective* first_collective(const Program& program, Purpose purpose) {
  for (const Body& body : program.bodies)
    for (const Instruction& instruction : body.instructions)
      if (const auto* const collective = std::get_if<Collective>(&instruction.action))
        if (collective->purpose == purpose) return collective;
  return nullptr;
}

// Who shares one copy of the state.
PartPlace share_place(const Program& program, Rank rank) {
  const Collective* const gather = first_collective(program, Purpose::gather_weights);
  return gather ? part_place(program, *gather, rank) : PartPlace{};
}

// Who deals samples by length with this rank.
std::optional<SampleGroup> sample_group(const RankExecutorInput& input) {
  const Collective* const gather = first_collective(input.program, Purpose::exchange_samples);
  if (gather == nullptr) return std::nullopt;
  const PartPlace place = part_place(input.program, *gather, input.rank);
  return SampleGroup{sample_format(input.model, input.plan.parallelism.sequence_length),
                     place.position, place.ranks};
}

std::vector<int> counts_where_lengths_vary(const Parallelism& parallelism) {
  if (!parallelism.samples.vary()) return {};
  return counts_of_tokens(parallelism.micro_batch, parallelism.sequence_length);
}

// Who exchanges with it by a replicator.
ReplicaPlace replica_place(const Program& program, Rank rank) {
  const Collective* const exchange = first_collective(program, Purpose::exchange_replicas);
  if (!exchange) return {};
  const PartPlace mine = part_place(program, *exchange, rank);
  return {mine.position, mine.ranks};
}

CopyPlace place_among_copies(const Program& program, Rank rank) {
  CopyPlace place{0, 0};
  const int mine = share_place(program, rank).position;
  for (int other = 0; other < world_size(program.grid); ++other) {
    const bool alike = role_of(program.grid, Rank{other}) == role_of(program.grid, rank) &&
                       coordinate(program.grid, Rank{other}, Axis::tensor) ==
                           coordinate(program.grid, rank, Axis::tensor) &&
                       share_place(program, Rank{other}).position == mine;
    if (!alike) continue;
    if (other < rank.value) ++place.position;
    ++place.copies;
  }
  return place;
}

RankShape rank_shape(const RankExecutorInput& input) {
  const Parallelism& parallelism = input.plan.parallelism;
  const LayerWork work =
      layer_work(parallelism, input.options.fusion, input.options.vocabulary_multiple);
  RankShape shape;
  shape.model = input.model;
  shape.sizes = layer_sizes(input.model, work);
  shape.numerics = input.numerics;
  shape.type = tensor_type(parallelism.compute_type);
  if (parallelism.compute_type == DataType::fp8) shape.float8 = parallelism.float8;
  shape.tensor_ranks = parallelism.tensor;
  shape.sequence_split = parallelism.sequence_parallel && parallelism.tensor > 1;
  shape.tensor_position = coordinate(input.program.grid, input.rank, Axis::tensor);
  shape.dropout_seed = input.initial.seed;
  shape.lengths_vary = parallelism.samples.vary();
  return shape;
}

ParameterLayout layout_of(const RankExecutorInput& input, int stage, int tensor_position) {
  const Parallelism& parallelism = input.plan.parallelism;
  const auto chunks = stage_chunks(input.model, parallelism);
  return ParameterLayout({input.model,
                          {parallelism.tensor, input.options.vocabulary_multiple},
                          tensor_position,
                          chunks[static_cast<std::size_t>(stage)]});
}

// The tied table is cut alike on both stages that hold it, so that equal ranks of their data axes
// hold equal shares.
Result<std::set<Index>> all_cuts(const RankExecutorInput& input, const Role& mine,
                                 const ParameterLayout& layout) {
  Result<std::set<Index>> cuts = cuts_of(mine, layout);
  const std::optional<Index> here = layout.tied_begin();
  if (!cuts || !here) return cuts;
  cuts->insert({*here, *here + layout.tied_count()});
  for (const Role& role : input.program.roles) {
    const ParameterLayout other = layout_of(input, role.stage, 0);
    const std::optional<Index> there = other.tied_begin();
    if (!there) continue;
    const Result<std::set<Index>> its = cuts_of(role, other);
    if (!its) return its.error();
    for (const Index cut : *its)
      if (cut >= *there && cut <= *there + other.tied_count()) cuts->insert(*here + cut - *there);
  }
  return cuts;
}

bool fetches_state(const Body& body) {
  if (body.instructions.empty()) return false;
  const auto* const copy = std::get_if<Copy>(&body.instructions.front().action);
  return copy && copy->purpose == CopyPurpose::fetch_state;
}

bool updates(const Body& body) {
  if (body.instructions.empty()) return false;
  const auto* const compute = std::get_if<Compute>(&body.instructions.front().action);
  return compute && kind_of(compute->work.computation) == OperatorKind::optimizer_update;
}

StateShape state_shape(const RankExecutorInput& input, const Script& script, int tensor_position) {
  const bool gathers = first_collective(input.program, Purpose::gather_weights) != nullptr;
  StateShape shape{
      leave_repeatedly(input.program, script) ? GradientHome::apart : GradientHome::sections,
      gathers ? WeightHome::gathered : WeightHome::sections, tensor_position,
      input.model.tied_embeddings, input.plan.parallelism.moment_type};
  shape.streamed = input.plan.parallelism.offload.optimizer;
  for (auto call = script.calls.rbegin(); call != script.calls.rend(); ++call) {
    const Body& body = input.program.bodies[call->body.index()];
    if (fetches_state(body)) ++shape.pieces;
    if (updates(body)) shape.first_piece = call->bucket;
  }
  return shape;
}

// Sections gathered before each use are not there otherwise.
bool is_resident(const Role& role, const Program& program, const Section& section) {
  for (const Call& call : role.script.calls)
    if (call.bucket < 0 && program.bodies[call.body.index()].kind == BodyKind::gather_weights)
      for (const FlatRange& range : call.elements)
        if (range.begin == section.begin) return false;
  return true;
}

// Others wait for what is sent, and it takes little of a device.
std::vector<kernels::Urgency> urgencies(const Program& program) {
  std::vector<kernels::Urgency> lanes;
  for (const LaneInfo& lane : program.lanes)
    lanes.push_back(lane.kind == LaneKind::communication ? kernels::Urgency::urgent
                                                         : kernels::Urgency::usual);
  return lanes;
}

// What the optimizer needs of the program.
std::optional<Error> unsupported(const RankExecutorInput& input, const ParameterLayout& layout) {
  if (auto wrong = unsupported(input.optimizer.loss_scaling, input.plan.parallelism)) return wrong;
  const bool lamb = input.plan.parallelism.optimizer == Optimizer::lamb;
  if (lamb != (input.optimizer.rule == UpdateRule::lamb))
    return Error{"plan: parallelism.optimizer", "is not the rule that the executor was given"};
  const Role& role = input.program.roles[role_of(input.program.grid, input.rank).index()];
  for (const Call& call : role.script.calls)
    for (const Instruction& instruction : input.program.bodies[call.body.index()].instructions)
      if (const auto* const norms = std::get_if<Collective>(&instruction.action))
        if (norms->purpose == Purpose::sum_tensor_norms &&
            norms->size.value != 8.0 * static_cast<double>(layout.tensors()))
          return Error{"program: " + role.name + ": " + instruction.name,
                       fmt::format("is not of the {} tensors here", layout.tensors())};
  return std::nullopt;
}

}  // namespace

Result<std::unique_ptr<RankExecutor>> RankExecutor::make(RankExecutorInput input,
                                                         kernels::Kernels& kernels,
                                                         CommunicationBackend& backend) {
  std::unique_ptr<RankExecutor> made(new RankExecutor);
  made->place_ = std::make_unique<Workplace>(kernels);
  if (auto wrong = made->assemble(std::move(input), backend)) return std::move(*wrong);
  return made;
}

Result<std::unique_ptr<RankExecutor>> RankExecutor::make(RankExecutorInput input,
                                                         kernels::Device& device,
                                                         const DeviceOptions& options,
                                                         CommunicationBackend& backend) try {
  if (input.program.lanes.size() > most_lanes)
    return Error{"program: lanes",
                 fmt::format("are {}, and a device works on {} at most: use fewer "
                             "host_net.delegates, each of which has 4",
                             input.program.lanes.size(), most_lanes)};
  std::unique_ptr<RankExecutor> made(new RankExecutor);
  DeviceOptions taking = options;
  taking.memory.better = {[&backend](std::size_t bytes) { return backend.take_memory(bytes); },
                          [&backend](void* memory) { backend.give_back_memory(memory); },
                          [&backend](std::size_t bytes, std::uint64_t layout) {
                            return backend.take_shared_memory(bytes, layout);
                          }};
  made->place_ = std::make_unique<Workplace>(device, urgencies(input.program), taking);
  if (auto wrong = made->assemble(std::move(input), backend)) return std::move(*wrong);
  return made;
} catch (const LostPeer& lost) {
  return lost.error();
} catch (const std::runtime_error& failure) {
  return Error{"device", failure.what()};
}

Error RankExecutor::too_little(const MemoryFull& full) const {
  const std::string doing = walker_ ? walker_->doing() : "";
  const bool of_device = full.whose() == MemoryOf::device;
  const Parallelism& parallelism = input_.plan.parallelism;
  return {of_device ? "device" : "host",
          fmt::format("{}{}. Less is needed with {}", full.what(),
                      doing.empty() ? "" : "; they are for: " + doing,
                      of_device ? less_memory(parallelism) : less_on_host(parallelism))};
}

std::optional<Error> RankExecutor::assemble(RankExecutorInput input,
                                            CommunicationBackend& backend) try {
  if (auto wrong = unsupported(input.program, input.plan)) return wrong;
  if (auto wrong = unsupported(input.model)) return wrong;
  place_->enter(first_compute_lane(input.program));
  input_ = std::move(input);
  backend_ = &backend;
  const Program& program = input_.program;
  const Rank rank = input_.rank;
  if (world_size(program.grid) > 1)
    place_->watch([&backend]() -> std::optional<Error> {
      const auto told = backend.finished({}, Patience::none);
      return told ? std::nullopt : std::optional(told.error());
    });
  const Role& role = program.roles[role_of(program.grid, rank).index()];
  shape_ = rank_shape(input_);
  if (shape_.float8 && place_->kernels().on_float8() == nullptr)
    return Error{"plan: parallelism.compute_type", "these kernels have no products in fp8"};
  const int position = shape_.tensor_position;
  layout_ = std::make_unique<ParameterLayout>(layout_of(input_, role.stage, position));
  if (auto wrong = unsupported(input_, *layout_)) return wrong;
  if (!is_plain(input_.plan.parallelism.replicator) &&
      (place_->kernels().on_replicators() == nullptr || place_->kernels().on_cosines() == nullptr))
    return Error{"plan: parallelism.replicator", "these kernels have none of replicators"};
  const Result<std::set<Index>> cuts = all_cuts(input_, role, *layout_);
  if (!cuts) return cuts.error();
  const PartPlace share = share_place(program, rank);
  copy_place_ = place_among_copies(program, rank);
  shares_ = std::make_unique<Shares>(*layout_, *cuts, share.ranks, share.position);
  const StateShape shape = state_shape(input_, role.script, position);
  weights_ = std::make_unique<WeightStore>(*layout_, shape_.type, shape.gradients, *place_);
  work_ = std::make_unique<RankWork>(
      RankWorkInput{program,
                    role.script,
                    shape_,
                    *shares_,
                    shape,
                    input_.optimizer,
                    size_of(program.grid, Axis::data),
                    ranks_summed(input_.plan.parallelism),
                    rank,
                    sample_group(input_),
                    counts_where_lengths_vary(input_.plan.parallelism),
                    {input_.plan.parallelism.replicator, replica_place(program, rank)}},
      *weights_, *place_);
  uncaptured_ = why_not_captured(
      {program, role.script, input_.model, input_.plan.parallelism, backend});
  const bool keep = place_->graphs() && !place_->timed() && !uncaptured_;
  walker_ = std::make_unique<Walker>(program, role, rank, *work_, backend, *place_,
                                     keep ? MayKeep::yes : MayKeep::no);
  if (place_->on_device())
    if (auto wrong = rehearse()) return wrong;
  return input_.first_weights == FirstWeights::drawn ? draw_weights() : std::nullopt;
} catch (const MemoryFull& full) {
  return too_little(full);
}

// Weights are set afterwards: any numbers do, and those of a whole model take long to draw.
std::optional<Error> RankExecutor::rehearse() {
  place_->enter(first_compute_lane(input_.program));
  state().clear_weights(residents());
  OptimizerSettings& settings = state().settings();
  const float rate = std::exchange(settings.learning_rate, 0.0F);
  const TrainingState::Scale scale = state().loss_scale();
  AloneCommunicator alone(*place_);
  for (const StepInput& input : rehearsal_inputs(input_.model, input_.plan.parallelism)) {
    // A step with all that any has: one of those in which replicas exchange.
    state().set_updates(input_.plan.parallelism.replicator.every - 1);
    if (auto wrong = walker_->rehearse(input, alone)) return wrong;
  }
  settings.learning_rate = rate;
  state().set_loss_scale(scale);
  state().set_updates(0);
  place_->enter(first_compute_lane(input_.program));
  work_->float8_maxima().forget();
  state().set_moments_zero();
  work_->replication().forget();
  place_->finish_step();
  place_->reserve_memory();
  forget_records();
  return std::nullopt;
}

// What was recorded belongs to no step.
void RankExecutor::forget_records() {
  if (place_->recorder() != nullptr) place_->recorder()->collect();
}

TrainingState::Residents RankExecutor::residents() const {
  const Program& program = input_.program;
  const Role& role = program.roles[role_of(program.grid, input_.rank).index()];
  return [this, &program, &role](int section) {
    return is_resident(role, program, layout_->sections()[static_cast<std::size_t>(section)]);
  };
}

std::optional<Error> RankExecutor::set_weights(const Filling& how) try {
  place_->enter(first_compute_lane(input_.program));
  auto wrong = state().set_weights(how, residents());
  if (!wrong) work_->replication().take_weights();
  place_->finish_step();
  forget_records();
  return wrong;
} catch (const MemoryFull& full) {
  return too_little(full);
} catch (const std::runtime_error& failure) {
  return Error{"device", failure.what()};
}

std::optional<Error> RankExecutor::draw_weights() {
  return set_weights({initial_weights(input_.initial), input_.filling_threads});
}

std::optional<Error> RankExecutor::cannot_follow(const Plan& plan, const Program& program) const {
  if (place_->on_device())
    return Error{"plan: parallelism.schedule",
                 "stays as it is on a device, which is laid out for it"};
  if (auto wrong = not_alike({input_.plan, input_.program}, {plan, program})) return wrong;
  return unsupported(program, plan);
}

std::optional<Error> RankExecutor::follow(const Plan& plan, Program program) {
  if (auto wrong = cannot_follow(plan, program)) return wrong;
  const std::uint64_t steps = walker_->steps();
  walker_.reset();
  forward_.reset();
  input_.plan = plan;
  replace(input_.program, std::move(program));
  const Role& role = input_.program.roles[role_of(input_.program.grid, input_.rank).index()];
  walker_ = std::make_unique<Walker>(input_.program, role, input_.rank, *work_, *backend_, *place_,
                                     MayKeep::no);
  walker_->count_from(steps);
  return std::nullopt;
}

Result<StepReport> RankExecutor::step(const StepInput& input, Clock::time_point origin) {
  if (auto wrong = queue(input, origin)) return std::move(*wrong);
  return report();
}

std::optional<Error> RankExecutor::queue(const StepInput& input, Clock::time_point origin) {
  return attempted([&] { return walker_->queue(input, origin); });
}

Result<StepReport> RankExecutor::report() {
  WalkedStep walked;
  const auto wrong = attempted([&]() -> std::optional<Error> {
    Result<WalkedStep> finished = walker_->finish();
    if (!finished) return finished.error();
    walked = std::move(*finished);
    return std::nullopt;
  });
  if (wrong) return *wrong;
  const StepResult& result = walked.result;
  StepReport report{result.loss_sum, result.gradient_norm,    result.loss_scale,
                    result.updated,  std::move(walked.spans), std::move(walked.cpu)};
  report.notes = std::move(walked.notes);
  report.records = walked.records;
  report.end = walked.end;
  if (place_->on_device()) report.peak_memory = place_->arena()->peak();
  return report;
}

// What goes wrong ends the job on every rank.
std::optional<Error> RankExecutor::attempted(const std::function<std::optional<Error>()>& walk) {
  std::optional<Error> wrong;
  try {
    wrong = walk();
  } catch (const LostPeer& lost) {
    wrong = lost.error();
  } catch (const MemoryFull& full) {
    wrong = too_little(full);
  } catch (const std::runtime_error& failure) {
    wrong = Error{"device", failure.what()};
  }
  if (!wrong) return wrong;
  place_->drop_graph();  // or an abort waits for it
  backend_->abort(*wrong);
  return wrong;
}

RecordCounts RankExecutor::stop_recording() {
  const auto no_step = std::numeric_limits<std::uint64_t>::max();
  return attribute(place_->stop_recording(), no_step).counts;
}

}  // namespace quintet::engine
