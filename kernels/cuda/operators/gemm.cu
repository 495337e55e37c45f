// Our own products: bf16 on the tensor cores where rows lie on 16 bytes, anything else in fp32
// arithmetic. A library's product goes first where there is one.
#include "kernels/gemm.h"

#include "kernels/cuda/cuda_kernels.h"
#include "kernels/cuda/tile/plain_gemm.h"

namespace quintet::kernels::cuda {

namespace {

// bf16 on the tensor cores: 128 x 128 of c per block of 8 warps (2 x 4, each 64 x 32), 32 deep per
// stage, the next stages' copies under way meanwhile. Rows of shared memory are padded by 16 bytes
// so that the eight rows of a matrix lie in different banks.
constexpr int tile = 128, tile_depth = 32, stages = 3;
constexpr int warps_down = 2, warps_across = 4;
constexpr int threads = warps_down * warps_across * 32;
constexpr int down = tile / warps_down / 16, across = tile / warps_across / 8;
constexpr int chunk = 8;  // elements in 16 bytes

// A stretch of one operand in shared memory, [tile][tile_depth] or turned [tile_depth][tile].
template <bool turned>
struct TileOf {
  static constexpr int lines = turned ? tile_depth : tile;
  static constexpr int line = turned ? tile : tile_depth;
  static constexpr int pitch = line + chunk;
  static constexpr int elements = lines * pitch;

  Bfloat16* memory;

  __device__ Bfloat16* at(int row, int k) const {
    return turned ? memory + k * pitch + row : memory + row * pitch + k;
  }

  // Rows and depth beyond the matrix become 0; both are multiples of a chunk along a line.
  __device__ void fetch(const Bfloat16* from, Index stride, Index first_row, Index rows,
                        Index first_depth, Index depth) const {
    constexpr int chunks_in_line = line / chunk, at_once = threads / chunks_in_line;
    const int own_line = static_cast<int>(threadIdx.x) / chunks_in_line;
    const int offset = static_cast<int>(threadIdx.x) % chunks_in_line * chunk;
    const Index whole_offset = (turned ? first_row : first_depth) + offset;
    const bool offset_inside = whole_offset < (turned ? rows : depth);
    Index whole_line = (turned ? first_depth : first_row) + own_line;
    const Bfloat16* source = from + whole_line * stride + whole_offset;
#pragma unroll
    for (int first = 0; first < lines; first += at_once) {
      const bool inside = offset_inside && whole_line < (turned ? depth : rows);
      copy_async_16_or_zero(memory + (own_line + first) * pitch + offset, inside ? source : from,
                            inside);
      whole_line += at_once;
      source += at_once * stride;
    }
  }
};

template <GemmForm form>
struct Stage {
  using A = TileOf<a_turned<form>>;
  using B = TileOf<!b_turned<form>>;  // rows of this tile are columns of c
  static constexpr int elements = A::elements + B::elements;
  static constexpr std::size_t all_bytes =
      std::size_t{stages} * static_cast<std::size_t>(elements) * sizeof(Bfloat16);

  A a;
  B b;
  __device__ static Stage number(int stage) {
    auto* const memory = reinterpret_cast<Bfloat16*>(dynamic_shared()) + stage % stages * elements;
    return {{memory}, {memory + A::elements}};
  }
};

struct WarpPlace {
  int row, column, lane;
  __device__ static WarpPlace own() {
    const int warp = static_cast<int>(threadIdx.x) / 32;
    return {warp / warps_across * (tile / warps_down), warp % warps_across * (tile / warps_across),
            static_cast<int>(threadIdx.x) % 32};
  }
};

// The 16 x 16 of a at (row, k), as multiply_add_bfloat16() wants it.
template <bool turned>
__device__ void load_a(const TileOf<turned>& from, int row, int k, int lane,
                       std::uint32_t (&fragment)[4]) {
  const int matrix = lane / 8, line = lane % 8;
  if constexpr (turned)
    load_matrix_x4_transposed(fragment, from.at(row + matrix % 2 * 8, k + matrix / 2 * 8 + line));
  else
    load_matrix_x4(fragment, from.at(row + matrix % 2 * 8 + line, k + matrix / 2 * 8));
}

// Two 16 x 8 of b, side by side, at (k, column).
template <bool turned>
__device__ void load_b(const TileOf<turned>& from, int column, int k, int lane,
                       std::uint32_t (&left)[2], std::uint32_t (&right)[2]) {
  const int matrix = lane / 8, line = lane % 8;
  std::uint32_t both[4];
  if constexpr (turned)
    load_matrix_x4_transposed(both, from.at(column + matrix / 2 * 8, k + matrix % 2 * 8 + line));
  else
    load_matrix_x4(both, from.at(column + matrix / 2 * 8 + line, k + matrix % 2 * 8));
  left[0] = both[0], left[1] = both[1];
  right[0] = both[2], right[1] = both[3];
}

template <GemmForm form>
__device__ void multiply_stage(const Stage<form>& stage, const WarpPlace& warp,
                               float (&sum)[down][across][4]) {
#pragma unroll
  for (int k = 0; k < tile_depth; k += 16) {
    std::uint32_t a[down][4], b[across][2];
#pragma unroll
    for (int i = 0; i < down; ++i) load_a(stage.a, warp.row + 16 * i, k, warp.lane, a[i]);
#pragma unroll
    for (int j = 0; j < across; j += 2)
      load_b(stage.b, warp.column + 8 * j, k, warp.lane, b[j], b[j + 1]);
#pragma unroll
    for (int i = 0; i < down; ++i)
#pragma unroll
      for (int j = 0; j < across; ++j) multiply_add_bfloat16(sum[i][j], a[i], b[j]);
  }
}

template <GemmForm form, class Output>
__global__ void __launch_bounds__(threads, 2) tensor_kernel(Operands<Bfloat16, Output> o) {
  const Index first_row = static_cast<Index>(blockIdx.y) * tile;
  const Index first_column = static_cast<Index>(blockIdx.x) * tile;
  const auto depth_tiles = static_cast<int>((o.size.depth + tile_depth - 1) / tile_depth);
  const auto fetch = [&](int number) {
    if (number < depth_tiles) {
      const auto stage = Stage<form>::number(number);
      const Index k = static_cast<Index>(number) * tile_depth;
      stage.a.fetch(o.a, o.size.a_stride, first_row, o.size.rows, k, o.size.depth);
      stage.b.fetch(o.b, o.size.b_stride, first_column, o.size.columns, k, o.size.depth);
    }
    end_copy_group();
  };
  for (int ahead = 0; ahead < stages - 1; ++ahead) fetch(ahead);
  const WarpPlace warp = WarpPlace::own();
  float sum[down][across][4] = {};
  for (int number = 0; number < depth_tiles; ++number) {
    wait_for_copies<stages - 2>();
    __syncthreads();  // the stage is there, and the one before it is read
    fetch(number + stages - 1);
    multiply_stage(Stage<form>::number(number), warp, sum);
  }
#pragma unroll
  for (int i = 0; i < down; ++i)
#pragma unroll
    for (int j = 0; j < across; ++j)
#pragma unroll
      for (int part = 0; part < 4; ++part)
        o.write(first_row + warp.row + 16 * i + warp.lane / 4 + part / 2 * 8,
                first_column + warp.column + 8 * j + warp.lane % 4 * 2 + part % 2, sum[i][j][part]);
}

bool tensor_cores_can(const Gemm& g, const Sizes& s) {
  if (g.a.type != ElementType::bf16) return false;
  const Index a_line = g.form == GemmForm::a_transposed_b ? s.rows : s.depth;
  const Index b_line = g.form == GemmForm::a_b_transposed ? s.depth : s.columns;
  return a_line % chunk == 0 && b_line % chunk == 0 && s.a_stride % chunk == 0 &&
         s.b_stride % chunk == 0 &&
         on_16_bytes(static_cast<const char*>(g.a.data), static_cast<const char*>(g.b.data));
}

Sizes sizes_of(const Gemm& g) {
  const Index a_line = g.form == GemmForm::a_transposed_b ? g.rows : g.depth;
  const Index b_line = g.form == GemmForm::a_b_transposed ? g.depth : g.columns;
  return {g.rows,
          g.columns,
          g.depth,
          g.a_stride == 0 ? a_line : g.a_stride,
          g.b_stride == 0 ? b_line : g.b_stride,
          g.c_stride == 0 ? g.columns : g.c_stride};
}

template <class Work>
void with_form(GemmForm form, Work work) {
  switch (form) {
    case GemmForm::a_b:
      return work(std::integral_constant<GemmForm, GemmForm::a_b>{});
    case GemmForm::a_b_transposed:
      return work(std::integral_constant<GemmForm, GemmForm::a_b_transposed>{});
    case GemmForm::a_transposed_b:
      return work(std::integral_constant<GemmForm, GemmForm::a_transposed_b>{});
  }
}

template <GemmForm form, class Element, class Output>
void multiply(const Gemm& g, const Operands<Element, Output>& o, const Stream& stream) {
  if constexpr (std::is_same_v<Element, Bfloat16>) {
    if (tensor_cores_can(g, o.size)) {
      const Shape shape{dim3(blocks_for(g.columns, tile), blocks_for(g.rows, tile)), dim3(threads),
                        Stage<form>::all_bytes};
      return launch(tensor_kernel<form, Output>, shape, stream, o);
    }
  }
  multiply_plainly<form>(o, stream);
}

}  // namespace

void CudaKernels::gemm(const Gemm& g, Stream& stream) {
  assert(g.a.type == g.b.type);
  if (g.rows == 0 || g.columns == 0) return;
  if (product_ != nullptr && product_->multiply(g, stream)) return;
  with_form(g.form, [&](auto form) {
    with_element(g.a.type, [&](auto* kind) {
      with_element(g.c.type, [&](auto* output) {
        using Element = std::remove_pointer_t<decltype(kind)>;
        using Output = std::remove_pointer_t<decltype(output)>;
        multiply<decltype(form)::value>(
            g,
            Operands<Element, Output>{sizes_of(g), elements(g.a, kind), elements(g.b, kind),
                                      elements(g.bias, kind), elements(g.c, output),
                                      g.write == GradientWrite::accumulate},
            stream);
      });
    });
  });
}

}  // namespace quintet::kernels::cuda
