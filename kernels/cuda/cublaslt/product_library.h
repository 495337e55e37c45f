// Whose matrix products a GPU's kernels use: cuBLASLt's where it is found, or our own.
#pragma once

#include <memory>
#include <string>

#include "kernels/cuda/cublaslt/algorithm_cache.h"
#include "kernels/cuda/cublaslt/cublaslt_library.h"
#include "kernels/cuda/cublaslt/cublaslt_product.h"

namespace quintet::kernels::cuda {

class ProductLibrary {
 public:
  // QUINTET_MATRIX_PRODUCT: measured (the default), guessed (always cuBLASLt's first guess, so that
  // runs repeat bit for bit) or own. Throws std::runtime_error on another word.
  explicit ProductLibrary(const EnvironmentVariables& variables);

  // nullptr: our own. The library outlives it.
  std::unique_ptr<MatrixProduct> make_product();
  const std::string& in_words() const { return in_words_; }

 private:
  OpenedCublasLt library_;
  AlgorithmCache cache_;
  Tuning tuning_ = Tuning::measure;
  std::string in_words_;
};

}  // namespace quintet::kernels::cuda
