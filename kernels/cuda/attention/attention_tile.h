// Tiles of q, k, v in shared memory and their products on the tensor cores. A block has 4 warps;
// a warp owns 16 `down` rows of the product, which stay in its registers as
// sum[down][columns / 8][4], spread over the lanes as multiply_add_bfloat16() says.
#pragma once

#include "kernels/cuda/attention/attention_sight.h"
#include "kernels/cuda/launch.h"
#include "kernels/cuda/tile/block.h"
#include "kernels/cuda/tile/element.h"

namespace quintet::kernels::cuda {

inline constexpr float log2_of_e = 1.4426950408889634F;
inline constexpr int attention_warps = 4;
inline constexpr int attention_threads = attention_warps * warp_threads;

__device__ inline int lane_number() {
  return static_cast<int>(threadIdx.x) % warp_threads;
}
__device__ inline int warp_number() {
  return static_cast<int>(threadIdx.x) / warp_threads;
}
// Row and column that sum[i][j][part] has in its 16 x 8.
__device__ inline int row_of_part(int part) {
  return lane_number() / 4 + part / 2 * 8;
}
__device__ inline int column_of_part(int part) {
  return lane_number() % 4 * 2 + part % 2;
}

// One head of one sequence's rows in a matrix. Begins at the matrix, which is a parameter of the
// kernel and so in no register.
template <class Element>
struct HeadRows {
  Element* matrix;
  Index stride;  // elements from row to row
  int first_row, rows;
  int first_column, head_size;

  __device__ bool has(int row, int column) const { return row < rows && column < head_size; }
  __device__ Index place(int row, int column) const {
    return (first_row + row) * stride + (first_column + column);
  }
};

template <class Element>
__device__ HeadRows<Element> head_rows(Element* matrix, Index stride, int first_row, int rows,
                                       int head, Index head_size) {
  const auto size = static_cast<int>(head_size);
  return {matrix, stride, first_row, rows, head * size, size};
}

// These are the rows of a sequence's queries, and of its keys.
template <class Element>
__device__ HeadRows<Element> query_rows(Element* matrix, Index stride, const Sight& sight, int head,
                                        Index head_size) {
  return head_rows(matrix, stride, sight.first_query, sight.queries, head, head_size);
}
template <class Element>
__device__ HeadRows<Element> key_rows(Element* matrix, Index stride, const Sight& sight, int head,
                                      Index head_size) {
  return head_rows(matrix, stride, sight.first_key, sight.keys, head, head_size);
}

// [rows][head], each row followed by 16 bytes of padding: a row is then an odd number of 16-byte
// units long (head is a multiple of 16), so that the 8 rows of an ldmatrix matrix begin in 8
// different groups of 4 banks, and so do the 8 rows of 4-byte stores of a fragment.
template <int rows_, int head_>
struct Tile {
  static constexpr int rows = rows_, head = head_;
  static constexpr int chunk = pack_size<Bfloat16>;
  static constexpr int chunks = head / chunk;  // in a row
  static constexpr int pitch = head + chunk;
  static constexpr int elements = rows * pitch;
  static_assert(head % 16 == 0);

  Bfloat16* memory;

  __device__ Bfloat16* at(int row, int column) const { return memory + row * pitch + column; }

  // Neighbouring lanes take neighbouring chunks; a thread's places are constants apart.
  static constexpr int lanes_in_row = chunks % 8 == 0 ? 8 : 4;
  static constexpr int rows_at_once = attention_threads / lanes_in_row;
  static_assert(chunks % lanes_in_row == 0 && rows % rows_at_once == 0);

  // Rows from `first` on; 0 beyond the sequence and beyond the head, which is a multiple of a
  // chunk.
  __device__ void fetch(const HeadRows<const Bfloat16>& from, int first) const {
    const int row = static_cast<int>(threadIdx.x) / lanes_in_row;
    const int column = static_cast<int>(threadIdx.x) % lanes_in_row * chunk;
#pragma unroll
    for (int down = 0; down < rows; down += rows_at_once)
#pragma unroll
      for (int across = 0; across < head; across += lanes_in_row * chunk) {
        const bool there = from.has(first + row + down, column + across);
        const Index place = there ? from.place(first + row + down, column + across) : 0;
        copy_async_16_or_zero(at(row + down, column + across), from.matrix + place, there);
      }
  }
};

template <int down, int across>
__device__ void clear(float (&sum)[down][across][4]) {
#pragma unroll
  for (int i = 0; i < down; ++i)
#pragma unroll
    for (int j = 0; j < across; ++j)
#pragma unroll
      for (float& part : sum[i][j]) part = 0.0F;
}

// product += left[own_row ...][head] right[all][head]^T.
template <int down, int across, class Left, class Right>
__device__ void add_rows_by_rows(const Left& left, int own_row, const Right& right,
                                 float (&product)[down][across][4]) {
  static_assert(Right::rows == across * 8 && across % 2 == 0);
  const int lane = lane_number();
#pragma unroll
  for (int k = 0; k < Left::head; k += 16) {
    std::uint32_t a[down][4];
#pragma unroll
    for (int i = 0; i < down; ++i)
      load_matrix_x4(a[i], left.at(own_row + 16 * i + lane % 16, k + lane / 16 * 8));
#pragma unroll
    for (int j = 0; j < across; j += 2) {
      std::uint32_t b[4];
      load_matrix_x4(b, right.at(8 * j + lane / 16 * 8 + lane % 8, k + lane / 8 % 2 * 8));
#pragma unroll
      for (int i = 0; i < down; ++i) {
        multiply_add_bfloat16(product[i][j], a[i], {b[0], b[1]});
        multiply_add_bfloat16(product[i][j + 1], a[i], {b[2], b[3]});
      }
    }
  }
}

// sum += left right[all][head], left as add_rows_by_rows() leaves it, rounded to bf16: two
// neighbours of its 16 x 8 are one 16 x 16 of the next product, lane by lane.
template <int down, int across, int columns, class Right>
__device__ void add_product(const float (&left)[down][across][4], const Right& right,
                            float (&sum)[down][columns][4]) {
  static_assert(Right::rows == across * 8 && Right::head == columns * 8);
  const int lane = lane_number();
#pragma unroll
  for (int k = 0; k < across; k += 2) {
    std::uint32_t a[down][4];
#pragma unroll
    for (int i = 0; i < down; ++i)
#pragma unroll
      for (int part = 0; part < 4; ++part) {
        const float(&from)[4] = left[i][k + part / 2];
        a[i][part] = pack_bfloat16(from[part % 2 * 2], from[part % 2 * 2 + 1]);
      }
#pragma unroll
    for (int j = 0; j < columns; j += 2) {
      std::uint32_t b[4];
      load_matrix_x4_transposed(b, right.at(8 * k + lane % 16, 8 * j + lane / 16 * 8));
#pragma unroll
      for (int i = 0; i < down; ++i) {
        multiply_add_bfloat16(sum[i][j], a[i], {b[0], b[1]});
        multiply_add_bfloat16(sum[i][j + 1], a[i], {b[2], b[3]});
      }
    }
  }
}

// Scores whose column is not in range(row) become -infinity; both counted from the tile's first.
template <int down, int across, class Range>
__device__ void hide_outside(float (&scores)[down][across][4], int own_row, Range range) {
#pragma unroll
  for (int i = 0; i < down; ++i)
#pragma unroll
    for (int half = 0; half < 4; half += 2) {
      const RowRange seen = range(own_row + 16 * i + row_of_part(half));
#pragma unroll
      for (int j = 0; j < across; ++j)
#pragma unroll
        for (int part = half; part < half + 2; ++part)
          if (!seen.holds(8 * j + column_of_part(part))) scores[i][j][part] = -INFINITY;
    }
}

// Writes the warp's rows by way of the tile's rows of the same numbers, which no other warp may
// still need, so that whole chunks go to memory. Rows and columns beyond are left alone.
template <int down, int columns, class Tile>
__device__ void store_rows(const float (&sum)[down][columns][4], const Tile& tile, int own_row,
                           const HeadRows<Bfloat16>& to, int first) {
  __syncwarp();
#pragma unroll
  for (int i = 0; i < down; ++i)
#pragma unroll
    for (int j = 0; j < columns; ++j)
#pragma unroll
      for (int half = 0; half < 4; half += 2)
        *reinterpret_cast<std::uint32_t*>(
            tile.at(own_row + 16 * i + row_of_part(half), 8 * j + column_of_part(0))) =
            pack_bfloat16(sum[i][j][half], sum[i][j][half + 1]);
  __syncwarp();
  for (int number = lane_number(); number < 16 * down * Tile::chunks; number += warp_threads) {
    const int row = own_row + number / Tile::chunks, column = number % Tile::chunks * Tile::chunk;
    if (to.has(first + row, column))
      *reinterpret_cast<uint4*>(to.matrix + to.place(first + row, column)) =
          *reinterpret_cast<const uint4*>(tile.at(row, column));
  }
}

// work(std::integral_constant<int, head>) for the smallest tile that the head fits into.
template <class Work>
void with_tile_head(Index head_size, Work work) {
  if (head_size <= 64)
    work(std::integral_constant<int, 64>{});
  else if (head_size <= 96)
    work(std::integral_constant<int, 96>{});
  else
    work(std::integral_constant<int, 128>{});
}

// A block to a slot of a head.
inline Shape shape_for(Index rows, Index sequences, int tile, Index heads,
                       std::size_t shared_bytes) {
  return {
      dim3(static_cast<unsigned>(tile_slots(rows, sequences, tile)), static_cast<unsigned>(heads)),
      dim3(attention_threads), shared_bytes};
}

}  // namespace quintet::kernels::cuda
