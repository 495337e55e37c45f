// Runs a step for every element, or for every pack of them, of a flat range.
#pragma once

#include "kernels/cuda/launch.h"
#include "kernels/cuda/tile/element.h"

namespace quintet::kernels::cuda {

template <int width, class Step>
__global__ void __launch_bounds__(256) each_kernel(Index count, Step step) {
  const Index stride = static_cast<Index>(gridDim.x) * blockDim.x * width;
  const Index own = (static_cast<Index>(blockIdx.x) * blockDim.x + threadIdx.x) * width;
  for (Index at = own; at < count; at += stride) step.template operator()<width>(at);
}

// step.operator()<width>(first element of `width`). With `packed` all memory that the step touches
// lies on 16 bytes; width is then 16 bytes' worth of Element, but for a count it does not divide.
template <class Element, class Step>
void for_each(Index count, bool packed, const Stream& stream, const Step& step) {
  if (count == 0) return;
  constexpr int width = pack_size<Element>;
  constexpr Index threads = 256, most_blocks = 16384;
  const bool in_packs = packed && count % width == 0;
  const Index per_block = threads * (in_packs ? width : 1);
  const auto blocks =
      static_cast<unsigned>(std::min<Index>(most_blocks, (count + per_block - 1) / per_block));
  const Shape shape{dim3(blocks), dim3(static_cast<unsigned>(threads))};
  if (in_packs)
    launch(each_kernel<width, Step>, shape, stream, count, step);
  else
    launch(each_kernel<1, Step>, shape, stream, count, step);
}

}  // namespace quintet::kernels::cuda
