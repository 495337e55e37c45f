#include "sim/parallelism/exchange_bodies.h"

#include <utility>

#include "sim/model/update_operators.h"
#include "sim/parallelism/stage_layers.h"

namespace quintet {

namespace {

Bytes bytes_of(std::int64_t elements, DataType type) {
  return static_cast<double>(elements) * size_of(type);
}

// Which of LAMB's kernels measures: the second, before the step (update_operators.h).
constexpr std::size_t lamb_norms = 1;

}  // namespace

BodyId ExchangeBodies::prepare(std::int64_t parameters) const {
  const DataType type = plan_.parallelism.gradient_type;
  BodyBuilder body(clips_buckets() ? "bucket clip" : "gradient scale");
  if (clips_buckets()) {
    body.compute(gradient_norm_operator(parameters, type));
    body.compute(gradient_clip_operator(parameters, type));
  } else {
    body.compute(gradient_scale_operator(parameters, type));
  }
  return builder_.add(std::move(body).body());
}

BodyId ExchangeBodies::gradients(std::int64_t parameters) const {
  const DataType type = plan_.parallelism.gradient_type;
  BodyBuilder body("gradient exchange");
  std::vector<int> after;
  Bytes size = bytes_of(parameters, type);
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
  if (builder_.group_ranks(GroupUse::replicas) > 1)
    body.communicate(LaneUse::gradients, "all-reduce gradients between replicas",
                     Collective{CollectiveKind::all_reduce, builder_.group(GroupUse::replicas),
                                size, type, Purpose::sum_between_shards},
                     after);
  return builder_.add(std::move(body).body());
}

BodyId ExchangeBodies::gather_weights(std::int64_t parameters) const {
  const DataType type = tensor_type(plan_.parallelism.compute_type);
  BodyBuilder body("weight gather");
  body.communicate(LaneUse::parameters, "all-gather weights",
                   Collective{CollectiveKind::all_gather, builder_.group(GroupUse::data),
                              bytes_of(parameters, type), type, Purpose::gather_weights},
                   {});
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

BodyId ExchangeBodies::clip(std::int64_t parameters) const {
  const DataType type = plan_.parallelism.gradient_type;
  BodyBuilder body("clip");
  body.compute(gradient_norm_operator(parameters, type));
  std::vector<int> summed;
  if (builder_.group_ranks(GroupUse::model) > 1)
    summed = {
        body.communicate(LaneUse::gradients, "all-reduce gradient norm",
                         Collective{CollectiveKind::all_reduce, builder_.group(GroupUse::model),
                                    Bytes{4}, DataType::fp32, Purpose::sum_gradient_norm},
                         body.last_compute())};
  body.compute(gradient_clip_operator(parameters, type), summed);
  return builder_.add(std::move(body).body());
}

BodyId ExchangeBodies::update(std::int64_t parameters, std::int64_t tensors) const {
  const Parallelism& parallelism = plan_.parallelism;
  BodyBuilder body("update");
  const std::vector<Operator> kernels = update_operators(
      {update_rule(parallelism.optimizer), parameters, tensor_type(parallelism.compute_type),
       parallelism.gradient_type, parallelism.master_weights});
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
