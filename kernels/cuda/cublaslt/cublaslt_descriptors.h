// cuBLASLt's descriptors of a product: what it is, how its matrices lie, what may be used for it.
#pragma once

#include <memory>
#include <vector>

#include "kernels/cuda/cublaslt/cublaslt_functions.h"
#include "kernels/cuda/cublaslt/product_shape.h"

namespace quintet::kernels::cuda {

// Throws CudaError with the status in words.
void check(cublasStatus_t status, const char* what);

// A handle of cuBLASLt's with the function that ends it.
template <class Opaque>
using Owned = std::unique_ptr<Opaque, cublasStatus_t (*)(Opaque*)>;

class Descriptors {
 public:
  Descriptors(const CublasLtFunctions& lt, const ProductShape& shape);

  // Memory is no part of the shape: to be told before each call.
  void set(const ProductMemory& memory);

  // The library's guesses, best first; at most `most`. None where it has no such product.
  std::vector<cublasLtMatmulHeuristicResult_t> candidates(cublasLtHandle_t handle, int most,
                                                          std::size_t workspace_bytes);

  // `result` may be another memory than the product's, which is then only read (accumulate).
  cublasStatus_t multiply(cublasLtHandle_t handle, const ProductMemory& memory, void* result,
                          const cublasLtMatmulAlgo_t& algorithm, void* workspace,
                          std::size_t workspace_bytes, cudaStream_t stream);

 private:
  Owned<cublasLtMatrixLayoutOpaque_t> layout(MatrixType type, Index rows, Index columns,
                                             Index stride) const;
  Owned<cublasLtMatrixLayoutOpaque_t> layout(const Factor& factor, Index rows, Index columns) const;
  template <class Value>
  void set(cublasLtMatmulDescAttributes_t attribute, const Value& value);
  void set_epilogue();
  void set_scaling();

  const CublasLtFunctions& lt_;
  ProductShape shape_;
  Owned<cublasLtMatmulDescOpaque_t> operation_;
  Owned<cublasLtMatrixLayoutOpaque_t> left_, right_, result_;
};

}  // namespace quintet::kernels::cuda
