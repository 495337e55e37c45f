// What DeMo sends instead of gradients (https://arxiv.org/abs/2411.19870): the largest coefficients
// of the discrete cosine transform (DCT-II, orthonormal) of chunks of a momentum.
#pragma once

#include "kernels/types.h"

namespace quintet::kernels {

inline constexpr Index longest_chunk = 64;

// The largest divisor of a dimension that is at most `target`.
constexpr Index chunk_length(Index dimension, Index target) {
  Index length = dimension < target ? dimension : target;
  while (length > 1 && dimension % length != 0) --length;
  return length;
}

// A tensor [rows, columns] cut into chunks; 1-D: rows = chunk_rows = 1. A chunk is at most 64 by
// 64 and divides the tensor. Chunks are numbered along the rows of chunks.
struct Chunks {
  Index rows = 0;
  Index columns = 0;
  Index chunk_rows = 1;
  Index chunk_columns = 1;
};

constexpr Index chunk_size(const Chunks& chunks) {
  return chunks.chunk_rows * chunks.chunk_columns;
}
constexpr Index chunk_count(const Chunks& chunks) {
  return chunks.rows / chunks.chunk_rows * (chunks.columns / chunks.chunk_columns);
}

enum class CosineDirection { forward, inverse };

// With B[i, j] = s_i cos(pi (2 j + 1) i / (2 n)), s_0 = sqrt(1 / n), else sqrt(2 / n), a chunk x
// becomes B x B' of its two lengths; the inverse is B' y B. Forward from the tensor to the chunks'
// coefficients, one chunk [chunk_rows, chunk_columns] after the other; inverse back.
struct CosineTransform {
  CosineDirection direction = CosineDirection::forward;
  Chunks chunks{};
  const float* input = nullptr;
  float* output = nullptr;
};

// The `kept` coefficients of largest magnitude of each chunk, largest first, of equal ones the
// first; a NaN is larger than any.
struct LargestCoefficients {
  Index chunks = 0;
  Index chunk_size = 0;                 // at most 64 * 64
  Index kept = 0;                       // at most chunk_size
  const float* coefficients = nullptr;  // [chunks, chunk_size]
  std::int32_t* positions = nullptr;    // [chunks, kept], in the chunk
  float* values = nullptr;              // [chunks, kept]
};

// The other way round, from several senders: a coefficient is the mean of those who sent it, 0
// where nobody did. A sender sends a position once.
struct MeanOfCoefficients {
  Index chunks = 0;
  Index chunk_size = 0;
  Index kept = 0;
  Index senders = 1;
  const std::int32_t* positions = nullptr;  // [senders, chunks, kept]
  const float* values = nullptr;            // [senders, chunks, kept]
  float* coefficients = nullptr;            // [chunks, chunk_size]
};

// A part of Kernels (kernels.h) that an implementation may do without.
class CosineKernels {
 public:
  CosineKernels() = default;
  CosineKernels(const CosineKernels&) = delete;
  CosineKernels& operator=(const CosineKernels&) = delete;
  virtual ~CosineKernels() = default;

  virtual void cosine_transform(const CosineTransform&, Stream&) = 0;
  virtual void largest_coefficients(const LargestCoefficients&, Stream&) = 0;
  virtual void mean_of_coefficients(const MeanOfCoefficients&, Stream&) = 0;
};

}  // namespace quintet::kernels
