// A block of threads per chunk, which lies in shared memory with the two bases: two small products.
#include "kernels/cosine.h"

#include <cassert>

#include "kernels/cuda/cuda_kernels.h"
#include "kernels/cuda/launch.h"
#include "kernels/cuda/tile/instructions.h"

namespace quintet::kernels::cuda {

namespace {

constexpr int threads = 256;

// [rows][columns], one word longer per row, so that a column lies in different banks.
struct Matrix {
  float* memory;
  int columns;
  __device__ float& at(int row, int column) const { return memory[row * (columns + 1) + column]; }
};

__host__ __device__ constexpr int words(int rows, int columns) {
  return rows * (columns + 1);
}

struct Transform {
  Chunks chunks;
  bool forward;
  const float* input;
  float* output;
};

// B of length n, transposed where the product wants it so: to[i][j] = B[i][j] or B[j][i].
__device__ void make_basis(const Matrix& to, bool transposed) {
  const int n = to.columns;
  const float length = static_cast<float>(n);
  for (int at = static_cast<int>(threadIdx.x); at < n * n; at += threads) {
    const int i = at / n, j = at % n;
    const int turn = (2 * j + 1) * i % (4 * n);  // of 4 n, so that the fraction is small and exact
    const float value =
        sqrtf((i == 0 ? 1.0F : 2.0F) / length) * cospif(static_cast<float>(turn) / (2.0F * length));
    (transposed ? to.at(j, i) : to.at(i, j)) = value;
  }
}

// to = left right.
__device__ void multiply(const Matrix& to, int rows, const Matrix& left, const Matrix& right) {
  for (int at = static_cast<int>(threadIdx.x); at < rows * to.columns; at += threads) {
    const int row = at / to.columns, column = at % to.columns;
    float sum = 0.0F;
    for (int k = 0; k < left.columns; ++k) sum += left.at(row, k) * right.at(k, column);
    to.at(row, column) = sum;
  }
}

// These say where an element of a chunk lies in the tensor, and in the list of chunks.
__device__ Index in_tensor(const Chunks& c, Index chunk, int row, int column) {
  const Index in_line = c.columns / c.chunk_columns;
  return (chunk / in_line * c.chunk_rows + row) * c.columns + chunk % in_line * c.chunk_columns +
         column;
}
__device__ Index in_list(const Chunks& c, Index chunk, int row, int column) {
  return (chunk * c.chunk_rows + row) * c.chunk_columns + column;
}

__global__ void __launch_bounds__(threads) transform_kernel(Transform t) {
  const int rows = static_cast<int>(t.chunks.chunk_rows);
  const int columns = static_cast<int>(t.chunks.chunk_columns);
  auto* const memory = reinterpret_cast<float*>(dynamic_shared());
  const Matrix down{memory, rows}, across{memory + words(rows, rows), columns};
  const Matrix chunk{across.memory + words(columns, columns), columns};
  const Matrix half{chunk.memory + words(rows, columns), columns};
  make_basis(down, !t.forward);
  make_basis(across, t.forward);
  for (int at = static_cast<int>(threadIdx.x); at < rows * columns; at += threads) {
    const int row = at / columns, column = at % columns;
    chunk.at(row, column) = t.input[t.forward ? in_tensor(t.chunks, blockIdx.x, row, column)
                                              : in_list(t.chunks, blockIdx.x, row, column)];
  }
  __syncthreads();
  multiply(half, rows, chunk, across);
  __syncthreads();
  multiply(chunk, rows, down, half);
  __syncthreads();
  for (int at = static_cast<int>(threadIdx.x); at < rows * columns; at += threads) {
    const int row = at / columns, column = at % columns;
    t.output[t.forward ? in_list(t.chunks, blockIdx.x, row, column)
                       : in_tensor(t.chunks, blockIdx.x, row, column)] = chunk.at(row, column);
  }
}

}  // namespace

void CudaKernels::cosine_transform(const CosineTransform& a, Stream& stream) {
  const Chunks& c = a.chunks;
  assert(c.chunk_rows <= longest_chunk && c.chunk_columns <= longest_chunk);
  assert(c.rows % c.chunk_rows == 0 && c.columns % c.chunk_columns == 0);
  const Index count = chunk_count(c);
  if (count == 0) return;
  const auto rows = static_cast<int>(c.chunk_rows), columns = static_cast<int>(c.chunk_columns);
  const int all = words(rows, rows) + words(columns, columns) + 2 * words(rows, columns);
  const Shape shape{dim3(static_cast<unsigned>(count)), dim3(threads),
                    static_cast<std::size_t>(all) * sizeof(float)};
  launch(transform_kernel, shape, stream,
         Transform{c, a.direction == CosineDirection::forward, a.input, a.output});
}

}  // namespace quintet::kernels::cuda
