#include "sim/parallelism/stage_exchange.h"

#include <algorithm>

#include "sim/parallelism/state_stream.h"

namespace quintet {

StageExchange::StageExchange(const Model& model, const Plan& plan, const CompileOptions& options,
                             int stage, ProgramBuilder& builder, ScriptBuilder& script)
    : model_(model),
      plan_(plan),
      parallelism_(plan.parallelism),
      options_(options),
      stage_(stage),
      builder_(builder),
      script_(script),
      split_{plan.parallelism.tensor, options.vocabulary_multiple},
      chunks_(stage_chunks(model, plan.parallelism)[static_cast<std::size_t>(stage)]),
      exchange_(plan, options, builder),
      begins_{0} {
  for (const Chunk& part : chunks_) {
    begins_.push_back(begins_.back() + stage_parameters(model_, split_, stage_part(part)));
    buckets_.push_back(made_buckets(part));
  }
}

bool StageExchange::shards_weights() const {
  return parallelism_.sharding == Sharding::parameters && exchange_.exchanges();
}

bool StageExchange::gathers_after_update() const {
  return exchange_.exchanges() && (parallelism_.sharding == Sharding::optimizer ||
                                   parallelism_.sharding == Sharding::gradients);
}

bool StageExchange::gathers_before_first_forward() const {
  return gathers_after_update() && plan_.ccl.overlap_parameters;
}

bool StageExchange::exchanges_early() const {
  return plan_.ccl.overlap_gradients && parallelism_.clipping != Clipping::before_reduction;
}

// FSDP scatters what it gathers: layer by layer.
std::vector<Bucket> StageExchange::made_buckets(const Chunk& chunk) const {
  const auto layer = static_cast<double>(layer_parameters(model_, split_).total());
  const DataType type = parallelism_.gradient_type;
  std::vector<Bucket> buckets = gradient_buckets(
      model_, split_, chunk, shards_weights() ? layer * size_of(type) : plan_.ccl.bucket, type);
  // A replicator takes whole tensors.
  if (replicates())
    for (Bucket& bucket : buckets) bucket.pieces = 1;
  return buckets;
}

const std::vector<Bucket>& StageExchange::buckets_of(int chunk) const {
  return buckets_[static_cast<std::size_t>(chunk)];
}

void StageExchange::begin_step(const PassOrder& order) {
  for (const Pass& pass : order)
    if (pass.kind == PassKind::backward || pass.kind == PassKind::weight_gradient)
      last_pass_[pass.chunk] = pass;
  if (gathers_before_first_forward()) gather_all({});
}

// Later micro-batches of a chunk follow its first in the compute lane.
Calls StageExchange::bucket_gathered(const Pass& pass, std::size_t bucket) const {
  if (!gathers_before_first_forward() || pass.micro_batch != 0) return {};
  return {gathers_.at(pass.chunk)[bucket]};
}

Calls StageExchange::chunk_gathered(const Pass& pass) const {
  if (!gathers_before_first_forward() || pass.micro_batch != 0) return {};
  return gathers_.at(pass.chunk);
}

// At most two layers' weights beside those in use; without overlap none.
int StageExchange::gather(const Pass& pass, int layer, std::vector<ElementRange> elements) {
  const std::size_t ahead = plan_.ccl.overlap_parameters ? 2 : 1;
  Calls after;
  if (used_.size() >= ahead) after = {used_[used_.size() - ahead]};
  std::int64_t parameters = 0;
  for (const ElementRange& range : elements) parameters += range.count();
  return script_.call(exchange_.gather_weights(parameters), after,
                      {.pass = &pass, .first_layer = layer, .elements = std::move(elements)});
}

int StageExchange::gather_layer(const Pass& pass, int layer) {
  const Chunk& part = chunks_[static_cast<std::size_t>(pass.chunk)];
  const std::int64_t count = layer_parameters(model_, split_).total();
  const std::int64_t begin = chunk_begin(pass.chunk) + head_elements(part) +
                             (part.first_layer + part.layers - 1 - layer) * count;
  return gather(pass, layer, {{begin, begin + count}});
}

Calls StageExchange::gather_ends(const Pass& pass, const Chunk& ends) {
  if (!shards_weights()) return {};
  std::vector<ElementRange> elements;
  const std::int64_t begin = chunk_begin(pass.chunk), end = chunk_begin(pass.chunk + 1);
  if (ends.head) elements.push_back({begin, begin + head_elements(ends)});
  if (ends.embedding) elements.push_back({end - embedding_parameters(model_, split_).total(), end});
  return {gather(pass, -1, std::move(elements))};
}

// Shares of gradients are all that is kept: every micro-batch's gradients leave at once.
bool StageExchange::completes_gradients(const Pass& pass) const {
  return parallelism_.sharding == Sharding::gradients ||
         parallelism_.sharding == Sharding::parameters || last_pass_.at(pass.chunk) == pass;
}

bool StageExchange::takes_gradients(const Pass& pass) const {
  return completes_gradients(pass) || (clips_micro_batches(parallelism_) && !profiled());
}

// One replica alone has nothing to send, but its buckets are clipped all the same.
void StageExchange::exchange_bucket(const Pass& pass, const Calls& ready, std::size_t bucket) {
  if (!completes_gradients(pass)) return keep_bucket(pass, ready, bucket);
  if (replicates() && !exchange_.exchanges()) {
    if (replicates_early()) replicate(pass, ready, bucket);
    return;
  }
  if (!exchange_.exchanges() && builder_.group_ranks(GroupUse::replicas) == 1) {
    const Bucket& alone = buckets_of(pass.chunk)[bucket];
    if (exchange_.clips_buckets() && alone.parameters > 0)
      prepare(alone, ready, about(pass, bucket));
    return;
  }
  if (exchanges_early())
    send_bucket(pass, ready, bucket);
  else
    late_.push_back({pass, bucket});
}

// Pieces of one size as one call; a remainder makes the last one differ.
int StageExchange::in_pieces(BodyId piece, BodyId last, const Bucket& bucket, Calls after,
                             About about) {
  about.layers = piece == last ? bucket.pieces : bucket.pieces - 1;
  const ElementRange whole = about.elements.front();
  const std::int64_t cut = whole.begin + about.layers * bucket.piece();
  about.elements = {{whole.begin, cut}};
  const int sent = script_.call(piece, after, about);
  if (piece == last) return sent;
  about.layers = 1;
  about.elements = {{cut, whole.end}};
  after.push_back(sent);
  return script_.call(last, std::move(after), std::move(about));
}

// A profile of the stage counts these kernels already.
Calls StageExchange::prepare(const Bucket& bucket, const Calls& ready, const About& about) {
  using enum ExchangeBodies::MicroBatch;
  if (profiled()) return ready;
  if (!exchange_.clips_buckets())
    return {script_.call(exchange_.prepare(bucket.parameters), ready, about)};
  return clip(bucket, clips_micro_batches(parallelism_) ? last : alone, ready, about);
}

Calls StageExchange::clip(const Bucket& bucket, ExchangeBodies::MicroBatch which,
                          const Calls& ready, const About& about) {
  return {in_pieces(exchange_.clip_bucket(bucket.piece(), which),
                    exchange_.clip_bucket(bucket.last_piece(), which), bucket, ready, about)};
}

void StageExchange::keep_bucket(const Pass& pass, const Calls& ready, std::size_t index) {
  const Bucket& bucket = buckets_of(pass.chunk)[index];
  if (bucket.parameters > 0)
    clip(bucket, ExchangeBodies::MicroBatch::kept, ready, about(pass, index));
}

About StageExchange::about(const Pass& pass, std::size_t bucket) const {
  return {.pass = &pass,
          .bucket = static_cast<int>(bucket),
          .elements = {bucket_elements(pass.chunk, bucket)}};
}

void StageExchange::send_bucket(const Pass& pass, const Calls& ready, std::size_t index) {
  const Bucket& bucket = buckets_of(pass.chunk)[index];
  if (bucket.parameters == 0) return;
  const About what = about(pass, index);
  exchanged_.push_back(in_pieces(exchange_.gradients(bucket.piece()),
                                 exchange_.gradients(bucket.last_piece()), bucket,
                                 prepare(bucket, ready, what), what));
}

void StageExchange::gather_all(const Calls& after) {
  for (std::size_t number = 0; number < chunks_.size(); ++number) {
    const std::vector<Bucket>& buckets = buckets_[number];
    std::vector<int>& calls = gathers_[static_cast<int>(number)];
    calls.assign(buckets.size(), 0);
    for (std::size_t index = buckets.size(); index-- > 0;)
      calls[index] =
          in_pieces(exchange_.gather_weights(buckets[index].piece()),
                    exchange_.gather_weights(buckets[index].last_piece()), buckets[index], after,
                    {.bucket = static_cast<int>(index),
                     .elements = {bucket_elements(static_cast<int>(number), index)}});
  }
}

std::int64_t StageExchange::parameters() const {
  return begins_.back();
}

std::int64_t StageExchange::chunk_begin(int chunk) const {
  return begins_[static_cast<std::size_t>(chunk)];
}

// A tied embedding beside its head counts as the embedding's.
std::int64_t StageExchange::head_elements(const Chunk& chunk) const {
  return stage_parameters(model_, split_, stage_part(chunk)) -
         stage_parameters(model_, split_, {chunk.layers, chunk.embedding, false});
}

ElementRange StageExchange::bucket_elements(int chunk, std::size_t bucket) const {
  const std::vector<Bucket>& buckets = buckets_of(chunk);
  std::int64_t begin = chunk_begin(chunk);
  for (std::size_t before = 0; before < bucket; ++before) begin += buckets[before].parameters;
  return {begin, begin + buckets[bucket].parameters};
}

// What the end of the step waits for: the last passes (their lanes are in order) and all exchanges.
Calls StageExchange::gradients_ready() const {
  Calls calls = exchanged_;
  calls.push_back(script_.last());
  std::sort(calls.begin(), calls.end());
  calls.erase(std::unique(calls.begin(), calls.end()), calls.end());
  return calls;
}

void StageExchange::send_late_buckets() {
  const Calls backward_done{script_.last()};
  for (const auto& [pass, bucket] : late_) send_bucket(pass, backward_done, bucket);
}

// Where a rank's own gradients are all there is to wait for, and nothing is still to be done to
// them.
bool StageExchange::replicates_early() const {
  const bool whole =
      parallelism_.sharding == Sharding::none || parallelism_.sharding == Sharding::optimizer;
  return whole && exchanges_early() && parallelism_.replicator.kind != ReplicatorKind::diloco &&
         (parallelism_.tensor == 1 || partial_gradients() == 0);
}

void StageExchange::replicate(const Pass& pass, const Calls& ready, std::size_t index) {
  const auto chunk = static_cast<std::size_t>(pass.chunk);
  const Bucket& bucket = buckets_[chunk][index];
  if (bucket.parameters == 0 || parallelism_.replicator.kind == ReplicatorKind::none) return;
  const ReplicatedUnit unit =
      replicated_unit(model_, split_, chunks_[chunk], bucket, parallelism_.replicator,
                      builder_.group_ranks(GroupUse::data));
  replicated_[{pass.chunk, index}] =
      script_.call(exchange_.replicate(unit), ready,
                   {.pass = &pass,
                    .bucket = static_cast<int>(index),
                    .every = parallelism_.replicator.every,
                    .elements = {bucket_elements(pass.chunk, index)}});
}

// What has not left early; first all choices, so that kernels run under collectives.
Calls StageExchange::replicate_all(const Calls& ready) {
  for (const auto& [chunk, pass] : last_pass_)
    for (std::size_t index = 0; index < buckets_of(chunk).size(); ++index)
      if (!replicated_.contains({chunk, index})) replicate(pass, ready, index);
  return merge_all(ready);
}

Calls StageExchange::merge_all(Calls ready) {
  for (const auto& [place, sent] : replicated_) {
    const auto& [chunk, index] = place;
    const ReplicatedUnit unit = replicated_unit(
        model_, split_, chunks_[static_cast<std::size_t>(chunk)], buckets_of(chunk)[index],
        parallelism_.replicator, builder_.group_ranks(GroupUse::data));
    ready.push_back(script_.call(exchange_.merge(unit), {sent},
                                 {.pass = &last_pass_.at(chunk),
                                  .bucket = static_cast<int>(index),
                                  .every = parallelism_.replicator.every,
                                  .elements = {bucket_elements(chunk, index)}}));
  }
  return ready;
}

// A clip of the gradients that are updated takes their norm.
bool StageExchange::overflow_is_told() const {
  return parallelism_.clipping == Clipping::after_reduction ||
         (parallelism_.clipping == Clipping::before_reduction && late_.empty());
}

void StageExchange::finish_step() {
  std::int64_t owned = parameters();
  // What leaves is scaled before; of one replica alone the update applies the factor.
  const GradientScope clipped =
      late_.empty() && !replicates() ? GradientScope::updated : GradientScope::local;
  if (parallelism_.clipping == Clipping::before_reduction && !profiled())
    script_.call(exchange_.clip(clipped, owned), {});
  send_late_buckets();
  Calls ready = gradients_ready();
  if (!profiled()) ready = sum_shared_gradients(std::move(ready));
  const bool of_weights = parallelism_.replicator.kind == ReplicatorKind::diloco;
  if (replicates() && !of_weights) ready = replicate_all(ready);
  const int shares = exchange_.shared_state() ? builder_.group_ranks(GroupUse::data) : 1;
  owned = (owned + shares - 1) / shares;
  if (parallelism_.clipping == Clipping::after_reduction && !profiled())
    ready = {script_.call(exchange_.clip(GradientScope::updated, owned), ready)};
  if (parallelism_.loss_scaling && !overflow_is_told() && !profiled())
    ready = {script_.call(exchange_.unscale(owned), ready)};
  ready = update(owned, ready);
  if (of_weights) ready = replicate_all(ready);
  if (gathers_after_update() && !gathers_before_first_forward()) gather_all(ready);
}

Calls StageExchange::update(std::int64_t owned, const Calls& ready) {
  std::int64_t tensors = 0;
  for (const Chunk& part : chunks_) tensors += stage_tensors(model_, stage_part(part));
  if (!profiled())
    return StateStream(parallelism_, builder_, script_, exchange_)
        .update(owned, tensors, ready, before_last_pass_ < 0 ? Calls{} : Calls{before_last_pass_});
  BodyBuilder body("update");
  body.compute({Computation::stage_total, Phase::update, parallelism_.compute_type,
                ProfiledShape{stage_, 0}, 1});
  return {script_.call(builder_.add(std::move(body).body()), ready)};
}

// Parameters that every tensor rank holds whole but whose gradient it knows a part of: under
// sequence parallelism all that works on a share of the tokens, else only norms of single heads.
std::int64_t StageExchange::partial_gradients() const {
  const LayerParameters layer = layer_parameters(model_, split_);
  const EmbeddingParameters embedding = embedding_parameters(model_, split_);
  const HeadParameters head = head_parameters(model_, split_);
  std::int64_t sum = 0;
  for (const Chunk& part : chunks_) {
    if (!parallelism_.sequence_parallel) {
      sum += part.layers * layer.qk_norms;
      continue;
    }
    sum += part.layers * layer.replicated();
    if (part.embedding) sum += embedding.total() - embedding.tokens;
    if (part.head) sum += head.final_norm + head.transform;
  }
  return sum;
}

Calls StageExchange::sum_shared_gradients(Calls ready) {
  const std::int64_t partial = parallelism_.tensor > 1 ? partial_gradients() : 0;
  if (partial > 0) ready = {script_.call(exchange_.sum_over_tensor(partial), ready)};
  const bool tied = model_.tied_embeddings && parallelism_.pipeline > 1;
  if (tied && (stage_ == 0 || stage_ == parallelism_.pipeline - 1)) {
    const std::int64_t tokens = embedding_parameters(model_, split_).tokens;
    ready = {script_.call(exchange_.sum_tied_embedding(tokens), ready)};
  }
  return ready;
}

}  // namespace quintet
