// The algorithms chosen so far, per shape; one for all streams of a device, so that ranks that
// share a device share the choice and its bits.
#pragma once

#include <map>
#include <mutex>
#include <optional>

#include "kernels/cuda/cublaslt/cublaslt_functions.h"
#include "kernels/cuda/cublaslt/product_shape.h"

namespace quintet::kernels::cuda {

enum class Choice {
  guessed,   // the library's best guess: nothing had been measured yet
  measured,  // the fastest of its guesses here
};

struct ProductAlgorithm {
  cublasLtMatmulAlgo_t algorithm{};
  std::size_t workspace_bytes = 0;
  Choice by = Choice::guessed;
};

class AlgorithmCache {
 public:
  std::optional<ProductAlgorithm> find(const ProductShape& shape) const {
    const std::lock_guard lock(mutex_);
    const auto found = algorithms_.find(shape);
    return found == algorithms_.end() ? std::nullopt : std::optional(found->second);
  }
  void keep(const ProductShape& shape, const ProductAlgorithm& algorithm) {
    const std::lock_guard lock(mutex_);
    algorithms_.insert_or_assign(shape, algorithm);
  }

 private:
  mutable std::mutex mutex_;
  std::map<ProductShape, ProductAlgorithm> algorithms_;
};

}  // namespace quintet::kernels::cuda
