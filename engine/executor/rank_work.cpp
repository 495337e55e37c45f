#include "engine/executor/rank_work.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <cstring>
#include <limits>

#include "engine/parameters/flat_units.h"

namespace quintet::engine {

namespace {

Buffer one_number(float number, Workplace& place) {
  Buffer made(1, DataType::fp32);
  *made.floats() = number;
  return place.bring(std::move(made));
}

std::map<int, RecomputedPart> recomputed_layers(const Program& program, const Script& script) {
  std::map<int, RecomputedPart> layers;
  for (const Call& call : script.calls)
    if (const auto part = program.bodies[call.body.index()].recomputed;
        part != RecomputedPart::nothing)
      for (int iteration = 0; iteration < call.layers; ++iteration)
        layers[layer_of(call, iteration)] = part;
  return layers;
}

bool runs_forward(const Body& body) {
  return body.phase == Phase::forward;
}
bool runs_input_gradient(const Body& body) {
  return body.phase == Phase::input_gradient || body.phase == Phase::backward;
}
bool runs_weight_gradient(const Body& body) {
  return body.phase == Phase::weight_gradient || body.phase == Phase::backward;
}

}  // namespace

std::size_t first_compute_lane(const Program& program) {
  std::size_t lane = 0;
  while (lane < program.lanes.size() && program.lanes[lane].kind != LaneKind::compute) ++lane;
  return lane;
}

RankWork::RankWork(const RankWorkInput& input, WeightStore& weights, Workplace& place)
    : place_(place),
      program_(input.program),
      script_(input.script),
      shape_(input.shape),
      largest_rows_(input.shape.rows()),
      state_shape_(input.state_shape),
      weights_(weights),
      math_(place, shape_, weights),
      maxima_(weights.layout(), input.shape.float8, place),
      float8_(math_, maxima_),
      layers_(math_, float8_),
      embeddings_(math_),
      heads_(math_),
      blocks_(place, shape_),
      state_(weights, input.shares, input.state_shape, input.optimizer, place),
      exchange_(weights, input.shares, state_, input.script, input.state_shape, place),
      replication_(input.replication, input.program, input.script, input.shares, state_, place),
      replicated_(replicated_ranges(weights.layout(), input.shape.sequence_split)),
      tied_(tied_ranges(weights.layout())),
      replicas_(input.replicas),
      summed_(input.summed),
      bucket_share_(static_cast<float>(clipped_share(input.program, input.script))),
      recomputed_(recomputed_layers(input.program, input.script)),
      phases_(input.program, input.rank, place),
      dealing_(input.samples ? std::optional<SampleDealing>(*input.samples) : std::nullopt),
      batches_(place, input.token_counts),
      squared_norm_(place.zeroed(1, DataType::fp32)),
      norm_sum_(place.zeroed(2, DataType::fp32)),
      clip_factor_(place.zeroed(1, DataType::fp32)),
      one_replicas_share_(one_number(1.0F / static_cast<float>(input.summed), place)) {}

LayerPlace RankWork::layer(const Situation& at, Pairing pairing, Block within) {
  return {layer_states_[{at.micro_batch, at.layer}],
          residual_stream(at),
          batch(at),
          weights_.layout().layer_section(at.layer),
          at.layer,
          reader_of(at.layer),
          pairing,
          within == Block::mlp ? BlockName::mlp : BlockName::attention};
}

EmbeddingPlace RankWork::embedding(const Situation& at) {
  return {embedding_states_[at.micro_batch], residual_stream(at), batch(at),
          weights_.layout().embedding_section()};
}

HeadPlace RankWork::head(const Situation& at, Pairing pairing) {
  const ParameterLayout& layout = weights_.layout();
  return {head_states_[at.micro_batch],
          residual_stream(at),
          batch(at),
          layout.head_section(),
          layout.projection_section(),
          layout.projection_weight(),
          static_cast<float>(replicas_ / input_->targets),
          report_.floats(at.micro_batch * largest_rows_),
          state_.live_loss_scale(),
          pairing};
}

BlockState& RankWork::block_state(Block block, const Situation& at) {
  if (block == Block::head) return head(at).state.block;
  return layer(at).block(block == Block::attention ? BlockName::attention : BlockName::mlp);
}

// --- steps and units

void RankWork::take(const StepInput& input) {
  input_ = &input;
  batches_.take(input.micro_batches, state_.settings().learning_rate);
  if (report_.count() != loss_rows() + 1) report_ = place_.zeroed(loss_rows() + 1, DataType::fp32);
  // A step's shorter micro-batches leave rows that the one before wrote; how short those are that
  // are dealt anew is not known yet.
  const auto is_full = [this](const Batch& batch) {
    return static_cast<Index>(batch.tokens.size()) == largest_rows_;
  };
  if (dealing_ || !std::all_of(input.micro_batches.begin(), input.micro_batches.end(), is_full))
    place_.zero(report_);
}

// Kernels see the tokens that the micro-batch has. Others read no rows.
void RankWork::turn_to(const Situation& at) {
  if (at.micro_batch < 0) return;
  const auto tokens = static_cast<Index>(batch(at).host->tokens.size());
  shape_.sizes.tokens = tokens;
  shape_.sizes.token_share = shape_.sequence_split ? tokens / shape_.tensor_ranks : tokens;
}

void RankWork::begin_step() {
  has_norm_ = false;
  if (replication_.on()) replication_.begin_step(state_.next_update(), batches_.learning_rate());
  state_.begin_step();
}

// Losses of all of the step's rows that the head here sees.
Index RankWork::loss_rows() const {
  const bool head = weights_.layout().head_section() >= 0;
  return head ? static_cast<Index>(input_->micro_batches.size()) * largest_rows_ : 0;
}

void RankWork::end_step() {
  float8_.end_step();
  queued_.push_back({loss_rows(), has_norm_});
  const auto report = std::as_const(report_).bytes();
  const std::array<MemoryPart, 2> left{
      {{report.data(), report.size()}, {state_.live_numbers(), sizeof(kernels::UpdateNumbers)}}};
  place_.end_step(left);
}

StepResult RankWork::await_step() {
  const std::vector<std::byte> left = place_.await_step();
  const Queued queued = queued_.front();
  queued_.pop_front();
  std::vector<float> report(static_cast<std::size_t>(queued.loss_rows) + 1);
  const std::size_t floats = report.size() * sizeof(float);
  kernels::UpdateNumbers numbers;
  std::memcpy(report.data(), left.data(), floats);
  std::memcpy(&numbers, left.data() + floats, sizeof numbers);
  StepResult result;
  if (state_.settings().loss_scaling.on()) {
    result.loss_scale = numbers.scaled_by;
    result.updated = numbers.happens;
  }
  const double squared_norm = static_cast<double>(report.back());
  report.pop_back();
  for (const float loss : report) result.loss_sum += static_cast<double>(loss);
  if (queued.has_norm) result.gradient_norm = std::sqrt(squared_norm) * (1 / result.loss_scale);
  return result;
}

void RankWork::drop_activations() {
  residual_streams_.clear();
  layer_states_.clear();
  embedding_states_.clear();
  head_states_.clear();
}

// What is packed is what backward adds to next.
EndWork RankWork::end_work(const Situation& at) const {
  const BodyKind kind = body(at).kind;
  if (kind == BodyKind::prepare_gradients) return EndWork::where_backward_works;
  return kind == BodyKind::sum_gradients ? EndWork::where_it_ended : EndWork::none;
}

void RankWork::begin_unit(const Situation& at) {
  turn_to(at);
  const Body& begun = body(at);
  if (begun.kind == BodyKind::layer && runs_forward(begun)) layers_.begin_forward(layer(at));
  if (begun.recomputed == RecomputedPart::whole_layer) layers_.begin_again(layer(at));
  if (begun.kind == BodyKind::head && runs_forward(begun)) heads_.begin_forward(head(at));
}

void RankWork::end_unit(const Situation& at) {
  turn_to(at);
  switch (body(at).kind) {
    case BodyKind::other:
    case BodyKind::gather_weights:
    case BodyKind::keep_gradients:
      return;
    case BodyKind::embedding:
      if (runs_forward(body(at))) return embeddings_.end_forward(embedding(at));
      embedding_states_.erase(at.micro_batch);
      residual_stream(at).gradient = {};
      return;
    case BodyKind::layer:
      return end_layer(at);
    case BodyKind::head:
      if (runs_weight_gradient(body(at))) head_states_.erase(at.micro_batch);
      return;
    case BodyKind::prepare_gradients:
      return pack_prepared(at);
    case BodyKind::sum_gradients:
      return exchange_.take_sums(at.at);
  }
}

// The layer's state goes when it is computed again, and with it one of the sum's terms. BERT's head
// begins with a product. On CPU cores, where little is gained, every layer's norm then does the
// same, so that a measured one tells of all.
ReadBy RankWork::reader_of(int layer) const {
  if (!place_.on_device()) return ReadBy::other;
  const ParameterLayout& layout = weights_.layout();
  const auto again = recomputed_.find(layer);
  if (again != recomputed_.end() && again->second == RecomputedPart::whole_layer)
    return ReadBy::other;
  const int last = shape_.model.layers - 1;
  const int next = layer < last ? layout.layer_section(layer + 1) : layout.head_section();
  const auto chunk_of = [&](int section) {
    return layout.sections()[static_cast<std::size_t>(section)].chunk;
  };
  const bool here = next >= 0 && chunk_of(next) == chunk_of(layout.layer_section(layer));
  return here ? ReadBy::norm : ReadBy::other;
}

void RankWork::end_layer(const Situation& at) {
  const LayerPlace place = layer(at);
  const Body& ended = body(at);
  if (runs_forward(ended)) {
    layers_.end_forward(place);
    const auto again = recomputed_.find(at.layer);
    if (again != recomputed_.end() && again->second == RecomputedPart::whole_layer)
      layers_.keep_input_only(place);
    if (again != recomputed_.end() && again->second == RecomputedPart::attention_core)
      layers_.drop_core(place);
  }
  if (runs_forward(ended) || runs_input_gradient(ended)) release(place.section);
  if (runs_weight_gradient(ended)) layer_states_.erase({at.micro_batch, at.layer});
}

// Codes of weights that are gone would be as large as they were.
void RankWork::release(int section) {
  exchange_.end_use(section);
  if (!weights_.holds_weights(section)) float8_.forget_weights(section);
}

// All that leaves of what was prepared: backward may go on in its buffers.
void RankWork::pack_prepared(const Situation& at) {
  const FlatRange prepared = exchange_.unit(at.at).front();
  const int calls = static_cast<int>(script_.calls.size());
  for (int number = at.at.first + 1; number < calls; ++number) {
    const Call& call = script_.calls[static_cast<std::size_t>(number)];
    const Body& sends = program_.bodies[call.body.index()];
    if (sends.kind != BodyKind::sum_gradients || call.micro_batch != at.micro_batch) continue;
    for (int iteration = 0; iteration < call.layers; ++iteration) {
      const FlatRange range = exchange_.unit({number, iteration}).front();
      if (range.begin < prepared.begin || range.end > prepared.end) continue;
      for (const Instruction& instruction : sends.instructions)
        if (const auto* const collective = std::get_if<Collective>(&instruction.action))
          exchange_.pack({number, iteration}, collective->type);
    }
  }
}

// --- kernels

void RankWork::compute(const Instruction& instruction, const Situation& at) {
  const Operator& work = std::get<Compute>(instruction.action).work;
  if (work.computation == Computation::presort) return deal_samples();
  turn_to(at);
  std::visit(
      Match{[&](std::monostate) { update_operator(work, at); },
            [&](LayerFunction run) { run(layers_, layer(at, work.pairing, instruction.block)); },
            [&](HeadFunction run) { run(heads_, head(at, work.pairing)); },
            [&](EmbeddingFunction run) { run(embeddings_, embedding(at)); }},
      function_of(work));
}

// On a device what was gathered comes to the host, which deals it: until then it queues nothing, and
// a step that was queued before is over.
void RankWork::deal_samples() {
  if (place_.on_device()) {
    Buffer& all = dealing_->gathered();
    place_.fetch(all.bytes().data(), samples_.bytes().data(), all.bytes().size());
  }
  if (!input_->as_dealt) batches_.take(dealing_->deal(), state_.settings().learning_rate);
}

// The update writes the weights in the type that kernels read itself: nothing is left of a cast.
void RankWork::update_operator(const Operator& work, const Situation& at) {
  using enum Computation;
  const NormSum sum{norm_sum_.doubles(), squared_norm_.floats()};
  const FlatUnit unit = exchange_.unit(at.at);
  const Computation what = work.computation;
  if (what == bucket_mean) state_.scale_local(unit.front(), one_replicas_share_.floats());
  if (what == bucket_norm) state_.local_squared_norm(unit, sum);
  if (what == bucket_clip) clip_bucket(unit.front());
  if (what == gradient_add)
    exchange_.add_kept(unit.front(), body(at).kind == BodyKind::keep_gradients
                                         ? StateExchange::KeptSum::grows
                                         : StateExchange::KeptSum::leaves);
  if (what == local_norm) state_.local_squared_norm(state_.counted(), sum);
  if (what == local_clip) clip_before_sums();
  if (what == Computation::gradient_norm) state_.squared_norm(sum);
  if (what == gradient_clip) clip_sums(state_.settings().maximum_norm);
  if (what == gradient_unscale) clip_sums(std::numeric_limits<float>::infinity());
  if (is_of_replicator(what)) {
    state_.await_reader();  // of what it keeps
    replication_.run(what, unit);
  }
  if (kind_of(what) == OperatorKind::optimizer_update)
    state_.update(what, {batches_.learning_rate(), squared_norm_.floats(), call(at).bucket});
}

// No kernel of its own makes the mean of a bucket. Its loss scale stays, as does what overflowed:
// the sum spreads it.
void RankWork::clip_bucket(const FlatRange& bucket) {
  tell_clip_factor({.maximum_norm = state_.settings().maximum_norm * bucket_share_,
                    .factor = clip_factor_.floats(),
                    .share = 1.0F / static_cast<float>(summed_),
                    .result = kernels::ScaledBy::kept});
  state_.scale_local(bucket, clip_factor_.floats());
}

void RankWork::clip_before_sums() {
  tell_clip_factor({.maximum_norm = state_.settings().maximum_norm,
                    .factor = clip_factor_.floats(),
                    .result = kernels::ScaledBy::kept});
  note_norm();
  state_.scale_local({0, weights_.layout().count()}, clip_factor_.floats());
}

// The update applies the factor.
void RankWork::clip_sums(float maximum_norm) {
  tell_clip_factor({.maximum_norm = maximum_norm, .factor = state_.factor()});
  if (!has_norm_) note_norm();
}

void RankWork::tell_clip_factor(kernels::ClipFactor how) {
  how.squared_norm = squared_norm_.floats();
  how.loss_scale = state_.live_loss_scale();
  place_.kernels().clip_factor(how, place_.stream());
}

void RankWork::note_norm() {
  has_norm_ = true;
  place_.copy(report_.floats(loss_rows()), squared_norm_.floats(), sizeof(float));
}

}  // namespace quintet::engine
