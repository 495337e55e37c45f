// A product as a library sees it that keeps matrices by columns (cuBLASLt). A row-major matrix read
// by columns is its transpose, so c = a b becomes c' = b' a': our b is its left factor, our a its
// right, our columns its rows. Everything that decides which of the library's algorithms can run,
// and which is fastest, is in the shape; the shape is the key of what is kept.
#pragma once

#include <compare>
#include <optional>

#include "kernels/float8.h"
#include "kernels/fused_gemm.h"

namespace quintet::kernels::cuda {

enum class MatrixType { fp32, bf16, e4m3, e5m2 };
enum class Reading { straight, transposed };
enum class Scaling { none, tensor, rows_of_128, squares_of_128 };

enum class Epilogue {
  none,
  bias,
  gelu,       // result = gelu(product), product kept beside it
  gelu_bias,  // the same of product + bias
  gelu_gradient,
  bias_gradient_of_left,
  bias_gradient_of_right,
};

struct Factor {
  MatrixType type = MatrixType::fp32;
  Reading reading = Reading::straight;
  Index stride = 0;   // from one stored column to the next
  int alignment = 1;  // of the memory: the largest power of two up to 256 that divides the address
  Scaling scaling = Scaling::none;
  auto operator<=>(const Factor&) const = default;
};

struct ProductShape {
  Index rows = 0, columns = 0, depth = 0;  // of the result by columns
  Factor left{}, right{}, result{};
  Epilogue epilogue = Epilogue::none;
  Index stride_beside = 0;
  int vector_alignment = 1, alignment_beside = 1;
  GradientWrite write = GradientWrite::overwrite;
  auto operator<=>(const ProductShape&) const = default;
};

struct ProductMemory {
  const void* left = nullptr;
  const void* right = nullptr;
  void* result = nullptr;
  const void* vector = nullptr;  // the bias, or where its gradient goes
  const void* beside = nullptr;  // what the activation was given
  const float* left_scales = nullptr;
  const float* right_scales = nullptr;
};

struct LibraryProduct {
  ProductShape shape{};
  ProductMemory memory{};
};

std::size_t element_bytes(MatrixType type);
// From the result's first byte to its last.
std::size_t result_bytes(const ProductShape& shape);

// Nothing where the library has no such product: cuBLASLt's manual, "cublasLtMatmul()", tables of
// types, and "cublasLtEpilogue_t". Its gelu is the hyperbolic one, its bias has the type of the
// result, the matrix kept beside a gelu has rows of 8 elements' multiple. Its 8-bit factors lie
// along depth in 16 bytes' multiple, are not both e5m2, and have both one scale or both blocks, of
// which one at most are squares.
std::optional<LibraryProduct> library_product(const Gemm& g);
std::optional<LibraryProduct> library_product(const GemmGelu& a);
std::optional<LibraryProduct> library_product(const GemmGeluBackward& a);
std::optional<LibraryProduct> library_product(const GemmBiasGradient& a);
std::optional<LibraryProduct> library_product(const Float8Gemm& g);

}  // namespace quintet::kernels::cuda
