// libcublasLt is half a gigabyte, and the module works without.
#pragma once

#include "kernels/cuda/cublaslt/cublaslt_functions.h"
#include "kernels/library_places.h"
#include "kernels/open_library.h"

namespace quintet::kernels::cuda {

inline constexpr LibraryName cublaslt_name{"libcublasLt.so.13", "QUINTET_CUBLASLT_LIBRARY",
                                           "cublas"};

using OpenedCublasLt = OpenedLibrary<CublasLtFunctions>;

// cuBLASLt 13 or later.
OpenedCublasLt open_cublaslt(const std::vector<std::string>& places);

}  // namespace quintet::kernels::cuda
