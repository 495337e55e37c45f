// A row of a matrix in the registers of a block: each thread holds `packs` packs of `width`
// neighbours, `blockDim.x` packs apart. A row that is longer than a block holds is worked on slice
// by slice, and read again whenever all of it is needed again (from the cache, as a rule).
#pragma once

#include "kernels/cuda/launch.h"
#include "kernels/cuda/tile/block.h"
#include "kernels/cuda/tile/element.h"

namespace quintet::kernels::cuda {

template <int width, int packs>
struct Row {
  static constexpr int pack_width = width;
  float values[packs][width] = {};

  // work(pack, column of its first element) for the packs that are inside.
  template <class Work>
  __device__ static void each(Index columns, Work work) {
#pragma unroll
    for (int pack = 0; pack < packs; ++pack) {
      const Index column =
          (static_cast<Index>(pack) * blockDim.x + threadIdx.x) * static_cast<Index>(width);
      if (column < columns) work(pack, column);
    }
  }

  template <class Element>
  __device__ void load(const Element* row, Index columns) {
    each(columns, [&](int pack, Index column) { load_pack(row + column, values[pack]); });
  }

  template <class Element>
  __device__ void store(Element* row, Index columns) const {
    each(columns, [&](int pack, Index column) { store_pack(row + column, values[pack]); });
  }

  // Rounds to the element's type.
  template <class Element>
  __device__ void round(const Element*) {
#pragma unroll
    for (int pack = 0; pack < packs; ++pack)
#pragma unroll
      for (int i = 0; i < width; ++i) {
        Element rounded;
        store_one(&rounded, values[pack][i]);
        values[pack][i] = to_float(rounded);
      }
  }

  // This is the sum of value(pack, i) over what the thread holds.
  template <class Value>
  __device__ static float own_sum(Index columns, Value value) {
    float own = 0.0F;
    each(columns, [&](int pack, Index) {
#pragma unroll
      for (int i = 0; i < width; ++i) own += value(pack, i);
    });
    return own;
  }
};

__device__ inline float sum_of_block(float own) {
  return block_reduce(own, Sum{}, 0.0F);
}

// The most threads a block of these kernels has: 128 registers are then left to each.
inline constexpr int most_row_threads = 512;

// `whole_`: a block holds the whole row.
template <int width_, int packs_, bool whole_>
struct RowShape {
  static constexpr int width = width_;
  static constexpr int packs = packs_;
  static constexpr bool whole = whole_;
};

// work(first column, columns) for each slice.
template <class Shape, class Work>
__device__ void for_slices(Index columns, Work work) {
  if constexpr (Shape::whole) {
    work(Index{0}, columns);
  } else {
    const Index slice = static_cast<Index>(blockDim.x) * Shape::packs * Shape::width;
    for (Index first = 0; first < columns; first += slice)
      work(first, columns - first < slice ? columns - first : slice);
  }
}

// work(RowShape, threads per block) with registers for `columns`; in packs of 16 bytes where
// `packed` says that all memory allows it and the columns divide.
template <class Element, class Work>
void with_row_shape(Index columns, bool packed, Work work) {
  constexpr int wide = pack_size<Element>;
  constexpr int most_elements = 32;  // of one array in a thread's registers
  const bool in_packs = packed && columns % wide == 0;
  const Index in_row = in_packs ? columns / wide : columns;
  const auto with_packs = [&](auto count, auto whole) {
    constexpr int packs = decltype(count)::value;
    const Index wanted = (in_row + packs - 1) / packs;
    const Index threads = wanted < most_row_threads ? wanted : most_row_threads;
    const auto block =
        static_cast<unsigned>((threads + warp_threads - 1) / warp_threads * warp_threads);
    if (in_packs) return work(RowShape<wide, packs, decltype(whole)::value>{}, block);
    if constexpr (wide > 1) work(RowShape<1, packs, decltype(whole)::value>{}, block);
  };
  constexpr int most_packs = most_elements / wide;
  using Most = std::integral_constant<int, most_packs>;
  // Few threads leave many blocks to a multiprocessor; many packs cost registers.
  if (in_row <= 256) return with_packs(std::integral_constant<int, 1>{}, std::true_type{});
  if (in_row <= 1024) return with_packs(std::integral_constant<int, 2>{}, std::true_type{});
  if (in_row <= 2048) return with_packs(std::integral_constant<int, 4>{}, std::true_type{});
  if (in_row <= most_row_threads * most_packs) return with_packs(Most{}, std::true_type{});
  with_packs(std::integral_constant<int, 4>{}, std::false_type{});
}

}  // namespace quintet::kernels::cuda
