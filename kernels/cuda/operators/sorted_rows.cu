#include "kernels/cuda/operators/sorted_rows.h"

#include "kernels/cuda/launch.h"

namespace quintet::kernels::cuda {

namespace {

constexpr int digit_bits = 6, digits = 1 << digit_bits;
constexpr int sort_threads = 128, rows_per_thread = 8;
constexpr int rows_per_block = sort_threads * rows_per_thread;

// The first pass finds keys in what each row looked up, the others in what the last one wrote.
struct KeyedRows {
  Index count = 0;
  VocabularyShard shard{};
  const std::int32_t* wanted = nullptr;  // first pass
  const std::int32_t* keys = nullptr;    // later ones, as `rows`
  const std::int32_t* rows = nullptr;

  __device__ std::int32_t key(Index at) const {
    if (wanted == nullptr) return keys[at];
    const std::int32_t place = wanted[at] - shard.first;
    return place >= 0 && place < shard.size ? place : shard.size;
  }
  __device__ std::int32_t row(Index at) const {
    return wanted == nullptr ? rows[at] : static_cast<std::int32_t>(at);
  }
};

__device__ int digit_of(std::int32_t key, int shift) {
  return (key >> shift) & (digits - 1);
}

// counts[block][digit] of a block's rows.
__global__ void __launch_bounds__(sort_threads)
    count_digits_kernel(KeyedRows from, int shift, std::int32_t* counts) {
  __shared__ std::int32_t of_block[digits];
  for (int digit = static_cast<int>(threadIdx.x); digit < digits; digit += sort_threads)
    of_block[digit] = 0;
  __syncthreads();
  const Index first = static_cast<Index>(blockIdx.x) * rows_per_block;
  for (Index at = first + threadIdx.x; at < first + rows_per_block && at < from.count;
       at += sort_threads)
    atomicAdd(&of_block[digit_of(from.key(at), shift)], 1);
  __syncthreads();
  for (int digit = static_cast<int>(threadIdx.x); digit < digits; digit += sort_threads)
    counts[static_cast<Index>(blockIdx.x) * digits + digit] = of_block[digit];
}

// begins[digit]: where this block's rows of it go. Asked by the whole block.
__device__ void find_begins(const std::int32_t* counts, std::int32_t (&begins)[digits]) {
  __shared__ std::int32_t totals[digits];
  const auto digit = static_cast<int>(threadIdx.x);
  std::int32_t before = 0, total = 0;
  if (digit < digits) {
    for (unsigned block = 0; block < gridDim.x; ++block) {
      const std::int32_t count = counts[static_cast<Index>(block) * digits + digit];
      if (block < blockIdx.x) before += count;
      total += count;
    }
    totals[digit] = total;
  }
  __syncthreads();
  if (digit < digits) {
    for (int smaller = 0; smaller < digit; ++smaller) before += totals[smaller];
    begins[digit] = before;
  }
  __syncthreads();
}

// Each thread has neighbouring rows, so that threads in order are rows in order.
__global__ void __launch_bounds__(sort_threads)
    place_rows_kernel(KeyedRows from, int shift, const std::int32_t* counts, std::int32_t* keys,
                      std::int32_t* rows) {
  __shared__ std::int32_t begins[digits];
  __shared__ std::uint16_t ahead[sort_threads][digits];  // rows of the digit in threads before
  find_begins(counts, begins);
  const auto thread = static_cast<int>(threadIdx.x);
  for (int at = thread; at < sort_threads * digits; at += sort_threads)
    ahead[at / digits][at % digits] = 0;
  __syncthreads();
  const Index first =
      (static_cast<Index>(blockIdx.x) * sort_threads + threadIdx.x) * rows_per_thread;
  const Index end = first + rows_per_thread < from.count ? first + rows_per_thread : from.count;
  for (Index at = first; at < end; ++at) ++ahead[thread][digit_of(from.key(at), shift)];
  __syncthreads();
  if (thread < digits) {
    std::uint16_t sum = 0;
    for (int other = 0; other < sort_threads; ++other) {
      const std::uint16_t own = ahead[other][thread];
      ahead[other][thread] = sum;
      sum = static_cast<std::uint16_t>(sum + own);
    }
  }
  __syncthreads();
  for (Index at = first; at < end; ++at) {
    const std::int32_t key = from.key(at);
    const int digit = digit_of(key, shift);
    const std::int32_t to = begins[digit] + ahead[thread][digit]++;
    keys[to] = key;
    rows[to] = from.row(at);
  }
}

}  // namespace

Index sort_workspace(Index count) {
  return 4 * count + (count + rows_per_block - 1) / rows_per_block * digits;
}

SortedRows sort_rows(Index count, const VocabularyShard& shard, const std::int32_t* wanted,
                     std::int32_t* workspace, const Stream& stream) {
  std::int32_t* const memory[2] = {workspace, workspace + 2 * count};
  std::int32_t* const counts = workspace + 4 * count;
  const Shape shape{dim3(blocks_for(count, rows_per_block)), dim3(sort_threads)};
  KeyedRows from{count, shard, wanted, nullptr, nullptr};
  int to = 0;
  for (int shift = 0; shift == 0 || Index{shard.size} >> shift > 0; shift += digit_bits) {
    std::int32_t* const keys = memory[to];
    launch(count_digits_kernel, shape, stream, from, shift, counts);
    launch(place_rows_kernel, shape, stream, from, shift, counts, keys, keys + count);
    from = {count, shard, nullptr, keys, keys + count};
    to = 1 - to;
  }
  return {from.keys, from.rows};
}

}  // namespace quintet::kernels::cuda
