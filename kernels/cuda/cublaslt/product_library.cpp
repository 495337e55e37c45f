#include "kernels/cuda/cublaslt/product_library.h"

#include <stdexcept>

#include "kernels/cuda/cublaslt/cuda_bench.h"

namespace quintet::kernels::cuda {

ProductLibrary::ProductLibrary(const EnvironmentVariables& variables) {
  const std::string wanted = variables("QUINTET_MATRIX_PRODUCT").value_or("measured");
  if (wanted != "measured" && wanted != "guessed" && wanted != "own")
    throw std::runtime_error("QUINTET_MATRIX_PRODUCT is \"" + wanted +
                             "\"; accepted are measured, guessed and own");
  tuning_ = wanted == "measured" ? Tuning::measure : Tuning::first_guess;
  if (wanted == "own") {
    in_words_ = "our own kernel, as QUINTET_MATRIX_PRODUCT wants";
    return;
  }
  library_ = open_cublaslt(library_places(cublaslt_name, variables));
  in_words_ =
      library_.functions
          ? "cuBLASLt " + library_version_text(library_.functions->version()) + ", algorithms " +
                wanted + " (" + library_.place + ")"
          : "our own kernel, slower than cuBLASLt, which cannot be opened: " + library_.why_not;
}

std::unique_ptr<MatrixProduct> ProductLibrary::make_product() {
  if (!library_.functions) return nullptr;
  return std::make_unique<CublasLtProduct>(*library_.functions, cache_, cuda_bench(), tuning_);
}

}  // namespace quintet::kernels::cuda
