#include "kernels/cuda/attention/attention_rows.h"

#include "kernels/cuda/attention/attention_layout.h"
#include "kernels/cuda/launch.h"
#include "kernels/cuda/tile/block.h"
#include "kernels/cuda/tile/element.h"

namespace quintet::kernels::cuda {

namespace {

constexpr int warps = 4;
constexpr int blocks_at_once = 4;  // leaves a thread 128 registers: with fewer some kernels spill
constexpr int per_lane = static_cast<int>(attention_head_limit) / warp_threads;

__device__ int lane_number() {
  return static_cast<int>(threadIdx.x) % warp_threads;
}

__device__ Index warp_number() {
  return static_cast<Index>(blockIdx.x) * warps + threadIdx.x / warp_threads;
}

// A head's vector spread over the lanes: lane l has elements l, l + 32, ...
struct Spread {
  float values[per_lane];

  __device__ void clear() {
#pragma unroll
    for (float& value : values) value = 0.0F;
  }
  template <class Element>
  __device__ void add(const Element* vector, Index size, float factor) {
#pragma unroll
    for (int i = 0; i < per_lane; ++i) {
      const Index at = lane_number() + static_cast<Index>(i) * warp_threads;
      if (at < size) values[i] += factor * to_float(vector[at]);
    }
  }
  __device__ void multiply(float factor) {
#pragma unroll
    for (float& value : values) value *= factor;
  }
  template <class Element>
  __device__ void store(Element* vector, Index size) const {
#pragma unroll
    for (int i = 0; i < per_lane; ++i) {
      const Index at = lane_number() + static_cast<Index>(i) * warp_threads;
      if (at < size) store_one(vector + at, values[i]);
    }
  }
};

template <class Left, class Right>
__device__ float dot(const Left* left, const Right* right, Index size) {
  float sum = 0.0F;
  for (Index at = 0; at < size; ++at) sum += to_float(left[at]) * to_float(right[at]);
  return sum;
}

template <class Element>
struct Memory {
  AttentionLayout s;
  const Element* query;
  const Element* key;
  const Element* value;

  __device__ Index key_head(Index head) const { return head / (s.query_heads / s.key_heads); }
  __device__ const Element* query_at(Index row, Index head) const {
    return query + row * s.query_stride + head * s.head_size;
  }
  __device__ const Element* key_at(Index row, Index head) const {
    return key + row * s.key_stride + head * s.head_size;
  }
  __device__ const Element* value_at(Index row, Index head) const {
    return value + row * s.value_stride + head * s.head_size;
  }
};

template <class Element>
struct Forward {
  Memory<Element> in;
  Element* output;
  float* log_sum_exp;
};

// 32 keys at a time: each lane scores one, then each lane sums its elements of their values.
template <class Element>
__global__ void __launch_bounds__(warps* warp_threads, blocks_at_once)
    forward_kernel(Forward<Element> a) {
  const AttentionLayout& s = a.in.s;
  if (warp_number() >= s.query_rows * s.query_heads) return;
  const Index row = warp_number() / s.query_heads, head = warp_number() % s.query_heads;
  const SequenceRows rows = rows_of_sequence(s, sequence_of(s.query_starts, s.sequences, row));
  const SeenKeys seen = seen_keys(s, rows, row - rows.first_query);
  const Element* const q = a.in.query_at(row, head);
  const Index key_head = a.in.key_head(head);
  float maximum = -INFINITY, sum = 0.0F;
  Spread output;
  output.clear();
  for (Index first = seen.first; first < seen.end; first += warp_threads) {
    const Index key = first + lane_number();
    const bool inside = key < seen.end;
    const float score =
        inside ? dot(q, a.in.key_at(rows.first_key + key, key_head), s.head_size) * s.scale
               : -INFINITY;
    const float largest = Maximum{}(warp_reduce(score, Maximum{}), maximum);
    const float shrink = expf(maximum - largest);
    const float power = inside ? expf(score - largest) : 0.0F;
    sum = sum * shrink + warp_reduce(power, Sum{});
    maximum = largest;
    output.multiply(shrink);
    const float weight = inside ? power * kept(s.dropout, row, head, key) : 0.0F;
    const Index there = seen.end - first < warp_threads ? seen.end - first : Index{warp_threads};
    for (Index i = 0; i < there; ++i)
      output.add(a.in.value_at(rows.first_key + first + i, key_head), s.head_size,
                 __shfl_sync(whole_warp, weight, static_cast<int>(i)));
  }
  const bool blind = seen.end <= seen.first;
  output.multiply(blind ? 0.0F : 1.0F / sum);
  output.store(a.output + row * s.output_stride + head * s.head_size, s.head_size);
  if (lane_number() == 0)
    a.log_sum_exp[head * s.query_rows + row] = blind ? -INFINITY : maximum + logf(sum);
}

template <class Element>
struct Backward {
  Memory<Element> in;
  const Element* output;
  const Element* upstream;
  const float* log_sum_exp;
  float* delta;  // [query_heads, query rows]: output . upstream
  Element* query_gradient;
  Element* key_gradient;
  Element* value_gradient;

  __device__ Index output_place(Index row, Index head) const {
    return row * in.s.output_stride + head * in.s.head_size;
  }
};

// This belongs to one query and one key that the query sees.
struct Derivative {
  float weight;  // the probability, as dropped: what the value is multiplied by
  float score;   // gradient of the scaled score, times the scale
};

template <class Element>
__device__ Derivative derivative(const Backward<Element>& a, const SequenceRows& rows, Index row,
                                 Index head, Index key) {
  const AttentionLayout& s = a.in.s;
  const Index key_row = rows.first_key + key, key_head = a.in.key_head(head);
  const Index statistic = head * s.query_rows + row;
  const float score =
      dot(a.in.query_at(row, head), a.in.key_at(key_row, key_head), s.head_size) * s.scale;
  const float probability = expf(score - a.log_sum_exp[statistic]);
  const float keep = kept(s.dropout, row, head, key);
  const float of_probability = keep * dot(a.upstream + a.output_place(row, head),
                                          a.in.value_at(key_row, key_head), s.head_size);
  return {probability * keep, probability * (of_probability - a.delta[statistic]) * s.scale};
}

template <class Element>
__global__ void __launch_bounds__(warps* warp_threads, blocks_at_once)
    query_kernel(Backward<Element> a) {
  const AttentionLayout& s = a.in.s;
  if (warp_number() >= s.query_rows * s.query_heads) return;
  const Index row = warp_number() / s.query_heads, head = warp_number() % s.query_heads;
  const Index place = a.output_place(row, head);
  if (lane_number() == 0)
    a.delta[head * s.query_rows + row] = dot(a.output + place, a.upstream + place, s.head_size);
  __syncwarp();
  const SequenceRows rows = rows_of_sequence(s, sequence_of(s.query_starts, s.sequences, row));
  const SeenKeys seen = seen_keys(s, rows, row - rows.first_query);
  Spread gradient;
  gradient.clear();
  for (Index first = seen.first; first < seen.end; first += warp_threads) {
    const Index key = first + lane_number();
    const float own = key < seen.end ? derivative(a, rows, row, head, key).score : 0.0F;
    const Index there = seen.end - first < warp_threads ? seen.end - first : Index{warp_threads};
    for (Index i = 0; i < there; ++i)
      gradient.add(a.in.key_at(rows.first_key + first + i, a.in.key_head(head)), s.head_size,
                   __shfl_sync(whole_warp, own, static_cast<int>(i)));
  }
  gradient.store(a.query_gradient + row * s.query_stride + head * s.head_size, s.head_size);
}

// After query_kernel, which leaves delta. Queries in order, heads of the group in order.
template <class Element>
__global__ void __launch_bounds__(warps* warp_threads, blocks_at_once)
    key_kernel(Backward<Element> a) {
  const AttentionLayout& s = a.in.s;
  if (warp_number() >= s.key_rows * s.key_heads) return;
  const Index row = warp_number() / s.key_heads, key_head = warp_number() % s.key_heads;
  const SequenceRows rows = rows_of_sequence(s, sequence_of(s.key_starts, s.sequences, row));
  const Index key = row - rows.first_key;
  const Index group = s.query_heads / s.key_heads;
  Spread of_key, of_value;
  of_key.clear();
  of_value.clear();
  for (Index head = key_head * group; head < (key_head + 1) * group; ++head) {
    for (Index first = 0; first < rows.queries; first += warp_threads) {
      const Index query = first + lane_number();
      Derivative own{0.0F, 0.0F};
      if (query < rows.queries) {
        const SeenKeys seen = seen_keys(s, rows, query);
        if (key >= seen.first && key < seen.end)
          own = derivative(a, rows, rows.first_query + query, head, key);
      }
      const Index left = rows.queries - first;
      for (Index i = 0; i < (left < warp_threads ? left : Index{warp_threads}); ++i) {
        const Index at = rows.first_query + first + i;
        const int lane = static_cast<int>(i);
        of_key.add(a.in.query_at(at, head), s.head_size, __shfl_sync(whole_warp, own.score, lane));
        of_value.add(a.upstream + a.output_place(at, head), s.head_size,
                     __shfl_sync(whole_warp, own.weight, lane));
      }
    }
  }
  of_key.store(a.key_gradient + row * s.key_stride + key_head * s.head_size, s.head_size);
  of_value.store(a.value_gradient + row * s.value_stride + key_head * s.head_size, s.head_size);
}

Shape warp_per(Index tasks) {
  return {dim3(blocks_for(tasks, warps)), dim3(warps * warp_threads)};
}

template <class Arguments, class Element>
Memory<Element> memory_of(const Arguments& a, Element* kind) {
  return {filled_in(a.shape), elements(a.query, kind), elements(a.key, kind),
          elements(a.value, kind)};
}

}  // namespace

void attention_forward_by_rows(const AttentionForward& a, const Stream& stream) {
  with_element(a.query.type, [&](auto* kind) {
    using Element = std::remove_pointer_t<decltype(kind)>;
    const Forward<Element> forward{memory_of(a, kind), elements(a.output, kind), a.log_sum_exp};
    const AttentionLayout& s = forward.in.s;
    if (s.query_rows == 0) return;
    launch(forward_kernel<Element>, warp_per(s.query_rows * s.query_heads), stream, forward);
  });
}

void attention_backward_by_rows(const AttentionBackward& a, const Stream& stream) {
  with_element(a.query.type, [&](auto* kind) {
    using Element = std::remove_pointer_t<decltype(kind)>;
    const Backward<Element> backward{memory_of(a, kind),
                                     elements(a.output, kind),
                                     elements(a.output_gradient, kind),
                                     a.log_sum_exp,
                                     a.workspace,
                                     elements(a.query_gradient, kind),
                                     elements(a.key_gradient, kind),
                                     elements(a.value_gradient, kind)};
    const AttentionLayout& s = backward.in.s;
    if (s.query_rows > 0)
      launch(query_kernel<Element>, warp_per(s.query_rows * s.query_heads), stream, backward);
    if (s.key_rows > 0)
      launch(key_kernel<Element>, warp_per(s.key_rows * s.key_heads), stream, backward);
  });
}

}  // namespace quintet::kernels::cuda
