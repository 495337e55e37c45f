#include "sim/parallelism/stage_script.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "sim/model/activations.h"
#include "sim/parallelism/layer_bodies.h"
#include "sim/parallelism/pipeline_order.h"
#include "sim/parallelism/profiled_passes.h"
#include "sim/parallelism/script_builder.h"
#include "sim/parallelism/stage_exchange.h"
#include "sim/parallelism/stage_layers.h"
#include "sim/parallelism/stage_messages.h"

namespace quintet {

namespace {

Calls joined(Calls left, const Calls& right) {
  left.insert(left.end(), right.begin(), right.end());
  return left;
}

// A run of layers of one chunk.
struct Layers {
  int first = 0;  // backward: the last layer, from which it counts down
  int count = 0;
};

class StageScript {
 public:
  StageScript(const Model& model, const Plan& plan, const CompileOptions& options, int stage,
              ProgramBuilder& builder)
      : parallelism_(plan.parallelism),
        options_(options),
        stage_(stage),
        work_(layer_work(plan.parallelism, options.fusion, options.vocabulary_multiple)),
        layers_(model, work_, builder),
        chunks_(stage_chunks(model, plan.parallelism)[static_cast<std::size_t>(stage)]),
        messages_(model, work_, plan.parallelism, options, stage, builder, script_),
        exchange_(model, plan, options, stage, builder, script_),
        profiled_(plan.parallelism.compute_type, stage, chunks_, builder, script_, messages_,
                  exchange_) {}

  Role role() {
    const PassOrder order = pipeline_order(parallelism_, stage_);
    exchange_.begin_step(order);
    for (const Pass& pass : order) {
      if (pass == order.back()) exchange_.begin_last_pass();
      run(pass);
    }
    exchange_.finish_step();
    return {fmt::format("stage {}", stage_), stage_, std::move(script_).script()};
  }

 private:
  const Chunk& chunk(const Pass& pass) const {
    return chunks_[static_cast<std::size_t>(pass.chunk)];
  }
  bool first_chunk(const Pass& pass) const { return chunk(pass).embedding; }
  bool last_chunk(const Pass& pass) const { return chunk(pass).head; }
  const std::vector<Bucket>& buckets_of(const Pass& pass) const {
    return exchange_.buckets_of(pass.chunk);
  }
  bool offloads() const { return parallelism_.offload.activations; }
  BodyId layer_forward() const {
    return layers_.forward(offloads() ? KeptInput::on_host : KeptInput::on_device);
  }
  Calls& forward_done(const Pass& pass) { return forward_done_[{pass.micro_batch, pass.chunk}]; }

  void run(const Pass& pass) {
    if (options_.work == WorkSource::stage_profiles) return profiled_.run(pass);
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

  void forward(const Pass& pass) {
    Calls ready = first_chunk(pass) ? Calls{script_.call(layers_.embedding_forward(),
                                                         embedding_weights(pass), {.pass = &pass})}
                                    : messages_.receive(pass, Payload::activation);
    ready = exchange_.shards_weights() ? forward_gathered(pass, ready) : forward_kept(pass, ready);
    if (offloads()) inputs_kept_[{pass.micro_batch, pass.chunk}] = ready;
    if (!last_chunk(pass)) return messages_.send(pass, Payload::activation, ready);
    forward_done(pass) = {
        script_.call(layers_.head_forward(), joined(ready, head_weights(pass)), {.pass = &pass})};
  }

  // The embedding's bucket is the last that backward fills. FSDP's root holds both ends.
  Calls embedding_weights(const Pass& pass) {
    if (exchange_.shards_weights()) return exchange_.gather_ends(pass, chunk(pass));
    return exchange_.bucket_gathered(pass, buckets_of(pass).size() - 1);
  }

  Calls head_weights(const Pass& pass) {
    return first_chunk(pass) ? Calls{} : exchange_.gather_ends(pass, chunk(pass));
  }

  // The first micro-batch's layers wait for the weights gathered at the start of the step.
  Calls forward_kept(const Pass& pass, Calls ready) {
    const Chunk& part = chunk(pass);
    if (!exchange_.gathers_before_first_forward() || pass.micro_batch != 0)
      return {
          script_.call(layer_forward(), ready,
                       {.pass = &pass, .layers = part.layers, .first_layer = part.first_layer})};
    const std::vector<Bucket>& buckets = buckets_of(pass);
    for (std::size_t index = buckets.size(); index-- > 0;) {
      const Bucket& bucket = buckets[index];
      if (bucket.layers == 0) continue;
      ready = {script_.call(layer_forward(), joined(ready, exchange_.bucket_gathered(pass, index)),
                            {.pass = &pass,
                             .layers = bucket.layers,
                             .first_layer = bucket.last_layer - bucket.layers + 1})};
    }
    return ready;
  }

  // FSDP: a layer's weights are put together while the layer before computes, and dropped after
  // use.
  Calls forward_gathered(const Pass& pass, Calls ready) {
    const Chunk& part = chunk(pass);
    for (int layer = part.first_layer; layer < part.first_layer + part.layers; ++layer) {
      const Calls after = joined(ready, {exchange_.gather_layer(pass, layer)});
      ready = {script_.call(layer_forward(), after, {.pass = &pass, .first_layer = layer})};
      exchange_.used(ready.front());
    }
    return ready;
  }

  void backward(const Pass& pass, BackwardPart part) {
    const bool taken = part == BackwardPart::whole && exchange_.takes_gradients(pass);
    const Calls first_input = fetch_first_input(pass);
    Calls ready =
        last_chunk(pass)
            ? Calls{script_.call(layers_.head_backward(part), forward_done(pass), {.pass = &pass})}
            : messages_.receive(pass, Payload::activation_gradient);
    const Chunk& held = chunk(pass);
    const Layers all{held.first_layer + held.layers - 1, held.layers};
    ready = joined(ready, first_input);
    ready = taken ? backward_by_bucket(pass, ready) : backward_layers(pass, part, ready, all);
    if (!first_chunk(pass)) return messages_.send(pass, Payload::activation_gradient, ready);
    ready = {script_.call(layers_.embedding_backward(), ready, {.pass = &pass})};
    if (taken) exchange_.exchange_bucket(pass, ready, buckets_of(pass).size() - 1);
  }

  // As soon as the copies before it are done: under what this pass waits for.
  Calls fetch_first_input(const Pass& pass) {
    if (!offloads()) return {};
    const Chunk& held = chunk(pass);
    return {script_.call(layers_.fetch_input(), inputs_kept_.at({pass.micro_batch, pass.chunk}),
                         {.pass = &pass, .first_layer = held.first_layer + held.layers - 1})};
  }

  // Each but the chunk's first fetches the input of the one before it.
  Calls backward_fetching(const Pass& pass, BackwardPart part, Calls ready, const Layers& layers) {
    const int lowest = chunk(pass).first_layer;
    const int ends = layers.first - layers.count + 1 == lowest ? 1 : 0;
    const auto run = [&](NextInput next, const Layers& some) {
      if (some.count > 0)
        ready = backward_run(pass, layers_.backward(part, RecomputedPart::whole_layer, next), ready,
                             some);
    };
    run(NextInput::is_fetched, {layers.first, layers.count - ends});
    run(NextInput::is_there, {lowest, ends});
    return ready;
  }

  // The plan may recompute only the first so many layers of the chunk.
  Calls backward_layers(const Pass& pass, BackwardPart part, Calls ready, const Layers& layers) {
    const RecomputedPart recomputed = recomputed_part(parallelism_.recompute, options_.fusion);
    if (offloads()) return backward_fetching(pass, part, ready, layers);
    const int full = parallelism_.recompute_layers;
    int kept = 0;
    if (recomputed == RecomputedPart::whole_layer && full > 0)
      kept = std::clamp(layers.first - (chunk(pass).first_layer + full) + 1, 0, layers.count);
    const Layers rest{layers.first - kept, layers.count - kept};
    if (kept > 0)
      ready =
          backward_run(pass, layers_.backward(part, RecomputedPart::nothing, NextInput::is_there),
                       ready, {layers.first, kept});
    if (rest.count > 0)
      ready =
          backward_run(pass, layers_.backward(part, recomputed, NextInput::is_there), ready, rest);
    return ready;
  }

  Calls backward_run(const Pass& pass, BodyId body, Calls ready, const Layers& layers) {
    if (!exchange_.shards_weights())
      return {script_.call(
          body, ready,
          {.pass = &pass, .layers = layers.count, .first_layer = layers.first, .layer_step = -1})};
    const bool recomputed = parallelism_.recompute == Recompute::full;
    for (int layer = layers.first; layer > layers.first - layers.count; --layer) {
      if (recomputed && options_.list_collectives) exchange_.gather_layer(pass, layer);
      const Calls after = joined(ready, {exchange_.gather_layer(pass, layer)});
      ready = {script_.call(body, after, {.pass = &pass, .first_layer = layer, .layer_step = -1})};
      exchange_.used(ready.front());
    }
    return ready;
  }

  Calls backward_by_bucket(const Pass& pass, Calls ready) {
    const std::vector<Bucket>& buckets = buckets_of(pass);
    for (std::size_t index = 0; index < buckets.size(); ++index) {
      const Bucket& bucket = buckets[index];
      if (bucket.layers > 0)
        ready =
            backward_layers(pass, BackwardPart::whole, ready, {bucket.last_layer, bucket.layers});
      if (!bucket.embedding) exchange_.exchange_bucket(pass, ready, index);
    }
    return ready;
  }

  // Its operands are there: B of the same micro-batch comes before it in the compute lane.
  void weight_gradient(const Pass& pass) {
    const bool taken = exchange_.takes_gradients(pass);
    Calls ready;
    if (last_chunk(pass))
      ready = {script_.call(layers_.head_weight_gradient(), {}, {.pass = &pass})};
    const std::vector<Bucket>& buckets = buckets_of(pass);
    for (std::size_t index = 0; index < buckets.size(); ++index) {
      const Bucket& bucket = buckets[index];
      if (bucket.layers > 0)
        ready = {script_.call(layers_.weight_gradient(), {},
                              {.pass = &pass,
                               .layers = bucket.layers,
                               .first_layer = bucket.last_layer,
                               .layer_step = -1})};
      if (taken) exchange_.exchange_bucket(pass, ready, index);
    }
  }

  const Parallelism& parallelism_;
  const CompileOptions& options_;
  const int stage_;
  const LayerWork work_;
  const LayerBodies layers_;
  const std::vector<Chunk> chunks_;
  ScriptBuilder script_;
  StageMessages messages_;
  StageExchange exchange_;
  ProfiledPasses profiled_;
  std::map<std::pair<int, int>, Calls> forward_done_, inputs_kept_;  // by micro-batch and chunk
};

}  // namespace

Role stage_role(const Model& model, const Plan& plan, const CompileOptions& options, int stage,
                ProgramBuilder& builder) {
  return StageScript(model, plan, options, stage, builder).role();
}

}  // namespace quintet
