#include "sim/cost/attention_time.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "sim/cost/gemm_time.h"
#include "sim/cost/memory_time.h"

namespace quintet {
namespace {

enum class Pass { forward, backward };

Pass pass_of(Phase phase) {
  switch (phase) {
    case Phase::forward:
    case Phase::recompute:
    case Phase::update:
      return Pass::forward;
    case Phase::input_gradient:
    case Phase::weight_gradient:
    case Phase::backward:
      return Pass::backward;
  }
  return Pass::forward;
}

double blocks_of(const AttentionShape& shape) {
  constexpr double queries_per_block = 128;  // FlashAttention-2 and -3, head size 128
  const double blocks = std::ceil(static_cast<double>(shape.query_length) / queries_per_block);
  return static_cast<double>(shape.sequences * shape.heads) * blocks;
}

double longest_row(const AttentionShape& shape) {
  const std::int64_t keys =
      shape.window > 0 ? std::min(shape.key_length, shape.window) : shape.key_length;
  return static_cast<double>(keys);
}

// Keys the mask leaves per query, on average: a causal row grows to the window and stays there.
double seen_keys(const AttentionShape& shape) {
  const double longest = longest_row(shape);
  if (shape.mask == MaskKind::bidirectional || shape.key_length == 0) return longest;
  return longest - longest * longest / (2 * static_cast<double>(shape.key_length));
}

double queries_of(const AttentionShape& shape) {
  return static_cast<double>(shape.sequences * shape.heads) *
         static_cast<double>(shape.query_length);
}

// 4 s h q k d: two products, a multiply-add is two.
Flops forward_work(const AttentionShape& shape) {
  return Flops{4.0 * queries_of(shape) * seen_keys(shape) * static_cast<double>(shape.head_dim)};
}

double saturation(double amount, double half) {
  return amount / (amount + half);
}

double flash_efficiency(const AttentionShape& shape, Pass pass, const AttentionCosts& costs,
                        int sms) {
  const bool backward = pass == Pass::backward;
  const double limit = backward ? costs.backward_efficiency : costs.forward_efficiency;
  const double waves_half = backward ? costs.backward_waves_half : costs.forward_waves_half;
  const bool causal = shape.mask == MaskKind::causal;
  const double narrow =
      std::min(1.0, static_cast<double>(shape.head_dim) / costs.head_dim_reference);
  return limit * std::pow(narrow, costs.head_dim_exponent) *
         saturation(longest_row(shape), causal ? costs.causal_length_half : costs.length_half) *
         saturation(blocks_of(shape) / sms, waves_half);
}

KernelUse flash_use(const AttentionShape& shape, DataType type, Pass pass, const CostTable& table) {
  const AttentionCosts* const costs = attention_costs(type, table);
  assert(costs != nullptr);
  const GemmCosts* const gemm = gemm_costs(costs->type, table);
  assert(gemm != nullptr);
  const double passes = pass == Pass::backward ? 2.5 : 1.0;
  const Flops work = forward_work(shape) * passes;
  const FlopRate rate =
      gemm->peak * (gemm->sustained * flash_efficiency(shape, pass, *costs, table.sms));
  return {costs->start + work / rate, blocks_of(shape), 0};
}

// Sums times; the memory share is the time's mean, and the whole counts as not quantised.
void run_after(KernelUse& sum, const KernelUse& next) {
  const Seconds time = sum.time + next.time;
  if (time <= Seconds{}) return;
  sum.memory_share =
      (sum.memory_share * sum.time.value + next.memory_share * next.time.value) / time.value;
  sum.time = time;
}

struct ScoreTraffic {
  Bytes softmax, dropout;
};

// Megatron's fused causal softmax reads what the mask leaves and writes the whole rows; its
// backward reads two tensors and writes one. Dropout adds one byte per score for its mask.
ScoreTraffic score_traffic(const AttentionShape& shape, DataType type, Pass pass) {
  const double scores = queries_of(shape) * static_cast<double>(shape.key_length);
  const Bytes all = scores * size_of(type);
  const double read = shape.mask == MaskKind::causal ? 0.5 : 1.0;
  const double reads = pass == Pass::backward ? 2.0 : 1.0;
  return {all * (reads * read + 1), 2 * all + Bytes{scores}};
}

KernelUse unfused_use(const AttentionShape& shape, DataType type, Phase phase,
                      const CostTable& table) {
  const GemmCosts* const gemm = gemm_costs(type, table);
  assert(gemm != nullptr);
  const std::int64_t batch = shape.sequences * shape.heads;
  const GemmShape to_scores{shape.query_length, shape.key_length, shape.head_dim, batch};
  const GemmShape from_scores{shape.query_length, shape.head_dim, shape.key_length, batch};
  const Pass pass = pass_of(phase);
  const ScoreTraffic traffic = score_traffic(shape, type, pass);
  KernelUse sum;
  run_after(sum, gemm_use(to_scores, *gemm, table));
  // Backward: dV, dQ and dK come from the scores; only dS goes to them.
  const int products = pass == Pass::backward ? 3 : 1;
  for (int i = 0; i < products; ++i) run_after(sum, gemm_use(from_scores, *gemm, table));
  run_after(sum, memory_use(MemoryShape{traffic.softmax, Bytes{}}, 1, phase,
                            MemoryOperation::softmax, table));
  run_after(sum, memory_use(MemoryShape{traffic.dropout, Bytes{}}, 1, phase,
                            MemoryOperation::dropout, table));
  return sum;
}

}  // namespace

const AttentionCosts* attention_costs(DataType type, const CostTable& table) {
  const DataType wanted = type == DataType::fp8 ? DataType::bf16 : type;
  const auto found = std::find_if(
      table.attention.begin(), table.attention.end(),
      [&](const AttentionCosts& costs) { return costs.kernel == "flash" && costs.type == wanted; });
  return found == table.attention.end() ? nullptr : &*found;
}

KernelUse attention_use(const AttentionShape& shape, DataType type, Phase phase,
                        const CostTable& table) {
  switch (shape.kernel) {
    case AttentionKernel::flash:
      return flash_use(shape, type, pass_of(phase), table);
    case AttentionKernel::unfused:
      return unfused_use(shape, type, phase, table);
  }
  return {};
}

}  // namespace quintet
