#include "sim/parallelism/stage_script.h"

#include <algorithm>
#include <map>
#include <utility>

#include "sim/model/activations.h"
#include "sim/parallelism/exchange_bodies.h"
#include "sim/parallelism/gradient_buckets.h"
#include "sim/parallelism/layer_bodies.h"
#include "sim/parallelism/pipeline_order.h"
#include "sim/parallelism/stage_layers.h"

namespace quintet {

namespace {

using Calls = std::vector<int>;

class StageScript {
 public:
  StageScript(const Model& model, const Plan& plan, const CompileOptions& options, int stage,
              ProgramBuilder& builder)
      : model_(model),
        plan_(plan),
        parallelism_(plan.parallelism),
        options_(options),
        stage_(stage),
        builder_(builder),
        split_{plan.parallelism.tensor, options.vocabulary_multiple},
        work_(layer_work(plan.parallelism, options.fusion, options.vocabulary_multiple)),
        layers_(model, work_, builder),
        exchange_(plan, builder),
        chunks_(stage_chunks(model, plan.parallelism)[static_cast<std::size_t>(stage)]) {}

  Role role() {
    const PassOrder order = pipeline_order(parallelism_, stage_);
    find_last_passes(order);
    if (gathers_before_first_forward()) gather_all(Calls{});
    for (const Pass& pass : order) run(pass);
    finish_step();
    return {"stage " + std::to_string(stage_), stage_, std::move(script_)};
  }

 private:
  const Chunk& chunk(const Pass& pass) const {
    return chunks_[static_cast<std::size_t>(pass.chunk)];
  }
  bool profiled() const { return options_.work == WorkSource::stage_profiles; }
  bool shards_weights() const {
    return parallelism_.sharding == Sharding::parameters && exchange_.exchanges();
  }
  bool gathers_after_update() const {
    return exchange_.exchanges() && (parallelism_.sharding == Sharding::optimizer ||
                                     parallelism_.sharding == Sharding::gradients);
  }
  bool gathers_before_first_forward() const {
    return gathers_after_update() && plan_.ccl.overlap_parameters;
  }
  // Shares of gradients are all that is kept: every micro-batch's gradients leave at once.
  bool exchanges_every_micro_batch() const {
    return parallelism_.sharding == Sharding::gradients ||
           parallelism_.sharding == Sharding::parameters;
  }
  bool exchanges_early() const {
    return plan_.ccl.overlap_gradients && parallelism_.clipping != Clipping::before_reduction;
  }

  int call(BodyId body, Calls after, const Pass* pass = nullptr, int layers = 1,
           int first_layer = -1, int step = 1, int bucket = -1) {
    Call made;
    made.body = body;
    made.layers = layers;
    made.first_layer = first_layer;
    made.layer_step = step;
    made.bucket = bucket;
    if (pass) {
      made.micro_batch = pass->micro_batch;
      made.chunk = pass->chunk;
    }
    made.after = std::move(after);
    script_.calls.push_back(std::move(made));
    return static_cast<int>(script_.calls.size()) - 1;
  }

  // The pass of each chunk after which no gradient of it changes any more.
  void find_last_passes(const PassOrder& order) {
    for (const Pass& pass : order)
      if (pass.kind == PassKind::backward || pass.kind == PassKind::weight_gradient)
        last_pass_[pass.chunk] = pass;
  }

  bool completes_gradients(const Pass& pass) const {
    return exchanges_every_micro_batch() || last_pass_.at(pass.chunk) == pass;
  }

  void run(const Pass& pass) {
    if (profiled()) return run_profiled(pass);
    switch (pass.kind) {
      case PassKind::forward:
        return forward(pass);
      case PassKind::input_gradient:
        return backward(pass, BackwardPart::input_gradient);
      case PassKind::backward:
        return backward(pass, BackwardPart::whole);
      case PassKind::weight_gradient:
        return weight_gradient(pass);
    }
  }

  // --- messages between stages
  // ---------------------------------------------------------------------------------

  bool first_chunk(const Pass& pass) const { return chunk(pass).embedding; }
  bool last_chunk(const Pass& pass) const { return chunk(pass).head; }

  Calls receive(const Pass& pass, Payload payload) {
    const bool forward = payload == Payload::activation;
    BodyBuilder body(forward ? "receive activation" : "receive gradient");
    body.communicate(
        forward ? LaneUse::receive_forward : LaneUse::receive_backward,
        forward ? "receive activation" : "receive gradient",
        Receive{Axis::pipeline, forward ? -1 : 1, message_bytes(), payload, pass.chunk}, {});
    return {call(builder_.add(std::move(body).body()), {}, &pass)};
  }

  // The receiver's virtual stage differs when the message wraps round the pipeline.
  void send(const Pass& pass, Payload payload, Calls after) {
    const bool forward = payload == Payload::activation;
    const bool wraps = forward ? stage_ == parallelism_.pipeline - 1 : stage_ == 0;
    const int chunk = pass.chunk + (wraps ? (forward ? 1 : -1) : 0);
    BodyBuilder body(forward ? "send activation" : "send gradient");
    body.communicate(forward ? LaneUse::send_forward : LaneUse::send_backward,
                     forward ? "send activation" : "send gradient",
                     Send{Axis::pipeline, forward ? 1 : -1, message_bytes(), payload, chunk}, {});
    call(builder_.add(std::move(body).body()), std::move(after), &pass);
  }

  Bytes message_bytes() const { return stage_boundary_bytes(model_, work_); }

  // --- passes
  // --------------------------------------------------------------------------------------------------

  void forward(const Pass& pass) {
    Calls ready = first_chunk(pass)
                      ? Calls{call(layers_.embedding_forward(), first_use(pass, 0), &pass)}
                      : receive(pass, Payload::activation);
    ready = shards_weights() ? forward_gathered(pass, ready) : forward_kept(pass, ready);
    if (last_chunk(pass)) {
      const Calls head{call(layers_.head_forward(), ready, &pass)};
      forward_done_[{pass.micro_batch, pass.chunk}] = head;
    } else {
      send(pass, Payload::activation, ready);
    }
  }

  // The first micro-batch's layers wait for the weights gathered at the start of the step.
  Calls first_use(const Pass& pass, std::size_t bucket) const {
    if (!gathers_before_first_forward() || pass.micro_batch != 0) return {};
    return {gathers_.at(pass.chunk)[bucket]};
  }

  Calls forward_kept(const Pass& pass, Calls ready) {
    const Chunk& part = chunk(pass);
    if (!gathers_before_first_forward() || pass.micro_batch != 0)
      return {call(layers_.forward(), ready, &pass, part.layers, part.first_layer)};
    const std::vector<Bucket> buckets = buckets_of(part);
    for (std::size_t index = buckets.size(); index-- > 0;) {
      const Bucket& bucket = buckets[index];
      if (bucket.layers == 0) continue;
      Calls after = ready;
      after.push_back(gathers_.at(pass.chunk)[index]);
      ready = {call(layers_.forward(), after, &pass, bucket.layers,
                    bucket.last_layer - bucket.layers + 1)};
    }
    return ready;
  }

  // FSDP: a layer's weights are put together while the layer before computes, and dropped after
  // use.
  Calls forward_gathered(const Pass& pass, Calls ready) {
    const Chunk& part = chunk(pass);
    for (int layer = part.first_layer; layer < part.first_layer + part.layers; ++layer) {
      Calls after = ready;
      after.push_back(gather_layer(pass, layer));
      ready = {call(layers_.forward(), after, &pass, 1, layer)};
      computed_.push_back(ready.front());
    }
    return ready;
  }

  // At most two layers' weights beside those in use; without overlap none.
  int gather_layer(const Pass& pass, int layer) {
    const std::size_t ahead = plan_.ccl.overlap_parameters ? 2 : 1;
    Calls after;
    if (computed_.size() >= ahead) after = {computed_[computed_.size() - ahead]};
    return call(exchange_.gather_weights(layer_parameters(model_, split_).total()), after, &pass, 1,
                layer);
  }

  void backward(const Pass& pass, BackwardPart part) {
    const bool completes = part == BackwardPart::whole && completes_gradients(pass);
    Calls ready;
    if (last_chunk(pass))
      ready = {
          call(layers_.head_backward(part), forward_done_[{pass.micro_batch, pass.chunk}], &pass)};
    else
      ready = receive(pass, Payload::activation_gradient);
    if (completes)
      ready = backward_by_bucket(pass, ready);
    else
      ready = backward_layers(pass, part, ready, chunk(pass).first_layer + chunk(pass).layers - 1,
                              chunk(pass).layers);
    if (first_chunk(pass)) {
      ready = {call(layers_.embedding_backward(), ready, &pass)};
      if (completes) exchange_bucket(pass, ready, buckets_of(chunk(pass)).size() - 1);
    } else {
      send(pass, Payload::activation_gradient, ready);
    }
  }

  // Layers last_layer, last_layer - 1, ...; the plan may recompute only the first so many of the
  // chunk.
  Calls backward_layers(const Pass& pass, BackwardPart part, Calls ready, int last_layer,
                        int layers) {
    const RecomputedPart recomputed = recomputed_part(parallelism_.recompute);
    const int full = parallelism_.recompute_layers;
    int kept = 0;
    if (recomputed == RecomputedPart::whole_layer && full > 0)
      kept = std::clamp(last_layer - (chunk(pass).first_layer + full) + 1, 0, layers);
    if (kept > 0)
      ready = backward_run(pass, part, RecomputedPart::nothing, ready, last_layer, kept);
    if (layers > kept)
      ready = backward_run(pass, part, recomputed, ready, last_layer - kept, layers - kept);
    return ready;
  }

  Calls backward_run(const Pass& pass, BackwardPart part, RecomputedPart recomputed, Calls ready,
                     int last_layer, int layers) {
    if (!shards_weights())
      return {call(layers_.backward(part, recomputed), ready, &pass, layers, last_layer, -1)};
    for (int layer = last_layer; layer > last_layer - layers; --layer) {
      Calls after = ready;
      after.push_back(gather_layer(pass, layer));
      ready = {call(layers_.backward(part, recomputed), after, &pass, 1, layer, -1)};
      computed_.push_back(ready.front());
    }
    return ready;
  }

  Calls backward_by_bucket(const Pass& pass, Calls ready) {
    const std::vector<Bucket> buckets = buckets_of(chunk(pass));
    for (std::size_t index = 0; index < buckets.size(); ++index) {
      const Bucket& bucket = buckets[index];
      if (bucket.layers > 0)
        ready = backward_layers(pass, BackwardPart::whole, ready, bucket.last_layer, bucket.layers);
      if (!bucket.embedding) exchange_bucket(pass, ready, index);
    }
    return ready;
  }

  void weight_gradient(const Pass& pass) {
    const bool completes = completes_gradients(pass);
    Calls ready;
    if (last_chunk(pass)) ready = {call(layers_.head_weight_gradient(), {}, &pass)};
    const std::vector<Bucket> buckets = buckets_of(chunk(pass));
    for (std::size_t index = 0; index < buckets.size(); ++index) {
      if (buckets[index].layers > 0)
        ready = {call(layers_.weight_gradient(), {}, &pass, buckets[index].layers,
                      buckets[index].last_layer, -1)};
      if (completes) exchange_bucket(pass, ready, index);
    }
  }

  // --- profiled stages
  // -----------------------------------------------------------------------------------------

  Operator profile(Phase phase, int layers) const {
    return {OperatorKind::stage_total, phase, parallelism_.compute_type,
            ProfiledShape{stage_, layers}, 1};
  }

  Calls profiled_call(const Pass& pass, Phase phase, const char* name, Calls after) {
    BodyBuilder body(name);
    body.compute(profile(phase, chunk(pass).layers));
    return {call(builder_.add(std::move(body).body()), std::move(after), &pass, 1,
                 chunk(pass).first_layer)};
  }

  void run_profiled(const Pass& pass) {
    switch (pass.kind) {
      case PassKind::forward: {
        const Calls ready = first_chunk(pass) ? Calls{} : receive(pass, Payload::activation);
        const Calls done = profiled_call(pass, Phase::forward, "stage forward", ready);
        forward_done_[{pass.micro_batch, pass.chunk}] = done;
        if (!last_chunk(pass)) send(pass, Payload::activation, done);
        return;
      }
      case PassKind::input_gradient:
        return profiled_backward(pass, Phase::input_gradient, "stage input gradient");
      case PassKind::backward:
        return profiled_backward(pass, Phase::backward, "stage backward");
      case PassKind::weight_gradient: {
        const Calls done = profiled_call(pass, Phase::weight_gradient, "stage weight gradient", {});
        if (completes_gradients(pass)) exchange_profiled(pass, done);
        return;
      }
    }
  }

  void profiled_backward(const Pass& pass, Phase phase, const char* name) {
    Calls ready = last_chunk(pass) ? forward_done_[{pass.micro_batch, pass.chunk}]
                                   : receive(pass, Payload::activation_gradient);
    const Calls done = profiled_call(pass, phase, name, ready);
    if (!first_chunk(pass)) send(pass, Payload::activation_gradient, done);
    if (pass.kind == PassKind::backward && completes_gradients(pass)) exchange_profiled(pass, done);
  }

  void exchange_profiled(const Pass& pass, const Calls& done) {
    for (std::size_t index = 0; index < buckets_of(chunk(pass)).size(); ++index)
      exchange_bucket(pass, done, index);
  }

  // --- gradients, weights, update
  // ------------------------------------------------------------------------------

  std::vector<Bucket> buckets_of(const Chunk& part) const {
    return gradient_buckets(model_, split_, part, plan_.ccl.bucket, parallelism_.gradient_type);
  }

  void exchange_bucket(const Pass& pass, const Calls& ready, std::size_t index) {
    if (!exchange_.exchanges() && builder_.group_ranks(GroupUse::replicas) == 1) return;
    if (!exchanges_early()) {
      late_.push_back({pass, index});
      return;
    }
    send_bucket(pass, ready, index);
  }

  void send_bucket(const Pass& pass, const Calls& ready, std::size_t index) {
    const Bucket bucket = buckets_of(chunk(pass))[index];
    if (bucket.parameters == 0) return;
    exchanged_.push_back(call(exchange_.gradients(bucket.parameters / bucket.pieces), ready, &pass,
                              bucket.pieces, -1, 1, static_cast<int>(index)));
  }

  void gather_all(const Calls& after) {
    for (std::size_t number = 0; number < chunks_.size(); ++number) {
      std::vector<Bucket> buckets = buckets_of(chunks_[number]);
      std::vector<int>& calls = gathers_[static_cast<int>(number)];
      calls.assign(buckets.size(), 0);
      for (std::size_t index = buckets.size(); index-- > 0;) {
        const Bucket& bucket = buckets[index];
        calls[index] = call(exchange_.gather_weights(bucket.parameters / bucket.pieces), after,
                            nullptr, bucket.pieces, -1, 1, static_cast<int>(index));
      }
    }
  }

  std::int64_t parameters() const {
    std::int64_t sum = 0;
    for (const Chunk& part : chunks_) sum += stage_parameters(model_, split_, stage_part(part));
    return sum;
  }

  // What the end of the step waits for: the last passes (their lanes are in order) and all
  // exchanges.
  Calls gradients_ready() const {
    Calls calls = exchanged_;
    calls.push_back(static_cast<int>(script_.calls.size()) - 1);
    std::sort(calls.begin(), calls.end());
    calls.erase(std::unique(calls.begin(), calls.end()), calls.end());
    return calls;
  }

  void finish_step() {
    std::int64_t owned = parameters();
    if (parallelism_.clipping == Clipping::before_reduction && !profiled())
      call(exchange_.clip(owned), {});
    for (const auto& [pass, index] : late_)
      send_bucket(pass, {static_cast<int>(script_.calls.size()) - 1}, index);
    Calls ready = gradients_ready();
    if (!profiled()) ready = sum_shared_gradients(ready);
    if (exchange_.shared_state() && exchange_.exchanges())
      owned =
          (owned + builder_.group_ranks(GroupUse::data) - 1) / builder_.group_ranks(GroupUse::data);
    if (parallelism_.clipping == Clipping::after_reduction && !profiled())
      ready = {call(exchange_.clip(owned), ready)};
    ready = {call(profiled() ? profiled_update() : exchange_.update(owned), ready)};
    if (gathers_after_update() && !gathers_before_first_forward()) gather_all(ready);
  }

  BodyId profiled_update() {
    BodyBuilder body("update");
    body.compute(profile(Phase::update, 0));
    return builder_.add(std::move(body).body());
  }

  Calls sum_shared_gradients(Calls ready) {
    const bool partial_norms = parallelism_.tensor > 1 && parallelism_.sequence_parallel;
    if (partial_norms) {
      std::int64_t replicated = 0;
      for (const Chunk& part : chunks_)
        replicated += part.layers * layer_parameters(model_, split_).replicated();
      ready = {call(exchange_.sum_over_tensor(replicated), ready)};
    }
    const bool tied = model_.tied_embeddings && parallelism_.pipeline > 1;
    if (tied && (stage_ == 0 || stage_ == parallelism_.pipeline - 1))
      ready = {
          call(exchange_.sum_tied_embedding(embedding_parameters(model_, split_).tokens), ready)};
    return ready;
  }

  const Model& model_;
  const Plan& plan_;
  const Parallelism& parallelism_;
  const CompileOptions& options_;
  const int stage_;
  ProgramBuilder& builder_;
  const ParameterSplit split_;
  const LayerWork work_;
  const LayerBodies layers_;
  const ExchangeBodies exchange_;
  const std::vector<Chunk> chunks_;

  Script script_;
  std::map<int, Pass> last_pass_;                      // by chunk
  std::map<std::pair<int, int>, Calls> forward_done_;  // by micro-batch and chunk
  std::vector<int> computed_;                          // calls that used gathered weights, in order
  std::map<int, std::vector<int>> gathers_;            // by chunk, per bucket
  Calls exchanged_;
  std::vector<std::pair<Pass, std::size_t>> late_;  // buckets that wait for the end of backward
};

}  // namespace

Role stage_role(const Model& model, const Plan& plan, const CompileOptions& options, int stage,
                ProgramBuilder& builder) {
  return StageScript(model, plan, options, stage, builder).role();
}

}  // namespace quintet
