// FlashAttention-2's backward pass (https://arxiv.org/abs/2307.08691, algorithm 2) without its
// atomic sums, which come in any order: one kernel goes over the queries for each tile of keys, a
// second one over the keys for each tile of queries, and each makes the probabilities again. The
// first takes scores as [keys][queries], so that in both the probabilities are the next product's
// left side in the registers where they are. What is subtracted from a product is where its sum
// begins.
#include "kernels/cuda/attention/attention_backward.h"

#include "kernels/cuda/attention/attention_tensor.h"

namespace quintet::kernels::cuda {

namespace {

// 16 lanes to a row of a head, each a chunk of it.
constexpr int row_lanes = 16, rows_at_once = attention_threads / row_lanes;

__global__ void __launch_bounds__(attention_threads) statistics_kernel(AttentionGradients a) {
  const AttentionLayout& s = a.s;
  constexpr int chunk = pack_size<Bfloat16>;
  const int own = static_cast<int>(threadIdx.x) % row_lanes;
  const Index number = static_cast<Index>(blockIdx.x) * rows_at_once + threadIdx.x / row_lanes;
  const Index row = number / s.query_heads, head = number % s.query_heads;
  const bool there = row < s.query_rows;
  float sum = 0.0F;
  if (there && own * chunk < s.head_size) {
    const Index place = row * s.output_stride + head * s.head_size + own * chunk;
    float output[chunk], upstream[chunk];
    load_pack(a.output + place, output);
    load_pack(a.upstream + place, upstream);
#pragma unroll
    for (int i = 0; i < chunk; ++i) sum += output[i] * upstream[i];
  }
#pragma unroll
  for (int distance = row_lanes / 2; distance > 0; distance /= 2)
    sum += __shfl_xor_sync(whole_warp, sum, distance);
  if (!there || own != 0) return;
  const Index to = head * s.query_rows + row;
  const float log_sum = a.log_sum_exp[to];
  a.gradient_start[to] = -sum;
  a.score_start[to] = log_sum == -INFINITY ? -INFINITY : -log_sum / s.scale;  // e^-inf: sees no key
}

AttentionGradients arguments_of(const AttentionBackward& a, const AttentionLayout& s) {
  constexpr const Bfloat16* kind = nullptr;
  return {s,
          elements(a.query, kind),
          elements(a.key, kind),
          elements(a.value, kind),
          elements(a.output, kind),
          elements(a.output_gradient, kind),
          a.log_sum_exp,
          a.workspace,
          a.workspace + s.query_rows * s.query_heads,
          elements(a.query_gradient, kind),
          elements(a.key_gradient, kind),
          elements(a.value_gradient, kind)};
}

}  // namespace

void attention_backward_on_tensor_cores(const AttentionBackward& a, const Stream& stream) {
  const AttentionLayout s = filled_in(a.shape);
  const AttentionGradients arguments = arguments_of(a, s);
  const Index rows = s.query_rows * s.query_heads;
  if (rows > 0)
    launch(statistics_kernel, {dim3(blocks_for(rows, rows_at_once)), dim3(attention_threads)},
           stream, arguments);
  attention_key_gradients(arguments, stream);
  attention_query_gradients(arguments, stream);
}

}  // namespace quintet::kernels::cuda
