#include "sim/plan/parallelism.h"

namespace quintet {

std::string_view name_of(Axis axis) {
  switch (axis) {
    case Axis::tensor:
      return "tensor";
    case Axis::context:
      return "context";
    case Axis::expert:
      return "expert";
    case Axis::data:
      return "data";
    case Axis::pipeline:
      return "pipeline";
  }
  return {};
}

std::string_view name_of(Sharding sharding) {
  switch (sharding) {
    case Sharding::none:
      return "none";
    case Sharding::optimizer:
      return "optimizer";
    case Sharding::gradients:
      return "gradients";
    case Sharding::parameters:
      return "parameters";
  }
  return {};
}

std::string_view name_of(Recompute recompute) {
  switch (recompute) {
    case Recompute::none:
      return "none";
    case Recompute::selective:
      return "selective";
    case Recompute::full:
      return "full";
  }
  return {};
}

std::string_view name_of(AttentionChoice attention) {
  switch (attention) {
    case AttentionChoice::unfused:
      return "unfused";
    case AttentionChoice::flash:
      return "flash";
  }
  return {};
}

std::string_view name_of(Optimizer optimizer) {
  switch (optimizer) {
    case Optimizer::adamw:
      return "adamw";
    case Optimizer::lamb:
      return "lamb";
    case Optimizer::sgd:
      return "sgd";
  }
  return {};
}

std::string_view name_of(Clipping clipping) {
  switch (clipping) {
    case Clipping::none:
      return "none";
    case Clipping::after_reduction:
      return "after-reduction";
    case Clipping::before_reduction:
      return "before-reduction";
    case Clipping::per_bucket:
      return "per-bucket";
  }
  return {};
}

std::string_view name_of(Float8Scaling scaling) {
  switch (scaling) {
    case Float8Scaling::delayed:
      return "delayed";
    case Float8Scaling::current:
      return "current";
    case Float8Scaling::block:
      return "block";
  }
  return {};
}

int degree(const Parallelism& parallelism, Axis axis) {
  switch (axis) {
    case Axis::tensor:
      return parallelism.tensor;
    case Axis::context:
      return parallelism.context;
    case Axis::expert:
      return parallelism.expert;
    case Axis::data:
      return parallelism.data;
    case Axis::pipeline:
      return parallelism.pipeline;
  }
  return 1;
}

int world_size(const Parallelism& parallelism) {
  return parallelism.tensor * parallelism.context * parallelism.expert * parallelism.data *
         parallelism.pipeline;
}

int global_batch(const Parallelism& parallelism) {
  return parallelism.micro_batch * parallelism.micro_batches * parallelism.data;
}

int shard_ranks(const Parallelism& parallelism) {
  if (parallelism.sharding_group > 0) return parallelism.sharding_group;
  const bool alone = parallelism.sharding == Sharding::none && !is_plain(parallelism.replicator);
  return alone ? 1 : parallelism.data;
}

int ranks_summed(const Parallelism& parallelism) {
  return is_plain(parallelism.replicator) ? parallelism.data : shard_ranks(parallelism);
}

}  // namespace quintet
