#include "sim/parallelism/exchange_bodies.h"

#include <utility>

#include "sim/model/update_operators.h"
#include "sim/parallelism/replication/replicator_operators.h"
#include "sim/parallelism/stage_layers.h"
#include "sim/plan/sample_format.h"

namespace quintet {

namespace {

Bytes bytes_of(std::int64_t elements, DataType type) {
  return static_cast<double>(elements) * size_of(type);
}

// Which of LAMB's kernels measures: the second, before the step (update_operators.h).
constexpr std::size_t lamb_norms = 1;

std::string_view what_is_sent(ReplicatorKind kind) {
  switch (kind) {
    case ReplicatorKind::demo:
      return "all-gather coefficients between replicas";
    case ReplicatorKind::random:
    case ReplicatorKind::striding:
      return "all-reduce momentum between replicas";
    case ReplicatorKind::full:
      return "all-reduce gradients between replicas";
    case ReplicatorKind::diloco:
      return "all-reduce parameters between replicas";
    case ReplicatorKind::none:
      return "";
  }
  return "";
}

// Matrices of a layer; its vectors are small enough to stay whole (param_persistence_threshold).
constexpr int large_tensors = 4;

}  // namespace

BodyId ExchangeBodies::presort(const Model& model) const {
  const Bytes own = sample_bytes(model, plan_.parallelism);
  const DataType type = sample_format(model, plan_.parallelism.sequence_length).type;
  const Bytes all = static_cast<double>(builder_.group_ranks(GroupUse::samples)) * own;
  BodyBuilder body("presort");
  const int gathered =
      body.communicate(LaneUse::parameters, "all-gather samples",
                       Collective{CollectiveKind::all_gather, builder_.group(GroupUse::samples),
                                  all, type, Purpose::exchange_samples},
                       {});
  body.compute({Computation::presort, Phase::forward, tensor_type(plan_.parallelism.compute_type),
                MemoryShape{.read = own, .written = own}},
               {gathered});
  return builder_.add(std::move(body).body());
}

BodyId ExchangeBodies::prepare(std::int64_t parameters) const {
  if (clips_buckets()) return clip_bucket(parameters, MicroBatch::alone);
  BodyBuilder body("gradient scale", BodyKind::prepare_gradients);
  body.compute(bucket_mean_operator(parameters, plan_.parallelism.gradient_type));
  return builder_.add(std::move(body).body());
}

BodyId ExchangeBodies::clip_bucket(std::int64_t parameters, MicroBatch which) const {
  const DataType type = plan_.parallelism.gradient_type;
  const bool kept = which == MicroBatch::kept;
  BodyBuilder body(kept ? "bucket clip and keep" : "bucket clip",
                   kept ? BodyKind::keep_gradients : BodyKind::prepare_gradients);
  body.compute(gradient_norm_operator(GradientScope::bucket, parameters, type));
  body.compute(gradient_clip_operator(GradientScope::bucket, parameters, type));
  if (which != MicroBatch::alone)
    body.compute(gradient_add_operator(parameters, type, DataType::fp32));
  return builder_.add(std::move(body).body());
}

BodyId ExchangeBodies::gradients(std::int64_t parameters) const {
  const DataType type = plan_.parallelism.gradient_type;
  BodyBuilder body("gradient exchange", BodyKind::sum_gradients);
  std::vector<int> after;
  Bytes size = bytes_of(parameters, type);
  if (options_.list_collectives && shared_state() && exchanges() &&
      builder_.group_ranks(GroupUse::replicas) == 1) {
    for (int tensor = 0; tensor < large_tensors; ++tensor) {
      body.compute(copies_by_rank(size / large_tensors, type));
      body.communicate(LaneUse::gradients, "reduce-scatter gradients",
                       Collective{CollectiveKind::reduce_scatter, builder_.group(GroupUse::data),
                                  size / large_tensors, type, Purpose::sum_gradients},
                       body.last_compute());
    }
    return builder_.add(std::move(body).body());
  }
  if (sums_whole()) return whole_sum(parameters);
  if (builder_.group_ranks(GroupUse::data) > 1) {
    const CollectiveKind kind =
        shared_state() ? CollectiveKind::reduce_scatter : CollectiveKind::all_reduce;
    const std::string name = shared_state() ? "reduce-scatter gradients" : "all-reduce gradients";
    after = {body.communicate(
        LaneUse::gradients, name,
        Collective{kind, builder_.group(GroupUse::data), size, type, Purpose::sum_gradients},
        after)};
    if (shared_state()) size = size / builder_.group_ranks(GroupUse::data);
  }
  if (builder_.group_ranks(GroupUse::replicas) > 1 && is_plain(plan_.parallelism.replicator))
    body.communicate(LaneUse::gradients, "all-reduce gradients between replicas",
                     Collective{CollectiveKind::all_reduce, builder_.group(GroupUse::replicas),
                                size, type, Purpose::sum_between_shards},
                     after);
  return builder_.add(std::move(body).body());
}

bool ExchangeBodies::sums_whole() const {
  return options_.sums_whole_gradients && plan_.parallelism.sharding == Sharding::optimizer &&
         exchanges() && builder_.group_ranks(GroupUse::replicas) == 1;
}

// Put together and to fp32; back, and to where the gradients are.
BodyId ExchangeBodies::whole_sum(std::int64_t parameters) const {
  const DataType type = plan_.parallelism.gradient_type;
  const Bytes own = bytes_of(parameters, type), single = bytes_of(parameters, DataType::fp32);
  BodyBuilder body("gradient exchange", BodyKind::sum_gradients);
  body.compute({Computation::tensor_copies, Phase::update, type,
                MemoryShape{.read = 2 * own, .written = own + single}, 2});
  const int sum =
      body.communicate(LaneUse::gradients, "all-reduce gradients",
                       Collective{CollectiveKind::all_reduce, builder_.group(GroupUse::data),
                                  single, DataType::fp32, Purpose::sum_gradients},
                       body.last_compute());
  body.compute({Computation::tensor_copies, Phase::update, type,
                MemoryShape{.read = single + own, .written = 2 * own}, 2},
               {sum});
  return builder_.add(std::move(body).body());
}

BodyId ExchangeBodies::replicate(const ReplicatedUnit& unit) const {
  const Replicator& replicator = plan_.parallelism.replicator;
  const int replicas = builder_.group_ranks(GroupUse::replicas);
  BodyBuilder body("replicator choice");
  for (const Operator& each :
       choice_operators(unit, {replicator, tensor_type(plan_.parallelism.compute_type), replicas}))
    body.compute(each);
  const bool gathers = replicator.kind == ReplicatorKind::demo;
  const Bytes sent = sent_bytes(unit, replicator);
  const Collective exchange{gathers ? CollectiveKind::all_gather : CollectiveKind::all_reduce,
                            builder_.group(GroupUse::replicas), gathers ? replicas * sent : sent,
                            gathers ? DataType::int8 : replicator.value_type,
                            Purpose::exchange_replicas};
  body.communicate(LaneUse::gradients, std::string(what_is_sent(replicator.kind)), exchange,
                   body.last_compute());
  return builder_.add(std::move(body).body());
}

BodyId ExchangeBodies::merge(const ReplicatedUnit& unit) const {
  const int replicas = builder_.group_ranks(GroupUse::replicas);
  BodyBuilder body("replicator merge");
  for (const Operator& each : merge_operators(
           unit,
           {plan_.parallelism.replicator, tensor_type(plan_.parallelism.compute_type), replicas}))
    body.compute(each);
  return builder_.add(std::move(body).body());
}

Operator ExchangeBodies::copies_by_rank(Bytes size, DataType type) const {
  return {Computation::tensor_copies, Phase::update, type,
          MemoryShape{.read = size, .written = size}, builder_.group_ranks(GroupUse::data)};
}

BodyId ExchangeBodies::gather_weights(std::int64_t parameters) const {
  const DataType type = tensor_type(plan_.parallelism.compute_type);
  const int tensors = options_.list_collectives ? large_tensors : 1;
  const Bytes size = bytes_of(parameters, type) / tensors;
  BodyBuilder body("weight gather", BodyKind::gather_weights);
  for (int tensor = 0; tensor < tensors; ++tensor) {
    if (options_.list_collectives)
      body.compute({Computation::tensor_copies, Phase::update, type,
                    MemoryShape{.read = Bytes{}, .written = size}, 1});
    const int gathered =
        body.communicate(LaneUse::parameters, "all-gather weights",
                         Collective{CollectiveKind::all_gather, builder_.group(GroupUse::data),
                                    size, type, Purpose::gather_weights},
                         body.last_compute());
    if (options_.list_collectives) body.compute(copies_by_rank(size, type), {gathered});
  }
  return builder_.add(std::move(body).body());
}

BodyId ExchangeBodies::sum_over_tensor(std::int64_t parameters) const {
  const DataType type = plan_.parallelism.gradient_type;
  BodyBuilder body("norm gradients");
  body.communicate(LaneUse::tensor, "all-reduce norm gradients",
                   Collective{CollectiveKind::all_reduce, builder_.group(GroupUse::tensor),
                              bytes_of(parameters, type), type, Purpose::sum_norm_gradients},
                   {});
  return builder_.add(std::move(body).body());
}

BodyId ExchangeBodies::sum_tied_embedding(std::int64_t parameters) const {
  const DataType type = plan_.parallelism.gradient_type;
  BodyBuilder body("tied embedding gradients");
  body.communicate(LaneUse::gradients, "all-reduce tied embedding gradients",
                   Collective{CollectiveKind::all_reduce, builder_.group(GroupUse::embedding),
                              bytes_of(parameters, type), type, Purpose::sum_tied_embedding},
                   {});
  return builder_.add(std::move(body).body());
}

BodyId ExchangeBodies::clip(GradientScope scope, std::int64_t parameters) const {
  BodyBuilder body("clip");
  std::vector<int> summed = add_norm(body, scope, GroupUse::model, parameters);
  body.compute(gradient_clip_operator(scope, parameters, plan_.parallelism.gradient_type),
               std::move(summed));
  return builder_.add(std::move(body).body());
}

BodyId ExchangeBodies::unscale(std::int64_t parameters) const {
  BodyBuilder body("unscale");
  std::vector<int> summed = add_norm(body, GradientScope::updated, GroupUse::updated, parameters);
  body.compute(gradient_unscale_operator(plan_.parallelism.gradient_type), std::move(summed));
  return builder_.add(std::move(body).body());
}

std::vector<int> ExchangeBodies::add_norm(BodyBuilder& body, GradientScope scope, GroupUse over,
                                          std::int64_t parameters) const {
  body.compute(gradient_norm_operator(scope, parameters, plan_.parallelism.gradient_type));
  if (builder_.group_ranks(over) < 2) return {};
  return {body.communicate(LaneUse::gradients, "all-reduce gradient norm",
                           Collective{CollectiveKind::all_reduce, builder_.group(over), Bytes{4},
                                      DataType::fp32, Purpose::sum_gradient_norm},
                           body.last_compute())};
}

BodyId ExchangeBodies::update(std::int64_t parameters, std::int64_t tensors) const {
  const Parallelism& parallelism = plan_.parallelism;
  BodyBuilder body("update");
  const std::vector<Operator> kernels = update_operators(
      {update_rule(parallelism.optimizer), parameters, tensor_type(parallelism.compute_type),
       parallelism.gradient_type, parallelism.master_weights, parallelism.moment_type});
  std::vector<int> summed;
  for (std::size_t place = 0; place < kernels.size(); ++place) {
    body.compute(kernels[place], std::exchange(summed, {}));
    if (place == lamb_norms && builder_.group_ranks(GroupUse::stage) > 1)
      summed = {
          body.communicate(LaneUse::gradients, "all-reduce tensor norms",
                           Collective{CollectiveKind::all_reduce, builder_.group(GroupUse::stage),
                                      bytes_of(2 * tensors, DataType::fp32), DataType::fp32,
                                      Purpose::sum_tensor_norms},
                           body.last_compute())};
  }
  return builder_.add(std::move(body).body());
}

}  // namespace quintet
