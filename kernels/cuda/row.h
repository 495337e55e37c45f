// A row of a matrix in the registers of a block: each thread holds `packs` packs of `width`
// neighbours, `blockDim.x` packs apart.
#pragma once

#include "kernels/cuda/block.h"
#include "kernels/cuda/element.h"
#include "kernels/cuda/launch.h"

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

  // Of value(pack, i) over the whole row, to every thread.
  template <class Value>
  __device__ static float sum(Index columns, Value value) {
    float own = 0.0F;
    each(columns, [&](int pack, Index) {
#pragma unroll
      for (int i = 0; i < width; ++i) own += value(pack, i);
    });
    return block_reduce(own, Sum{}, 0.0F);
  }
};

template <int width_, int packs_>
struct RowShape {
  static constexpr int width = width_;
  static constexpr int packs = packs_;
};

// work(RowShape, threads per block) with registers for `columns`; in packs of 16 bytes where
// `packed` says that all memory allows it and the columns divide.
template <class Element, class Work>
void with_row_shape(Index columns, bool packed, Work work) {
  constexpr int wide = pack_size<Element>;
  const bool in_packs = packed && columns % wide == 0;
  const Index in_row = in_packs ? columns / wide : columns;
  const auto with_packs = [&](auto count) {
    constexpr int packs = decltype(count)::value;
    const Index threads = (in_row + packs - 1) / packs;
    const auto block =
        static_cast<unsigned>((threads + warp_threads - 1) / warp_threads * warp_threads);
    if (in_packs) return work(RowShape<wide, packs>{}, block);
    if constexpr (wide > 1) work(RowShape<1, packs>{}, block);
  };
  // Few threads leave many blocks to a multiprocessor; many packs cost registers.
  if (in_row <= 256) return with_packs(std::integral_constant<int, 1>{});
  if (in_row <= 1024) return with_packs(std::integral_constant<int, 2>{});
  if (in_row <= 4096) return with_packs(std::integral_constant<int, 4>{});
  assert(in_row <= 16384 && "a row of a norm is at most 16,384 packs wide");
  with_packs(std::integral_constant<int, 16>{});
}

}  // namespace quintet::kernels::cuda
