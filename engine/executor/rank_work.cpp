#include "engine/executor/rank_work.h"

#include <cassert>
#include <cmath>

#include "engine/parameters/shared_ranges.h"

namespace quintet::engine {

namespace {

Buffer one_number(float number, Workplace& place) {
  Buffer made(1, DataType::fp32);
  *made.floats() = number;
  return place.bring(std::move(made));
}

}  // namespace

RankWork::RankWork(const RankWorkInput& input, WeightStore& weights, Workplace& place)
    : place_(place),
      program_(input.program),
      script_(input.script),
      shape_(input.shape),
      state_shape_(input.state_shape),
      units_(input.units),
      facts_(script_facts(input.program, input.script)),
      weights_(weights),
      tools_(place, input.shape, weights),
      layers_(tools_),
      embeddings_(tools_),
      heads_(tools_),
      blocks_(place, input.shape),
      state_(weights, input.shares, input.state_shape, input.optimizer, place),
      exchange_(weights, input.shares, state_, input.units, input.state_shape, place),
      replicated_(replicated_ranges(weights.layout(), input.shape.sequence_split)),
      tied_(tied_ranges(weights.layout())),
      replicas_(input.replicas),
      rank_(input.rank),
      hierarchy_(input.hierarchy),
      phases_(place),
      batches_(place),
      squared_norm_(place.zeroed(1, DataType::fp32)),
      norm_sum_(place.zeroed(2, DataType::fp32)),
      clip_factor_(place.zeroed(1, DataType::fp32)),
      one_replicas_share_(one_number(1.0F / static_cast<float>(input.replicas), place)) {}

LayerPlace RankWork::layer(const Situation& at) {
  return {layer_states_[{at.micro_batch, at.layer}], flow(at), batch(at),
          weights_.layout().layer_section(at.layer), at.layer, at.body.pairs};
}

EmbeddingPlace RankWork::embedding(const Situation& at) {
  return {embedding_states_[at.micro_batch], flow(at), batch(at),
          weights_.layout().embedding_section()};
}

HeadPlace RankWork::head(const Situation& at) {
  const ParameterLayout& layout = weights_.layout();
  return {head_states_[at.micro_batch],
          flow(at),
          batch(at),
          layout.head_section(),
          layout.projection_section(),
          layout.projection_weight(),
          static_cast<float>(state_.loss_scale().scale * replicas_ / input_->targets),
          report_.floats(at.micro_batch * shape_.rows()),
          at.body.pairs};
}

BlockState& RankWork::block_state(Block block, const Situation& at) {
  if (block == Block::head) return head(at).state.block;
  return layer(at).block(block == Block::attention ? BlockName::attention : BlockName::mlp);
}

// --- steps and units

void RankWork::take(const StepInput& input) {
  input_ = &input;
  loss_sum_ = gradient_norm_ = 0;
  batches_.take(input.micro_batches);
  if (report_.count() != loss_rows() + 1) report_ = place_.zeroed(loss_rows() + 1, DataType::fp32);
}

void RankWork::begin_step() {
  unscaled_.reset();
  state_.begin_step();
}

bool RankWork::can_be_kept(const Instruction& instruction) const {
  const auto* const compute = std::get_if<Compute>(&instruction.action);
  return !compute || compute->work.kind != OperatorKind::optimizer_update;
}

// Losses of all of the step's rows that the head here sees.
Index RankWork::loss_rows() const {
  const bool head = weights_.layout().head_section() >= 0;
  return head ? static_cast<Index>(input_->micro_batches.size()) * shape_.rows() : 0;
}

void RankWork::finish_step() {
  place_.finish_step();
  const std::vector<float> report = place_.fetched(report_.floats(), report_.count());
  for (Index row = 0; row < loss_rows(); ++row)
    loss_sum_ += static_cast<double>(report[static_cast<std::size_t>(row)]);
  if (unscaled_) gradient_norm_ = std::sqrt(static_cast<double>(report.back())) * *unscaled_;
}

// What is packed is what backward adds to next.
EndWork RankWork::end_work(const Situation& at) const {
  const UnitUse use = use_of(program_, script_.calls[static_cast<std::size_t>(at.at.first)]);
  if (use == UnitUse::prepare) return EndWork::where_backward_works;
  return use == UnitUse::exchange ? EndWork::where_it_ended : EndWork::none;
}

void RankWork::begin_unit(const Situation& at) {
  const BodyFacts& body = at.body;
  if (body.stretch == Stretch::layer && body.forward) layers_.begin_forward(layer(at));
  if (body.stretch == Stretch::layer && body.again) layers_.begin_again(layer(at));
  if (body.stretch == Stretch::head && body.forward) heads_.begin_forward(head(at));
}

void RankWork::end_unit(const Situation& at) {
  const BodyFacts& body = at.body;
  if (body.stretch == Stretch::layer) end_layer_unit(at);
  if (body.stretch == Stretch::embedding && body.forward) embeddings_.end_forward(embedding(at));
  if (body.stretch == Stretch::embedding && body.weights) {
    embedding_states_.erase(at.micro_batch);
    flow(at).gradient = {};
  }
  if (body.stretch == Stretch::head && body.weights) head_states_.erase(at.micro_batch);
  const Call& call = script_.calls[static_cast<std::size_t>(at.at.first)];
  const UnitUse use = use_of(program_, call);
  if (use == UnitUse::prepare) pack_prepared(at);
  if (use == UnitUse::exchange) exchange_.take_sums(at.at);
}

void RankWork::end_layer_unit(const Situation& at) {
  const LayerPlace place = layer(at);
  if (at.body.forward) {
    layers_.end_forward(place);
    const auto kept = facts_.kept.find(at.layer);
    if (kept != facts_.kept.end() && kept->second == Kept::input) layers_.keep_input_only(place);
    if (kept != facts_.kept.end() && kept->second == Kept::all_but_core) layers_.drop_core(place);
  }
  if (at.body.forward || at.body.backward) exchange_.end_use(place.section);
  if (at.body.weights) layer_states_.erase({at.micro_batch, at.layer});
}

// All that leaves of what was prepared: backward may go on in its buffers.
void RankWork::pack_prepared(const Situation& at) {
  const FlatRange prepared = exchange_.unit(at.at).front();
  for (const auto& [other, unit] : units_.of_call) {
    const Call& call = script_.calls[static_cast<std::size_t>(other.first)];
    const FlatRange& range = unit.front();
    if (other.first < at.at.first || call.micro_batch != at.micro_batch ||
        use_of(program_, call) != UnitUse::exchange || range.begin < prepared.begin ||
        range.end > prepared.end)
      continue;
    for (const Instruction& instruction : program_.bodies[call.body.index()].instructions)
      if (const auto* const collective = std::get_if<Collective>(&instruction.action))
        exchange_.pack(other, collective->type);
  }
}

// --- kernels

void RankWork::compute(const Instruction& instruction, const Situation& at) {
  const Operator& work = std::get<Compute>(instruction.action).work;
  switch (instruction.block) {
    case Block::none:
      return update_operator(work, at);
    case Block::attention:
    case Block::mlp:
      return layer_function(instruction.block, work, at.occurrence, shape_.model)(layers_,
                                                                                  layer(at));
    case Block::head:
      return head_function(work, at.occurrence, shape_.model.family)(heads_, head(at));
    case Block::embedding:
      const bool forward = work.phase == Phase::forward;
      const EmbeddingPlace place = embedding(at);
      if (work.kind == OperatorKind::residual)
        return forward ? embeddings_.dropout(place) : embeddings_.dropout_gradient(place);
      if (work.kind == OperatorKind::norm)
        return forward ? embeddings_.norm(place) : embeddings_.norm_gradient(place);
      return forward ? embeddings_.look_up(place, embeddings_.forward_table(at.occurrence))
                     : embeddings_.scatter(place, embeddings_.backward_table(at.occurrence));
  }
}

void RankWork::update_operator(const Operator& work, const Situation& at) {
  if (work.kind == OperatorKind::gradient_scale)
    state_.scale_local(exchange_.unit(at.at).front(), one_replicas_share_.floats());
  if (work.kind == OperatorKind::gradient_norm) measure_norm(at);
  if (work.kind == OperatorKind::gradient_clip) clip(at);
  if (work.kind == OperatorKind::optimizer_update) state_.update(at.occurrence);
  if (work.kind == OperatorKind::cast) state_.cast();
}

void RankWork::measure_norm(const Situation& at) {
  const auto call = static_cast<std::size_t>(at.at.first);
  const NormSum sum{norm_sum_.doubles(), squared_norm_.floats()};
  if (script_.calls[call].bucket >= 0)
    state_.local_squared_norm({&exchange_.unit(at.at).front(), 1}, sum);
  else if (facts_.before_exchange[call])
    state_.local_squared_norm(state_.counted(), sum);
  else
    state_.squared_norm(sum);
}

void RankWork::clip(const Situation& at) {
  const auto call = static_cast<std::size_t>(at.at.first);
  const double unscaled = 1 / state_.loss_scale().scale;
  const bool bucket = script_.calls[call].bucket >= 0, before = facts_.before_exchange[call];
  float* const factor = bucket || before ? clip_factor_.floats() : state_.factor();
  // No kernel of its own makes the mean of a bucket.
  const float share = bucket ? 1.0F / static_cast<float>(replicas_) : 1.0F;
  place_.kernels().clip_factor({squared_norm_.floats(), state_.settings().maximum_norm,
                                static_cast<float>(unscaled), factor, share},
                               place_.stream());
  if (bucket) return state_.scale_local(exchange_.unit(at.at).front(), factor);
  note_norm(unscaled);
  if (before) state_.scale_local({0, weights_.layout().count()}, factor);
}

void RankWork::note_norm(double unscaled) {
  unscaled_ = unscaled;
  place_.copy(report_.floats(loss_rows()), squared_norm_.floats(), sizeof(float));
  if (!state_.settings().loss_scaling.on()) return;
  const float squared = place_.fetched(squared_norm_.floats(), 1).front();
  state_.note(std::isfinite(squared) ? TrainingState::Overflow::no : TrainingState::Overflow::yes);
}

}  // namespace quintet::engine
