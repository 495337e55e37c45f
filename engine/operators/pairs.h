// Pairs of instructions that a body holds together, so that a kernel that does both in one pass
// (kernels/fused_gemm.h) may do so at the first of them; the second then finds its work done. They
// stay two instructions of the program, B and W stay apart, and each has its span: a device's times
// show the pair's at the first.
#pragma once

#include "sim/program/program.h"

namespace quintet::engine {

struct Pairs {
  bool activation = false;           // an MLP's first product, or BERT's dense one, and its GELU
  bool activation_gradient = false;  // B of the MLP's second product, and the GELU's
  bool bias_gradients = false;       // W of each product with a bias, and the bias's sum
};

Pairs pairs_of(const Body& body);

}  // namespace quintet::engine
