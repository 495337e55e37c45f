// The emulated GPU's kernels whose products cuBLASLt's stand-in makes.
#include "kernels/cuda/cuda_kernels.h"
#include "tests/kernels/support.h"

namespace quintet::kernels {

namespace cuda {
std::unique_ptr<MatrixProduct> product_on_fake();
}

std::vector<Implementation> implementations() {
  return {{"cublaslt_on_fake",
           [] { return std::make_unique<cuda::CudaKernels>(cuda::product_on_fake()); }, Sums::any}};
}

}  // namespace quintet::kernels
