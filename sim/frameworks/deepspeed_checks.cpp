#include <fmt/format.h>

#include <array>
#include <cmath>

#include "sim/frameworks/deepspeed.h"

namespace quintet::deepspeed {
namespace {

using Refused = std::optional<Error>;

Error wrong_at(const Arguments& given, std::string_view name, std::string_view what) {
  return {given.place(name), fmt::format("{} {}", name, what)};
}

struct Least {
  std::string_view name;
  int least;
};

Refused refuse_sizes(const Arguments& given) {
  constexpr std::array least{Least{"train_batch_size", 1},
                             Least{"train_micro_batch_size_per_gpu", 1},
                             Least{"gradient_accumulation_steps", 1},
                             Least{"zero_optimization.stage", 0},
                             Least{"pipeline.stages", 1},
                             Least{"pipeline.activation_checkpoint_interval", 0},
                             Least{"tensor_parallel.autotp_size", 0},
                             Least{"sequence_parallel_size", 1},
                             Least{"quintet.ranks", 1},
                             Least{"quintet.sequence_length", 1},
                             Least{"quintet.topology.pipe", 1},
                             Least{"quintet.topology.data", 1},
                             Least{"quintet.topology.model", 1}};
  for (const Least& each : least)
    if (given.integer(each.name, each.least) < each.least)
      return wrong_at(given, each.name,
                      fmt::format("is to be {} or more, not {}", each.least,
                                  given.integer(each.name, each.least)));
  constexpr std::array elements{
      "zero_optimization.reduce_bucket_size", "zero_optimization.stage3_prefetch_bucket_size",
      "zero_optimization.allgather_bucket_size", "zero_optimization.sub_group_size"};
  for (const char* const name : elements) {
    const double number = given.real(name, 0);
    if (number < 0 || std::floor(number) != number)
      return wrong_at(given, name, "is to be a whole number of elements, 0 or more");
  }
  if (given.integer("zero_optimization.stage", 0) > 3)
    return wrong_at(given, "zero_optimization.stage", "is to be 0, 1, 2 or 3");
  const double ratio = given.real("zero_optimization.offload_optimizer.ratio", 1);
  if (ratio < 0 || ratio > 1)
    return wrong_at(given, "zero_optimization.offload_optimizer.ratio", "is to be from 0 to 1");
  return std::nullopt;
}

Refused refuse_stage(const Arguments& given) {
  constexpr std::string_view name = "zero_optimization.stage";
  const int stage = given.integer(name, 0);
  const int stages = given.integer("quintet.topology.pipe", given.integer("pipeline.stages", 1));
  if (stages > 1 && stage > 1) return wrong_at(given, name, "2 and 3 exclude pipeline parallelism");
  if (stage == 3 && given.integer("tensor_parallel.autotp_size", 0) > 0)
    return wrong_at(given, name, "3 excludes tensor_parallel.autotp_size");
  if (stage != 3 && given.real("zero_optimization.offload_optimizer.ratio", 1) < 1)
    return wrong_at(given, "zero_optimization.offload_optimizer.ratio",
                    "below 1 needs zero_optimization.stage 3");
  for (const std::string_view master :
       {"bf16.bf16_master_weights_and_grads", "bf16.bf16_optimizer_states"})
    if (given.has(master) && stage == 0)
      return wrong_at(given, master, "needs zero_optimization.stage 1, 2 or 3");
  if (given.has("bf16.bf16_optimizer_states") && !given.has("bf16.bf16_master_weights_and_grads"))
    return wrong_at(given, "bf16.bf16_optimizer_states", "needs bf16_master_weights_and_grads");
  return std::nullopt;
}

}  // namespace

std::optional<Error> refusal(const Arguments& given) {
  if (auto error = refuse_sizes(given)) return error;
  if (auto error = refuse_stage(given)) return error;
  if (given.has("fp16.enabled") && (given.has("bf16.enabled") || given.has("bfloat16.enabled")))
    return wrong_at(given, "fp16.enabled", "excludes bf16.enabled");
  if (given.has("optimizer.params.max_grad_norm"))
    return wrong_at(given, "optimizer.params.max_grad_norm",
                    "is no parameter of an optimizer; use gradient_clipping");
  return std::nullopt;
}

}  // namespace quintet::deepspeed
