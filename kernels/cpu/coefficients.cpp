#include "kernels/cosine.h"
#include "kernels/cpu/cpu_kernels.h"
#include "kernels/cpu/memory.h"

namespace quintet::kernels::QUINTET_CPU_TARGET {
namespace {

// Magnitudes in order, and of equal ones the first position: all keys differ.
using Key = std::uint64_t;

Key key_of(float value, Index position) {
  const std::uint32_t magnitude = __builtin_bit_cast(std::uint32_t, value) & 0x7FFFFFFFU;
  return static_cast<Key>(magnitude) << 32 | (0xFFFFFFFFU - static_cast<std::uint32_t>(position));
}

Index position_of(Key key) {
  return static_cast<Index>(0xFFFFFFFFU - static_cast<std::uint32_t>(key));
}

// Restores the heap below `at`: every key is at least its two children's.
void sink(Key* heap, Index count, Index at) {
  for (Index child = 2 * at + 1; child < count; child = 2 * at + 1) {
    if (child + 1 < count && heap[child + 1] > heap[child]) ++child;
    if (heap[at] >= heap[child]) return;
    const Key above = heap[at];
    heap[at] = heap[child];
    heap[child] = above;
    at = child;
  }
}

void largest_of_chunk(const LargestCoefficients& a, Index chunk) {
  const float* const from = a.coefficients + chunk * a.chunk_size;
  Key heap[longest_chunk * longest_chunk];
  Index count = a.chunk_size;
  for (Index at = 0; at < count; ++at) heap[at] = key_of(from[at], at);
  for (Index at = count / 2; at-- > 0;) sink(heap, count, at);
  for (Index kept = 0; kept < a.kept; ++kept) {
    const Index position = position_of(heap[0]);
    a.positions[chunk * a.kept + kept] = static_cast<std::int32_t>(position);
    a.values[chunk * a.kept + kept] = from[position];
    heap[0] = heap[--count];
    sink(heap, count, 0);
  }
}

void mean_of_chunk(const MeanOfCoefficients& a, Index chunk) {
  std::int32_t sent[longest_chunk * longest_chunk] = {};
  float* const to = a.coefficients + chunk * a.chunk_size;
  for (Index at = 0; at < a.chunk_size; ++at) to[at] = 0.0F;
  for (Index sender = 0; sender < a.senders; ++sender)
    for (Index kept = 0; kept < a.kept; ++kept) {
      const Index from = (sender * a.chunks + chunk) * a.kept + kept;
      to[a.positions[from]] += a.values[from];
      ++sent[a.positions[from]];
    }
  for (Index at = 0; at < a.chunk_size; ++at)
    if (sent[at] > 1) to[at] /= static_cast<float>(sent[at]);
}

}  // namespace

void CpuKernels::largest_coefficients(const LargestCoefficients& a, Stream&) {
  assert(a.kept <= a.chunk_size && a.chunk_size <= longest_chunk * longest_chunk);
  for (Index chunk = 0; chunk < a.chunks; ++chunk) largest_of_chunk(a, chunk);
}

void CpuKernels::mean_of_coefficients(const MeanOfCoefficients& a, Stream&) {
  assert(a.chunk_size <= longest_chunk * longest_chunk);
  for (Index chunk = 0; chunk < a.chunks; ++chunk) mean_of_chunk(a, chunk);
}

}  // namespace quintet::kernels::QUINTET_CPU_TARGET
