// fp32 and bf16 to 8 bits, and back. Rows of 128 as they lie are one warp's, scaled and written in
// one pass; a transpose goes through shared memory, 128 rows by 32 columns at a time; squares find
// their scales first.
#include "kernels/cuda/cuda_kernels.h"
#include "kernels/cuda/float8/float8.h"
#include "kernels/cuda/tile/block.h"
#include "kernels/cuda/tile/each.h"

namespace quintet::kernels::cuda {

namespace {

constexpr int warps = 8, threads = warps * warp_threads;
constexpr int block_size = static_cast<int>(scale_block);

struct ScaleRule {
  Float8Form form;
  ScaleForm scale_form;
  __device__ float of(float maximum) const {
    const float least = maximum < smallest_maximum ? smallest_maximum : maximum;
    if (scale_form == ScaleForm::largest) return least / largest_float8(form);
    return __uint_as_float(power_of_two_scale(form, __float_as_uint(least)));
  }
};

template <class Element>
struct Source {
  Index rows, columns;
  const Element* values;
  Float8* codes;
  float* scales;
  ScaleRule rule;
};

__global__ void tensor_scale_kernel(ScaleRule rule, const float* maximum, float* scale) {
  if (threadIdx.x == 0) *scale = rule.of(*maximum);
}

// One block of threads per square of the input; `line_blocks` squares lie along the lines of what
// is written.
template <class Element>
__global__ void __launch_bounds__(threads) square_scales_kernel(Source<Element> s, QuantiseAs as) {
  const Index row = static_cast<Index>(blockIdx.y) * scale_block;
  const Index column = static_cast<Index>(blockIdx.x) * scale_block;
  float largest = 0.0F;
  for (int at = static_cast<int>(threadIdx.x); at < block_size * block_size; at += threads) {
    const Index r = row + at / block_size, c = column + at % block_size;
    if (r < s.rows && c < s.columns)
      largest = Maximum{}(largest, fabsf(to_float(s.values[r * s.columns + c])));
  }
  largest = block_reduce(largest, Maximum{}, 0.0F);
  if (threadIdx.x != 0) return;
  const bool turned = as == QuantiseAs::transpose;
  const Index place =
      turned ? scale_place(ScaleBlocks::squares_of_128, s.columns, s.rows, column, row)
             : scale_place(ScaleBlocks::squares_of_128, s.rows, s.columns, row, column);
  s.scales[place] = s.rule.of(largest);
}

// As it lies, the scales being there: of the tensor or of squares.
template <Float8Form form, class Element>
struct EncodeStep {
  Source<Element> s;
  ScaleBlocks blocks;
  template <int width>
  __device__ void operator()(Index at) const {
    float v[width];
    load_pack(s.values + at, v);
    const float scale =
        s.scales[scale_place(blocks, s.rows, s.columns, at / s.columns, at % s.columns)];
    Pack<Float8, width> codes;
#pragma unroll
    for (int i = 0; i < width; ++i) codes.values[i] = to_float8<form>(v[i] / scale);
    *reinterpret_cast<Pack<Float8, width>*>(s.codes + at) = codes;
  }
};

// A warp has one row's 128 columns.
template <Float8Form form, class Element>
__global__ void __launch_bounds__(threads) rows_kernel(Source<Element> s) {
  const int lane = static_cast<int>(threadIdx.x) % warp_threads;
  const Index row = static_cast<Index>(blockIdx.y) * warps + threadIdx.x / warp_threads;
  const Index first = static_cast<Index>(blockIdx.x) * scale_block;
  if (row >= s.rows) return;
  float v[block_size / warp_threads];
  float largest = 0.0F;
#pragma unroll
  for (int part = 0; part < block_size / warp_threads; ++part) {
    const Index column = first + part * warp_threads + lane;
    v[part] = column < s.columns ? to_float(s.values[row * s.columns + column]) : 0.0F;
    largest = Maximum{}(largest, fabsf(v[part]));
  }
  const float scale = s.rule.of(warp_reduce(largest, Maximum{}));
  if (lane == 0)
    s.scales[scale_place(ScaleBlocks::rows_of_128, s.rows, s.columns, row, first)] = scale;
#pragma unroll
  for (int part = 0; part < block_size / warp_threads; ++part) {
    const Index column = first + part * warp_threads + lane;
    if (column < s.columns) s.codes[row * s.columns + column] = to_float8<form>(v[part] / scale);
  }
}

// 128 rows by 32 columns become 32 lines of 128; with `own_scales` each line finds its own.
template <Float8Form form, bool own_scales, class Element>
__global__ void __launch_bounds__(threads) transpose_kernel(Source<Element> s, ScaleBlocks blocks) {
  __shared__ float tile[block_size][warp_threads + 1];
  const int lane = static_cast<int>(threadIdx.x) % warp_threads;
  const int warp = static_cast<int>(threadIdx.x) / warp_threads;
  const Index first_row = static_cast<Index>(blockIdx.y) * scale_block;
  const Index first_column = static_cast<Index>(blockIdx.x) * warp_threads;
  for (int r = warp; r < block_size; r += warps) {
    const Index row = first_row + r, column = first_column + lane;
    const bool inside = row < s.rows && column < s.columns;
    tile[r][lane] = inside ? to_float(s.values[row * s.columns + column]) : 0.0F;
  }
  __syncthreads();
  for (int c = warp; c < warp_threads && first_column + c < s.columns; c += warps) {
    const Index line = first_column + c;
    float* const place = s.scales + scale_place(blocks, s.columns, s.rows, line, first_row);
    float scale = 0.0F;
    if constexpr (own_scales) {
      float largest = 0.0F;
      for (int r = lane; r < block_size; r += warp_threads)
        largest = Maximum{}(largest, fabsf(tile[r][c]));
      scale = s.rule.of(warp_reduce(largest, Maximum{}));
      if (lane == 0) *place = scale;
    } else {
      scale = *place;
    }
    for (int r = lane; r < block_size; r += warp_threads)
      if (first_row + r < s.rows)
        s.codes[line * s.rows + first_row + r] = to_float8<form>(tile[r][c] / scale);
  }
}

template <Float8Form form, class Element>
struct DecodeStep {
  Index lines, depth;
  Float8Matrix matrix;
  Element* values;
  template <int width>
  __device__ void operator()(Index at) const {
    const auto codes = *reinterpret_cast<const Pack<Float8, width>*>(matrix.codes + at);
    const float scale =
        matrix.scales[scale_place(matrix.blocks, lines, depth, at / depth, at % depth)];
    float v[width];
#pragma unroll
    for (int i = 0; i < width; ++i) v[i] = to_float<form>(codes.values[i]) * scale;
    store_pack(values + at, v);
  }
};

template <Float8Form form, class Element>
void quantise_as_it_is(const Quantise& a, const Source<Element>& s, const Stream& stream) {
  if (a.blocks == ScaleBlocks::rows_of_128) {
    const Shape shape{dim3(blocks_for(s.columns, scale_block), blocks_for(s.rows, warps)),
                      dim3(threads)};
    return launch(rows_kernel<form, Element>, shape, stream, s);
  }
  constexpr int wide = pack_size<Element>;
  const bool packed = on_16_bytes(s.values) && s.columns % wide == 0 &&
                      reinterpret_cast<std::uintptr_t>(s.codes) % wide == 0;
  for_each<Element>(s.rows * s.columns, packed, stream, EncodeStep<form, Element>{s, a.blocks});
}

template <Float8Form form, class Element>
void quantise_transposed(const Quantise& a, const Source<Element>& s, const Stream& stream) {
  const Shape shape{dim3(blocks_for(s.columns, warp_threads), blocks_for(s.rows, scale_block)),
                    dim3(threads)};
  if (a.blocks == ScaleBlocks::rows_of_128)
    launch(transpose_kernel<form, true, Element>, shape, stream, s, a.blocks);
  else
    launch(transpose_kernel<form, false, Element>, shape, stream, s, a.blocks);
}

template <class Element>
void make_scales(const Quantise& a, const Source<Element>& s, const Stream& stream) {
  const Shape squares{dim3(blocks_for(s.columns, scale_block), blocks_for(s.rows, scale_block)),
                      dim3(threads)};
  switch (a.blocks) {
    case ScaleBlocks::tensor:
      return launch(tensor_scale_kernel, Shape{dim3(1), dim3(warp_threads)}, stream, s.rule,
                    a.maximum, s.scales);
    case ScaleBlocks::squares_of_128:
      return launch(square_scales_kernel<Element>, squares, stream, s, a.as);
    case ScaleBlocks::rows_of_128:
      return;  // with the codes
  }
}

}  // namespace

void CudaKernels::quantise(const Quantise& a, Stream& stream) {
  if (a.rows == 0 || a.columns == 0) return;
  with_element(a.input.type, [&](auto* kind) {
    with_float8(a.form, [&](auto form_constant) {
      using Element = std::remove_pointer_t<decltype(kind)>;
      constexpr Float8Form form = decltype(form_constant)::value;
      const Source<Element> s{a.rows,  a.columns, elements(a.input, kind),
                              a.codes, a.scales,  {form, a.scale_form}};
      make_scales(a, s, stream);
      if (a.as == QuantiseAs::it_is)
        quantise_as_it_is<form>(a, s, stream);
      else
        quantise_transposed<form>(a, s, stream);
    });
  });
}

void CudaKernels::dequantise(const Dequantise& a, Stream& stream) {
  with_element(a.values.type, [&](auto* kind) {
    with_float8(a.matrix.form, [&](auto form_constant) {
      using Element = std::remove_pointer_t<decltype(kind)>;
      constexpr Float8Form form = decltype(form_constant)::value;
      constexpr int wide = pack_size<Element>;
      Element* const values = elements(a.values, kind);
      const bool packed = on_16_bytes(values) && a.depth % wide == 0 &&
                          reinterpret_cast<std::uintptr_t>(a.matrix.codes) % wide == 0;
      for_each<Element>(a.lines * a.depth, packed, stream,
                        DecodeStep<form, Element>{a.lines, a.depth, a.matrix, values});
    });
  });
}

}  // namespace quintet::kernels::cuda
