// The functions of cuBLASLt that we call, from the library that is opened when a GPU is, or from a
// test's stand-in.
#pragma once

#include <cublasLt.h>

#include <cstddef>

namespace quintet::kernels::cuda {

struct CublasLtFunctions {
  decltype(&cublasLtGetVersion) version = nullptr;
  decltype(&cublasLtCreate) create = nullptr;
  decltype(&cublasLtDestroy) destroy = nullptr;
  decltype(&cublasLtMatmulDescCreate) operation_create = nullptr;
  decltype(&cublasLtMatmulDescDestroy) operation_destroy = nullptr;
  decltype(&cublasLtMatmulDescSetAttribute) operation_set = nullptr;
  decltype(&cublasLtMatrixLayoutCreate) layout_create = nullptr;
  decltype(&cublasLtMatrixLayoutDestroy) layout_destroy = nullptr;
  decltype(&cublasLtMatmulPreferenceCreate) preference_create = nullptr;
  decltype(&cublasLtMatmulPreferenceDestroy) preference_destroy = nullptr;
  decltype(&cublasLtMatmulPreferenceSetAttribute) preference_set = nullptr;
  decltype(&cublasLtMatmulAlgoGetHeuristic) heuristic = nullptr;
  decltype(&cublasLtMatmul) multiply = nullptr;
};

}  // namespace quintet::kernels::cuda
