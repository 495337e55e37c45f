// What moments are in memory as what a checkpoint stores of them: fp32 or bf16.
#pragma once

#include "engine/files/storage/stored_type.h"
#include "kernels/types.h"
#include "sim/base/data_type.h"

namespace quintet::engine {

inline StoredType stored_type(kernels::ElementType type) {
  return type == kernels::ElementType::bf16 ? StoredType::bf16 : StoredType::fp32;
}

inline DataType data_type(kernels::ElementType type) {
  return type == kernels::ElementType::bf16 ? DataType::bf16 : DataType::fp32;
}

// work(Element*) with where the tensor lies.
template <class Work>
void with_elements(const kernels::Tensor& tensor, const Work& work) {
  if (tensor.type == kernels::ElementType::bf16)
    work(static_cast<kernels::Bfloat16*>(tensor.data));
  else
    work(static_cast<float*>(tensor.data));
}

}  // namespace quintet::engine
