#include "kernels/cuda/cublaslt/product_shape.h"

#include <cstdint>

namespace quintet::kernels::cuda {

namespace {

std::optional<MatrixType> matrix_type(ElementType type) {
  switch (type) {
    case ElementType::fp32:
      return MatrixType::fp32;
    case ElementType::bf16:
      return MatrixType::bf16;
    case ElementType::fp16:
      return std::nullopt;
  }
  return std::nullopt;
}

int alignment_of(const void* memory) {
  constexpr std::uintptr_t most = 256;
  const auto address = reinterpret_cast<std::uintptr_t>(memory) | most;
  return static_cast<int>(address & (~address + 1));
}

Factor factor(MatrixType type, bool transposed, Index stride, Index line, const void* memory) {
  return {type, transposed ? Reading::transposed : Reading::straight, stride == 0 ? line : stride,
          alignment_of(memory)};
}

// Types that cuBLASLt multiplies: bf16 by bf16 to bf16 or fp32, fp32 by fp32 to fp32.
std::optional<LibraryProduct> plain(const Gemm& g) {
  const auto from = matrix_type(g.a.type), to = matrix_type(g.c.type);
  const bool empty = g.rows == 0 || g.columns == 0 || g.depth == 0;
  if (empty || !from || !to || g.a.type != g.b.type) return std::nullopt;
  if (*from == MatrixType::fp32 && *to != MatrixType::fp32) return std::nullopt;
  const bool a_turned = g.form == GemmForm::a_transposed_b;
  const bool b_turned = g.form == GemmForm::a_b_transposed;
  LibraryProduct made;
  made.shape.rows = g.columns;
  made.shape.columns = g.rows;
  made.shape.depth = g.depth;
  made.shape.left = factor(*from, b_turned, g.b_stride, b_turned ? g.depth : g.columns, g.b.data);
  made.shape.right = factor(*from, a_turned, g.a_stride, a_turned ? g.rows : g.depth, g.a.data);
  made.shape.result = factor(*to, false, g.c_stride, g.columns, g.c.data);
  made.shape.write = g.write;
  made.memory.left = g.b.data;
  made.memory.right = g.a.data;
  made.memory.result = g.c.data;
  return made;
}

void put_vector(LibraryProduct& made, Epilogue epilogue, const void* vector) {
  made.shape.epilogue = epilogue;
  made.shape.vector_alignment = alignment_of(vector);
  made.memory.vector = vector;
}

bool rows_lie_together(const Gemm& g) {
  return g.c_stride == 0 || g.c_stride == g.columns;
}

// With the matrix before (after) a gelu beside the result.
bool put_beside(LibraryProduct& made, const Gemm& g, GeluForm form, const ConstTensor& before) {
  constexpr Index line_multiple = 8;
  if (form != GeluForm::hyperbolic || !rows_lie_together(g) || g.columns % line_multiple != 0 ||
      before.type != g.c.type || g.write != GradientWrite::overwrite)
    return false;
  made.shape.stride_beside = g.columns;
  made.shape.alignment_beside = alignment_of(before.data);
  made.memory.beside = before.data;
  return true;
}

MatrixType matrix_type(Float8Form form) {
  return form == Float8Form::e4m3 ? MatrixType::e4m3 : MatrixType::e5m2;
}

Scaling scaling_of(ScaleBlocks blocks) {
  switch (blocks) {
    case ScaleBlocks::tensor:
      return Scaling::tensor;
    case ScaleBlocks::rows_of_128:
      return Scaling::rows_of_128;
    case ScaleBlocks::squares_of_128:
      return Scaling::squares_of_128;
  }
  return Scaling::none;
}

// cuBLASLt's manual, "cublasLtMatmul()", FP8 kernels, and "Scaling factors layouts".
bool scales_go_together(const Float8Gemm& g) {
  const ScaleBlocks a = g.a.blocks, b = g.b.blocks;
  const bool whole = a == ScaleBlocks::tensor && b == ScaleBlocks::tensor;
  const bool one_whole = a == ScaleBlocks::tensor || b == ScaleBlocks::tensor;
  if (whole || one_whole) return whole;
  const bool both_squares = a == ScaleBlocks::squares_of_128 && b == ScaleBlocks::squares_of_128;
  return !both_squares && g.rows % 4 == 0 && g.columns % 4 == 0 && alignment_of(g.a.scales) >= 16 &&
         alignment_of(g.b.scales) >= 16;
}

bool on_16_bytes(const LibraryProduct& made) {
  const ProductShape& s = made.shape;
  return s.depth % 16 == 0 && s.rows * static_cast<Index>(element_bytes(s.result.type)) % 16 == 0 &&
         s.left.alignment >= 16 && s.right.alignment >= 16 && s.result.alignment >= 16;
}

Factor factor(const Float8Matrix& matrix, Index depth, bool transposed) {
  Factor made = factor(matrix_type(matrix.form), transposed, depth, depth, matrix.codes);
  made.scaling = scaling_of(matrix.blocks);
  return made;
}

}  // namespace

std::size_t element_bytes(MatrixType type) {
  switch (type) {
    case MatrixType::fp32:
      return 4;
    case MatrixType::bf16:
      return 2;
    case MatrixType::e4m3:
    case MatrixType::e5m2:
      return 1;
  }
  return 0;
}

std::size_t result_bytes(const ProductShape& shape) {
  const Index elements = shape.result.stride * (shape.columns - 1) + shape.rows;
  return static_cast<std::size_t>(elements) * element_bytes(shape.result.type);
}

std::optional<LibraryProduct> library_product(const Gemm& g) {
  auto made = plain(g);
  if (!made || g.bias.data == nullptr) return made;
  if (g.bias.type != g.c.type || g.write != GradientWrite::overwrite) return std::nullopt;
  put_vector(*made, Epilogue::bias, g.bias.data);
  return made;
}

std::optional<LibraryProduct> library_product(const GemmGelu& a) {
  auto made = library_product(a.product);
  if (!made || !put_beside(*made, a.product, a.form, a.before)) return std::nullopt;
  const bool biased = made->shape.epilogue == Epilogue::bias;
  made->shape.epilogue = biased ? Epilogue::gelu_bias : Epilogue::gelu;
  return made;
}

std::optional<LibraryProduct> library_product(const GemmGeluBackward& a) {
  auto made = plain(a.product);
  if (!made || a.product.bias.data != nullptr || !put_beside(*made, a.product, a.form, a.before))
    return std::nullopt;
  made->shape.epilogue = Epilogue::gelu_gradient;
  return made;
}

std::optional<LibraryProduct> library_product(const GemmBiasGradient& a) {
  auto made = plain(a.product);
  if (!made || a.product.c.type != ElementType::fp32) return std::nullopt;
  put_vector(*made,
             a.of == OutputGradient::a ? Epilogue::bias_gradient_of_right
                                       : Epilogue::bias_gradient_of_left,
             a.bias_gradient);
  return made;
}

std::optional<LibraryProduct> library_product(const Float8Gemm& g) {
  const auto to = matrix_type(g.c.type);
  const bool empty = g.rows == 0 || g.columns == 0 || g.depth == 0;
  const bool both_e5m2 = g.a.form == Float8Form::e5m2 && g.b.form == Float8Form::e5m2;
  if (empty || !to || both_e5m2 || !scales_go_together(g)) return std::nullopt;
  LibraryProduct made;
  made.shape.rows = g.columns;
  made.shape.columns = g.rows;
  made.shape.depth = g.depth;
  made.shape.left = factor(g.b, g.depth, true);
  made.shape.right = factor(g.a, g.depth, false);
  made.shape.result = factor(*to, false, 0, g.columns, g.c.data);
  made.shape.write = g.write;
  made.memory.left = g.b.codes;
  made.memory.right = g.a.codes;
  made.memory.result = g.c.data;
  made.memory.left_scales = g.b.scales;
  made.memory.right_scales = g.a.scales;
  if (!on_16_bytes(made)) return std::nullopt;
  return made;
}

}  // namespace quintet::kernels::cuda
