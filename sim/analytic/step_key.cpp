#include "sim/analytic/step_key.h"

#include <bit>
#include <concepts>

#include "sim/base/digest.h"

namespace quintet {

namespace {

bool same_stage(const StagePieces& one, const StagePieces& other) {
  return one.kind == other.kind && one.speed == other.speed &&
         one.send_forward == other.send_forward && one.send_backward == other.send_backward;
}

}  // namespace

std::optional<StepKey> StepKey::of(const Plan& plan, const StepPieces& pieces) {
  if (!plan.parallelism.warm_ups.empty() || !plan.parallelism.stage_times.empty())
    return std::nullopt;
  return StepKey(plan, pieces);
}

template <class Number>
void StepKey::add(Number number) {
  if constexpr (std::floating_point<Number>)
    words_.push_back(std::bit_cast<std::uint64_t>(static_cast<double>(number)));
  else if constexpr (std::is_pointer_v<Number>)
    words_.push_back(reinterpret_cast<std::uintptr_t>(number));
  else
    words_.push_back(static_cast<std::uint64_t>(number));
}

void StepKey::add(const PricedMove& move) {
  for (const double number : {move.latency, move.bytes, move.bound, move.share, move.alone,
                              move.held, move.flight, move.busy_sms, move.memory_share})
    add(number);
  add(static_cast<int>(move.moves));
  add(move.links);
}

void StepKey::add(const MoveChain& chain) {
  add(chain.links.size());
  for (const MoveChain::Link& link : chain.links) {
    add(link.times);
    add(link.move);
  }
}

StepKey::StepKey(const Plan& plan, const StepPieces& pieces) {
  const Parallelism& parallelism = plan.parallelism;
  add(static_cast<int>(parallelism.schedule));
  add(parallelism.pipeline);
  add(parallelism.micro_batches);
  add(parallelism.virtual_stages);
  add(parallelism.split_backward);
  add(static_cast<int>(parallelism.sharding));
  add(shard_ranks(parallelism));
  add(static_cast<int>(parallelism.clipping));
  add(parallelism.loss_scaling);
  add(plan.ccl.overlap_gradients);
  add(plan.ccl.overlap_parameters);
  add(static_cast<int>(plan.host_net.head_of_line));
  add(pieces.layers);
  const std::vector<StagePieces>& stages = pieces.stages;
  for (std::size_t stage = 0; stage < stages.size(); ++stage) {
    if (stage > 0 && same_stage(stages[stage], stages[stage - 1])) continue;
    add(stage);
    add(stages[stage].kind);
    add(stages[stage].speed);
    add(stages[stage].send_forward);
    add(stages[stage].send_backward);
  }
  add(pieces.norm_sum);
  add(pieces.unscale_sum);
  Digest digest;
  for (const std::uint64_t word : words_) digest.add(word);
  hash_ = static_cast<std::size_t>(digest.value());
}

}  // namespace quintet
