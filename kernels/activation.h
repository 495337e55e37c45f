// GELU (https://arxiv.org/abs/1606.08415) and SwiGLU (https://arxiv.org/abs/2002.05202).
#pragma once

#include "kernels/types.h"

namespace quintet::kernels {

enum class GeluForm {
  error_function,  // x Phi(x): BERT
  hyperbolic,      // x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))): GPT-2
};

struct GeluForward {
  GeluForm form = GeluForm::hyperbolic;
  Index count = 0;
  ConstTensor input{};
  Tensor output{};
};

struct GeluBackward {
  GeluForm form = GeluForm::hyperbolic;
  Index count = 0;
  ConstTensor input{};
  ConstTensor output_gradient{};
  Tensor input_gradient{};  // may be the memory of output_gradient
};

// output = gate / (1 + exp(-gate)) * up. The strides let gate and up be halves of one matrix.
struct SwigluForward {
  Index rows = 0;
  Index width = 0;
  Index input_stride = 0;  // of gate and up; 0: width
  ConstTensor gate{};
  ConstTensor up{};
  Tensor output{};  // [rows, width]
};

struct SwigluBackward {
  Index rows = 0;
  Index width = 0;
  Index input_stride = 0;  // of gate and up and of their gradients; 0: width
  ConstTensor gate{};
  ConstTensor up{};
  ConstTensor output_gradient{};
  Tensor gate_gradient{};  // may be the memory of gate
  Tensor up_gradient{};    // may be the memory of up
};

}  // namespace quintet::kernels
