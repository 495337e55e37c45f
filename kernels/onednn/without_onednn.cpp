// In a build that found no oneDNN.
#include "kernels/cpu/matrix_product.h"
#include "kernels/kernels.h"

namespace quintet::kernels {

std::unique_ptr<Kernels> onednn_kernels(int) {
  return nullptr;
}

std::unique_ptr<CpuMatrixProduct> bf16_product() {
  return nullptr;
}

}  // namespace quintet::kernels
