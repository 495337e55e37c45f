// The elements with the smallest of random scores, without room for the scores: they are drawn anew
// in each of five passes. Three find the largest score that is taken, twelve, twelve and eight bits
// at a time, by counting; one counts what each block of elements gives, and the last writes it.
// Integers are counted, so the order in which blocks come changes nothing.
#include <cassert>

#include "kernels/cuda/cuda_kernels.h"
#include "kernels/cuda/launch.h"
#include "kernels/cuda/tile/running_sum.h"
#include "kernels/philox.h"
#include "kernels/replicator.h"

namespace quintet::kernels::cuda {

namespace {

constexpr int threads = 256;
constexpr int words_each = 4;  // one draw of Philox
constexpr int rounds = 4;
constexpr Index per_round = threads * words_each;
constexpr Index per_block = rounds * per_round;
constexpr int most_digits = 1 << 12;

// All scores below `score` are taken, and `equal` of those that are the same.
struct Last {
  std::uint32_t score;
  unsigned equal;
};

__device__ PhiloxWords scores_of(const DrawPositions& a, Index element) {
  const std::uint64_t group = static_cast<std::uint64_t>(a.first + element) / 4;
  return philox(a.seed,
                {static_cast<std::uint32_t>(group), static_cast<std::uint32_t>(group >> 32),
                 static_cast<std::uint32_t>(a.draw), static_cast<std::uint32_t>(a.draw >> 32)});
}

// Bits of a score: `digits` values of them above `shift`; those still further up are known.
struct Digit {
  int shift, bits;
  __host__ __device__ unsigned digits() const { return 1U << bits; }
  __device__ bool alike(std::uint32_t score, std::uint32_t known) const {
    const int above = shift + bits;
    return above == 32 || score >> above == known >> above;
  }
  __device__ unsigned of(std::uint32_t score) const { return score >> shift & (digits() - 1); }
};

__global__ void begin_kernel(Last* last, unsigned chosen, unsigned* counts) {
  for (unsigned at = threadIdx.x; at < most_digits; at += threads) counts[at] = 0;
  if (threadIdx.x == 0) *last = {0, chosen};
}

__global__ void __launch_bounds__(threads)
    count_kernel(DrawPositions a, Digit digit, const Last* last, unsigned* counts) {
  __shared__ unsigned own[most_digits];
  for (unsigned at = threadIdx.x; at < digit.digits(); at += threads) own[at] = 0;
  __syncthreads();
  const std::uint32_t known = last->score;
  const Index stride = static_cast<Index>(gridDim.x) * per_round;
  const Index mine = (static_cast<Index>(blockIdx.x) * threads + threadIdx.x) * words_each;
  for (Index element = mine; element < a.count; element += stride) {
    const PhiloxWords scores = scores_of(a, element);
#pragma unroll
    for (int i = 0; i < words_each; ++i)
      if (element + i < a.count && digit.alike(scores[i], known))
        atomicAdd(&own[digit.of(scores[i])], 1U);
  }
  __syncthreads();
  for (unsigned at = threadIdx.x; at < digit.digits(); at += threads)
    if (own[at] > 0) atomicAdd(&counts[at], own[at]);
}

// One block: the digit in which the last score that is taken lies. Counts are 0 again then.
__global__ void __launch_bounds__(threads)
    choose_kernel(Digit digit, Last* last, unsigned* counts) {
  const unsigned each = digit.digits() / threads, first = threadIdx.x * each;
  const unsigned wanted = last->equal;
  unsigned own = 0;
  for (unsigned at = first; at < first + each; ++at) own += counts[at];
  unsigned before = running_sum<threads>(own).before;
  if (before < wanted && wanted <= before + own) {
    unsigned at = first;
    while (before + counts[at] < wanted) before += counts[at++];
    *last = {last->score | at << digit.shift, wanted - before};
  }
  __syncthreads();
  for (unsigned at = first; at < first + each; ++at) counts[at] = 0;
}

// Of the elements of a block: how many lie below the last score, and how many on it.
struct OfBlock {
  unsigned below, equal;
};

__global__ void __launch_bounds__(threads)
    tally_kernel(DrawPositions a, const Last* last, OfBlock* blocks) {
  const std::uint32_t score = last->score;
  OfBlock own{0, 0};
  for (int round = 0; round < rounds; ++round) {
    const Index element = static_cast<Index>(blockIdx.x) * per_block + round * per_round +
                          static_cast<Index>(threadIdx.x) * words_each;
    const PhiloxWords scores = scores_of(a, element);
#pragma unroll
    for (int i = 0; i < words_each; ++i) {
      if (element + i >= a.count) continue;
      own.below += scores[i] < score ? 1U : 0U;
      own.equal += scores[i] == score ? 1U : 0U;
    }
  }
  const OfBlock all{running_sum<threads>(own.below).all, running_sum<threads>(own.equal).all};
  if (threadIdx.x == 0) blocks[blockIdx.x] = all;
}

__device__ unsigned taken_of(unsigned equal, unsigned equal_before, unsigned wanted) {
  if (equal_before >= wanted) return 0;
  return equal < wanted - equal_before ? equal : wanted - equal_before;
}

// One block: how many are taken, and how many are equal, in the blocks before each.
__global__ void __launch_bounds__(threads)
    place_kernel(unsigned count, const Last* last, OfBlock* blocks) {
  const unsigned wanted = last->equal;
  OfBlock before{0, 0};
  for (unsigned first = 0; first < count; first += threads) {
    const unsigned at = first + threadIdx.x;
    const OfBlock own = at < count ? blocks[at] : OfBlock{0, 0};
    const RunningSum equal = running_sum<threads>(own.equal);
    const unsigned equal_before = before.equal + equal.before;
    const RunningSum taken =
        running_sum<threads>(own.below + taken_of(own.equal, equal_before, wanted));
    if (at < count) blocks[at] = {before.below + taken.before, equal_before};
    before.below += taken.all;
    before.equal += equal.all;
  }
}

__global__ void __launch_bounds__(threads)
    write_kernel(DrawPositions a, const Last* last, const OfBlock* blocks) {
  const std::uint32_t score = last->score;
  const unsigned wanted = last->equal;
  OfBlock before = blocks[blockIdx.x];
  for (int round = 0; round < rounds; ++round) {
    const Index element = static_cast<Index>(blockIdx.x) * per_block + round * per_round +
                          static_cast<Index>(threadIdx.x) * words_each;
    const PhiloxWords scores = scores_of(a, element);
    unsigned own_equal = 0, own_taken = 0;
    bool is_taken[words_each];
#pragma unroll
    for (int i = 0; i < words_each; ++i)
      own_equal += element + i < a.count && scores[i] == score ? 1U : 0U;
    const RunningSum equal = running_sum<threads>(own_equal);
    unsigned equal_before = before.equal + equal.before;
#pragma unroll
    for (int i = 0; i < words_each; ++i) {
      const bool is_there = element + i < a.count, ties = is_there && scores[i] == score;
      is_taken[i] = (is_there && scores[i] < score) || (ties && equal_before < wanted);
      equal_before += ties ? 1U : 0U;
      own_taken += is_taken[i] ? 1U : 0U;
    }
    const RunningSum taken = running_sum<threads>(own_taken);
    unsigned place = before.below + taken.before;
#pragma unroll
    for (int i = 0; i < words_each; ++i)
      if (is_taken[i]) a.positions[place++] = static_cast<std::int32_t>(element + i);
    before.below += taken.all;
    before.equal += equal.all;
  }
}

constexpr Digit digits[] = {{20, 12}, {8, 12}, {0, 8}};
constexpr Index most_counting_blocks = 1024;

}  // namespace

void CudaKernels::draw_positions(const DrawPositions& a, Stream& stream) {
  assert(a.chosen <= a.count && a.count <= 0x7FFFFFFF && a.first % words_each == 0);
  if (a.chosen == 0) return;
  const unsigned blocks = blocks_for(a.count, per_block);
  const auto counting =
      static_cast<unsigned>(std::min<Index>(most_counting_blocks, blocks_for(a.count, per_round)));
  auto* const last = static_cast<Last*>(scratch_.bytes(
      sizeof(Last) + most_digits * sizeof(unsigned) + blocks * sizeof(OfBlock), stream));
  auto* const counts = reinterpret_cast<unsigned*>(last + 1);
  auto* const of_blocks = reinterpret_cast<OfBlock*>(counts + most_digits);
  const dim3 all(threads);
  launch(begin_kernel, Shape{dim3(1), all}, stream, last, static_cast<unsigned>(a.chosen), counts);
  for (const Digit& digit : digits) {
    launch(count_kernel, Shape{dim3(counting), all}, stream, a, digit, last, counts);
    launch(choose_kernel, Shape{dim3(1), all}, stream, digit, last, counts);
  }
  launch(tally_kernel, Shape{dim3(blocks), all}, stream, a, last, of_blocks);
  launch(place_kernel, Shape{dim3(1), all}, stream, blocks, last, of_blocks);
  launch(write_kernel, Shape{dim3(blocks), all}, stream, a, last, of_blocks);
}

}  // namespace quintet::kernels::cuda
