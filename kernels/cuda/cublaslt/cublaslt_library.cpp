#include "kernels/cuda/cublaslt/cublaslt_library.h"

namespace quintet::kernels::cuda {

OpenedCublasLt open_cublaslt(const std::vector<std::string>& places) {
  const auto find_all = [](Symbols& library, CublasLtFunctions& lt) {
    library.find("cublasLtGetVersion", lt.version);
    library.find("cublasLtCreate", lt.create);
    library.find("cublasLtDestroy", lt.destroy);
    library.find("cublasLtMatmulDescCreate", lt.operation_create);
    library.find("cublasLtMatmulDescDestroy", lt.operation_destroy);
    library.find("cublasLtMatmulDescSetAttribute", lt.operation_set);
    library.find("cublasLtMatrixLayoutCreate", lt.layout_create);
    library.find("cublasLtMatrixLayoutDestroy", lt.layout_destroy);
    library.find("cublasLtMatmulPreferenceCreate", lt.preference_create);
    library.find("cublasLtMatmulPreferenceDestroy", lt.preference_destroy);
    library.find("cublasLtMatmulPreferenceSetAttribute", lt.preference_set);
    library.find("cublasLtMatmulAlgoGetHeuristic", lt.heuristic);
    library.find("cublasLtMatmul", lt.multiply);
  };
  return open_library<CublasLtFunctions>(places, {"cuBLASLt", 130000}, find_all);
}

}  // namespace quintet::kernels::cuda
