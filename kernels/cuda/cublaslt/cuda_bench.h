// The bench of a real GPU.
#pragma once

#include <memory>

#include "kernels/cuda/cublaslt/product_bench.h"

namespace quintet::kernels::cuda {

std::unique_ptr<ProductBench> cuda_bench();

}  // namespace quintet::kernels::cuda
