#include "kernels/cuda/cublaslt/cublaslt_descriptors.h"

#include <string>

#include "kernels/cuda/check.h"

namespace quintet::kernels::cuda {

namespace {

cudaDataType_t data_type(MatrixType type) {
  switch (type) {
    case MatrixType::fp32:
      return CUDA_R_32F;
    case MatrixType::bf16:
      return CUDA_R_16BF;
    case MatrixType::e4m3:
      return CUDA_R_8F_E4M3;
    case MatrixType::e5m2:
      return CUDA_R_8F_E5M2;
  }
  return CUDA_R_32F;
}

cublasOperation_t operation_of(Reading reading) {
  return reading == Reading::transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
}

cublasLtEpilogue_t epilogue_of(Epilogue epilogue) {
  switch (epilogue) {
    case Epilogue::none:
      return CUBLASLT_EPILOGUE_DEFAULT;
    case Epilogue::bias:
      return CUBLASLT_EPILOGUE_BIAS;
    case Epilogue::gelu:
      return CUBLASLT_EPILOGUE_GELU_AUX;
    case Epilogue::gelu_bias:
      return CUBLASLT_EPILOGUE_GELU_AUX_BIAS;
    case Epilogue::gelu_gradient:
      return CUBLASLT_EPILOGUE_DGELU;
    case Epilogue::bias_gradient_of_left:
      return CUBLASLT_EPILOGUE_BGRADA;
    case Epilogue::bias_gradient_of_right:
      return CUBLASLT_EPILOGUE_BGRADB;
  }
  return CUBLASLT_EPILOGUE_DEFAULT;
}

cublasLtMatmulMatrixScale_t scale_mode(Scaling scaling) {
  switch (scaling) {
    case Scaling::none:
    case Scaling::tensor:
      return CUBLASLT_MATMUL_MATRIX_SCALE_SCALAR_32F;
    case Scaling::rows_of_128:
      return CUBLASLT_MATMUL_MATRIX_SCALE_VEC128_32F;
    case Scaling::squares_of_128:
      return CUBLASLT_MATMUL_MATRIX_SCALE_BLK128x128_32F;
  }
  return CUBLASLT_MATMUL_MATRIX_SCALE_SCALAR_32F;
}

Owned<cublasLtMatmulDescOpaque_t> make_operation(const CublasLtFunctions& lt) {
  cublasLtMatmulDesc_t made = nullptr;
  // fp32 is fp32 here: TensorFloat-32 would have to be asked for by another compute type.
  check(lt.operation_create(&made, CUBLAS_COMPUTE_32F, CUDA_R_32F), "a product's description");
  return {made, lt.operation_destroy};
}

class Preference {
 public:
  explicit Preference(const CublasLtFunctions& lt)
      : lt_(lt), made_(nullptr, lt.preference_destroy) {
    cublasLtMatmulPreference_t made = nullptr;
    check(lt.preference_create(&made), "a product's preference");
    made_.reset(made);
  }
  template <class Value>
  void set(cublasLtMatmulPreferenceAttributes_t attribute, const Value& value) {
    check(lt_.preference_set(made_.get(), attribute, &value, sizeof value),
          "a product's preference");
  }
  void set_alignment(cublasLtMatmulPreferenceAttributes_t attribute, const Factor& factor) {
    set(attribute, static_cast<std::uint32_t>(factor.alignment));
  }
  cublasLtMatmulPreference_t get() const { return made_.get(); }

 private:
  const CublasLtFunctions& lt_;
  Owned<cublasLtMatmulPreferenceOpaque_t> made_;
};

Preference preference_for(const CublasLtFunctions& lt, const ProductShape& shape,
                          std::size_t workspace_bytes) {
  Preference made(lt);
  made.set(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, static_cast<std::uint64_t>(workspace_bytes));
  // Parts of a split sum stay in fp32: no reduction in the type of a bf16 result.
  made.set(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK,
           static_cast<std::uint32_t>(CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE));
  made.set_alignment(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, shape.left);
  made.set_alignment(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, shape.right);
  made.set_alignment(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, shape.result);
  made.set_alignment(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, shape.result);
  return made;
}

}  // namespace

void check(cublasStatus_t status, const char* what) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  throw CudaError(std::string("cuBLASLt: ") + what + ": status " +
                  std::to_string(static_cast<int>(status)) + " (cublas_api.h)");
}

Descriptors::Descriptors(const CublasLtFunctions& lt, const ProductShape& shape)
    : lt_(lt),
      shape_(shape),
      operation_(make_operation(lt)),
      left_(layout(shape.left, shape.rows, shape.depth)),
      right_(layout(shape.right, shape.depth, shape.columns)),
      result_(layout(shape.result, shape.rows, shape.columns)) {
  set(CUBLASLT_MATMUL_DESC_TRANSA, static_cast<std::int32_t>(operation_of(shape.left.reading)));
  set(CUBLASLT_MATMUL_DESC_TRANSB, static_cast<std::int32_t>(operation_of(shape.right.reading)));
  set_epilogue();
  set_scaling();
}

template <class Value>
void Descriptors::set(cublasLtMatmulDescAttributes_t attribute, const Value& value) {
  check(lt_.operation_set(operation_.get(), attribute, &value, sizeof value),
        "a product's attribute");
}

void Descriptors::set_epilogue() {
  if (shape_.epilogue == Epilogue::none) return;
  set(CUBLASLT_MATMUL_DESC_EPILOGUE, static_cast<std::uint32_t>(epilogue_of(shape_.epilogue)));
  if (shape_.stride_beside > 0)
    set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, static_cast<std::int64_t>(shape_.stride_beside));
}

void Descriptors::set_scaling() {
  if (shape_.left.scaling == Scaling::none) return;
  set(CUBLASLT_MATMUL_DESC_A_SCALE_MODE,
      static_cast<std::int32_t>(scale_mode(shape_.left.scaling)));
  set(CUBLASLT_MATMUL_DESC_B_SCALE_MODE,
      static_cast<std::int32_t>(scale_mode(shape_.right.scaling)));
}

void Descriptors::set(const ProductMemory& memory) {
  if (memory.vector != nullptr) set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, memory.vector);
  if (memory.beside != nullptr) set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, memory.beside);
  if (memory.left_scales != nullptr) set(CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, memory.left_scales);
  if (memory.right_scales != nullptr)
    set(CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, memory.right_scales);
}

Owned<cublasLtMatrixLayoutOpaque_t> Descriptors::layout(MatrixType type, Index rows, Index columns,
                                                        Index stride) const {
  cublasLtMatrixLayout_t made = nullptr;
  check(lt_.layout_create(&made, data_type(type), static_cast<std::uint64_t>(rows),
                          static_cast<std::uint64_t>(columns), stride),
        "a matrix's layout");
  return {made, lt_.layout_destroy};
}

// As it is stored.
Owned<cublasLtMatrixLayoutOpaque_t> Descriptors::layout(const Factor& factor, Index rows,
                                                        Index columns) const {
  if (factor.reading == Reading::straight) return layout(factor.type, rows, columns, factor.stride);
  return layout(factor.type, columns, rows, factor.stride);
}

std::vector<cublasLtMatmulHeuristicResult_t> Descriptors::candidates(cublasLtHandle_t handle,
                                                                     int most,
                                                                     std::size_t workspace_bytes) {
  const Preference preference = preference_for(lt_, shape_, workspace_bytes);
  std::vector<cublasLtMatmulHeuristicResult_t> found(static_cast<std::size_t>(most));
  int count = 0;
  const cublasStatus_t status =
      lt_.heuristic(handle, operation_.get(), left_.get(), right_.get(), result_.get(),
                    result_.get(), preference.get(), most, found.data(), &count);
  found.resize(status == CUBLAS_STATUS_SUCCESS ? static_cast<std::size_t>(count) : 0);
  std::erase_if(found, [](const auto& one) { return one.state != CUBLAS_STATUS_SUCCESS; });
  return found;
}

cublasStatus_t Descriptors::multiply(cublasLtHandle_t handle, const ProductMemory& memory,
                                     void* result, const cublasLtMatmulAlgo_t& algorithm,
                                     void* workspace, std::size_t workspace_bytes,
                                     cudaStream_t stream) {
  const float alpha = 1.0F;
  const float beta = shape_.write == GradientWrite::accumulate ? 1.0F : 0.0F;
  return lt_.multiply(handle, operation_.get(), &alpha, memory.left, left_.get(), memory.right,
                      right_.get(), &beta, memory.result, result_.get(), result, result_.get(),
                      &algorithm, workspace, workspace_bytes, stream);
}

}  // namespace quintet::kernels::cuda
