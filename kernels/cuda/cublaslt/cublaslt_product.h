// Matrix products by cuBLASLt, its algorithm chosen per shape.
//
// On a shape's first use outside of a stream capture up to 8 of the library's guesses are run: each
// once untimed, so that its code is loaded and what fits into the cache lies there, then 3 times
// timed, of which the fastest counts; the fastest algorithm stays. So small operands are measured
// warm, as they come from the operator before; operands larger than the cache are cold by
// themselves. Which algorithm wins may differ from run to run, and with it the last bits of a
// result; `Tuning::first_guess` gives the same algorithm every time. While a stream is captured,
// nothing can be timed: what was chosen before is used, or the library's first guess.
#pragma once

#include <map>
#include <memory>
#include <set>

#include "kernels/cuda/cublaslt/algorithm_cache.h"
#include "kernels/cuda/cublaslt/cublaslt_descriptors.h"
#include "kernels/cuda/cublaslt/product_bench.h"
#include "kernels/cuda/matrix_product.h"

namespace quintet::kernels::cuda {

enum class Tuning { measure, first_guess };

class CublasLtProduct : public MatrixProduct {
 public:
  static constexpr int most_guesses = 8;
  static constexpr int timed_runs = 3;

  // Functions and cache outlive the product.
  CublasLtProduct(const CublasLtFunctions& lt, AlgorithmCache& cache,
                  std::unique_ptr<ProductBench> bench, Tuning tuning = Tuning::measure);
  ~CublasLtProduct() override;

  bool multiply(const Gemm& g, const Stream& s) override { return run(library_product(g), s); }
  bool multiply(const GemmGelu& g, const Stream& s) override { return run(library_product(g), s); }
  bool multiply(const GemmGeluBackward& g, const Stream& s) override {
    return run(library_product(g), s);
  }
  bool multiply(const GemmBiasGradient& g, const Stream& s) override {
    return run(library_product(g), s);
  }
  bool multiply(const Float8Gemm& g, const Stream& s) override {
    return run(library_product(g), s);
  }

 private:
  using Guesses = std::vector<cublasLtMatmulHeuristicResult_t>;
  struct Multiplication;

  bool run(const std::optional<LibraryProduct>& product, const Stream& stream);
  Descriptors& descriptors_of(const ProductShape& shape);
  std::optional<ProductAlgorithm> choose(const Multiplication& task);
  std::optional<ProductAlgorithm> fastest(const Multiplication& task, const Guesses& guesses);
  std::optional<double> seconds_of(const Multiplication& task, const ProductAlgorithm& algorithm,
                                   void* result);

  const CublasLtFunctions& lt_;
  AlgorithmCache& cache_;
  std::unique_ptr<ProductBench> bench_;
  Tuning tuning_;
  Owned<cublasLtContext> handle_;
  std::map<ProductShape, Descriptors> descriptors_;
  std::set<ProductShape> impossible_;
};

}  // namespace quintet::kernels::cuda
