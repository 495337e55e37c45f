// One product as cuBLASLt is told of it, by descriptors, and what the manual says of it.
#pragma once

#include <cublasLt.h>

#include <cstdint>
#include <cstring>
#include <map>
#include <vector>

#include "tests/stand_ins/fake_matrices.h"

namespace quintet::kernels::cuda::fake {

struct Layout {
  cudaDataType_t type;
  std::uint64_t rows, columns;
  std::int64_t stride;
  std::size_t place(std::size_t row, std::size_t column) const {
    return column * static_cast<std::size_t>(stride) + row;
  }
};

using Attributes = std::map<int, std::vector<char>>;

template <class Value>
Value attribute(const Attributes& of, int name, Value otherwise) {
  const auto found = of.find(name);
  if (found != of.end()) std::memcpy(&otherwise, found->second.data(), sizeof otherwise);
  return otherwise;
}

// A matrix of `lines` (M or N) by depth (K).
struct Operand {
  const Layout& layout;
  const void* memory;
  bool depth_lies_together;
  const float* scales;
  std::int32_t scaling;
  std::uint64_t depth, lines;

  double at(std::size_t line, std::size_t k) const {
    const auto place = depth_lies_together ? layout.place(k, line) : layout.place(line, k);
    return fake::read(layout.type, memory, place) * scale(line, k);
  }
  // The manual's "Scaling factors layouts".
  double scale(std::size_t line, std::size_t k) const {
    if (scales == nullptr) return 1.0;
    const std::size_t blocks = (depth + 127) / 128, padded = (blocks + 3) / 4 * 4;
    std::size_t place = 0;
    if (scaling == CUBLASLT_MATMUL_MATRIX_SCALE_VEC128_32F) place = k / 128 * lines + line;
    if (scaling == CUBLASLT_MATMUL_MATRIX_SCALE_BLK128x128_32F)
      place = line / 128 * padded + k / 128;
    return static_cast<double>(scales[place]);
  }
};

// One call of cublasLtMatmul().
struct Product {
  const Attributes& operation;
  const Layout &left, &right, &result;
  const void *a, *b;
  const void* c;
  void* d;
  double alpha, beta;

  bool turned(int name) const { return attribute<std::int32_t>(operation, name, 0) == CUBLAS_OP_T; }
  bool left_turned() const { return turned(CUBLASLT_MATMUL_DESC_TRANSA); }
  bool right_turned() const { return turned(CUBLASLT_MATMUL_DESC_TRANSB); }
  std::uint32_t epilogue() const {
    return attribute<std::uint32_t>(operation, CUBLASLT_MATMUL_DESC_EPILOGUE,
                                    CUBLASLT_EPILOGUE_DEFAULT);
  }
  void* vector() const {
    return attribute<void*>(operation, CUBLASLT_MATMUL_DESC_BIAS_POINTER, nullptr);
  }
  void* beside() const {
    return attribute<void*>(operation, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, nullptr);
  }
  std::int64_t stride_beside() const {
    return attribute<std::int64_t>(operation, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, 0);
  }
  std::uint64_t depth() const { return left_turned() ? left.rows : left.columns; }

  Operand left_operand() const {
    return {left,           a,       left_turned(), scales_of(CUBLASLT_MATMUL_DESC_A_SCALE_POINTER),
            left_scaling(), depth(), result.rows};
  }
  Operand right_operand() const {
    return {
        right,           b,       !right_turned(), scales_of(CUBLASLT_MATMUL_DESC_B_SCALE_POINTER),
        right_scaling(), depth(), result.columns};
  }
  const float* scales_of(int name) const {
    return attribute<const float*>(operation, name, nullptr);
  }
  std::int32_t left_scaling() const {
    return attribute<std::int32_t>(operation, CUBLASLT_MATMUL_DESC_A_SCALE_MODE, 0);
  }
  std::int32_t right_scaling() const {
    return attribute<std::int32_t>(operation, CUBLASLT_MATMUL_DESC_B_SCALE_MODE, 0);
  }
  double sum(std::size_t row, std::size_t column) const {
    const Operand rows = left_operand(), columns = right_operand();
    double total = 0.0;
    for (std::size_t k = 0; k < rows.depth; ++k) total += rows.at(row, k) * columns.at(column, k);
    return total;
  }
};

bool sizes_agree(const Product& p);
bool types_are_supported(const Product& p);
bool beside_is_supported(const Product& p);
// Writes the result, and what the epilogue writes beside it.
void carry_out(const Product& p);

}  // namespace quintet::kernels::cuda::fake
