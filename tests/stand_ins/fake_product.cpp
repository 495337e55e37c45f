#include "tests/stand_ins/fake_product.h"

namespace quintet::kernels::cuda::fake {

namespace {

bool is_float8(cudaDataType_t type) {
  return type == CUDA_R_8F_E4M3 || type == CUDA_R_8F_E5M2;
}

// The manual on 8 bits on Hopper.
bool float8_is_supported(const Product& p) {
  const auto a = p.left_scaling(), b = p.right_scaling();
  const bool both_squares = a == CUBLASLT_MATMUL_MATRIX_SCALE_BLK128x128_32F && a == b;
  const bool one_whole = (a == 0) != (b == 0);
  const bool both_e5m2 = p.left.type == CUDA_R_8F_E5M2 && p.right.type == CUDA_R_8F_E5M2;
  return is_float8(p.right.type) && p.left_turned() && !p.right_turned() && !both_squares &&
         !one_whole && !both_e5m2 && p.depth() % 16 == 0 && p.left.stride % 16 == 0 &&
         p.right.stride % 16 == 0;
}

// The bias, and all that is done to one element.
void write_element(const Product& p, std::size_t row, std::size_t column) {
  const std::uint32_t epilogue = p.epilogue();
  const auto beside_at = column * static_cast<std::size_t>(p.stride_beside()) + row;
  double value = p.alpha * p.sum(row, column);
  if (p.beta != 0.0) value += p.beta * read(p.result.type, p.c, p.result.place(row, column));
  if ((epilogue & CUBLASLT_EPILOGUE_BIAS) != 0) value += read(p.result.type, p.vector(), row);
  if (epilogue == CUBLASLT_EPILOGUE_DGELU)
    value *= gelu_slope(read(p.result.type, p.beside(), beside_at));
  if (epilogue == CUBLASLT_EPILOGUE_GELU_AUX || epilogue == CUBLASLT_EPILOGUE_GELU_AUX_BIAS) {
    write(p.result.type, p.beside(), beside_at, value);
    value = gelu(value);
  }
  write(p.result.type, p.d, p.result.place(row, column), value);
}

// Sums over depth of the left factor's rows, or of the right one's columns.
void write_bias_gradient(const Product& p) {
  const bool of_left = p.epilogue() == CUBLASLT_EPILOGUE_BGRADA;
  if (!of_left && p.epilogue() != CUBLASLT_EPILOGUE_BGRADB) return;
  const Operand summed = of_left ? p.left_operand() : p.right_operand();
  for (std::size_t i = 0; i < summed.lines; ++i) {
    double total = 0.0;
    for (std::size_t k = 0; k < summed.depth; ++k) total += summed.at(i, k);
    write(p.result.type, p.vector(), i, total);
  }
}

}  // namespace

bool sizes_agree(const Product& p) {
  const std::uint64_t rows = p.left_turned() ? p.left.columns : p.left.rows;
  const std::uint64_t columns = p.right_turned() ? p.right.rows : p.right.columns;
  const std::uint64_t depth = p.right_turned() ? p.right.columns : p.right.rows;
  const auto lines_fit = [](const Layout& l) {
    return static_cast<std::uint64_t>(l.stride) >= l.rows;
  };
  return rows == p.result.rows && columns == p.result.columns && depth == p.depth() &&
         lines_fit(p.left) && lines_fit(p.right) && lines_fit(p.result);
}

// The manual's tables for regular matrices.
bool types_are_supported(const Product& p) {
  if (is_float8(p.left.type)) return float8_is_supported(p);
  if (p.left.type != p.right.type) return false;
  return p.result.type == CUDA_R_32F ||
         (p.left.type == CUDA_R_16BF && p.result.type == CUDA_R_16BF);
}

bool beside_is_supported(const Product& p) {
  const auto rows = static_cast<std::int64_t>(p.result.rows);
  return (p.epilogue() & 128U) == 0 ||
         (p.stride_beside() % 8 == 0 && p.stride_beside() >= rows && p.beside() != nullptr);
}

void carry_out(const Product& p) {
  for (std::size_t column = 0; column < p.result.columns; ++column)
    for (std::size_t row = 0; row < p.result.rows; ++row) write_element(p, row, column);
  write_bias_gradient(p);
}

}  // namespace quintet::kernels::cuda::fake
