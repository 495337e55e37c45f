// The products with the layers' weights in fp8 by a plan's recipe: operands become codes here
// (e4m3; gradients e5m2), results are bf16, gradients of weights fp32. All scales are powers of two
// (kernels/float8.h, ScaleForm), so that what is gathered in codes can be scaled again.
//
//   y[rows, out] = x w        x as it lies, w turned
//   dx[rows, in] = dy w'      dy and w as they lie
//   dw[in, out] += x' dy      x and dy turned
#pragma once

#include <map>
#include <utility>

#include "engine/operators/buffer_math.h"
#include "engine/parameters/float8_maxima.h"

namespace quintet::engine {

enum class Turned { no, yes };

// A matrix in 16 bits that is to become codes.
struct Float8Source {
  FactorName name;
  Index rows = 0, columns = 0;
  kernels::ConstTensor values;
};

class Float8Math {
 public:
  Float8Math(BufferMath& math, Float8Maxima& maxima) : math_(math), maxima_(maxima) {}

  bool on() const { return math_.shape().float8.has_value(); }

  // Codes that are there already stay.
  void cast(const Float8Source& from, Turned turned, Float8Operand& made);

  // `weight`: as it lies, [in, out]; its codes are made when a step first asks for them. An operand
  // must have been cast as the product wants it. It is left without what lies straight, which
  // nobody needs any more.
  void product(const FactorName& weight, const Product& size, Float8Operand& x,
               kernels::ConstTensor w, kernels::ConstTensor bias, Buffer& y);
  void input_gradient(const FactorName& weight, const Product& size, Float8Operand& dy,
                      kernels::ConstTensor w, Buffer& dx);
  void weight_gradient(const Product& size, const Float8Operand& x, const Float8Operand& dy,
                       const GradientPlace& dw);

  // A rank's rows on their way to the others: codes, then their scales. And the rows of `parts`
  // such ranks, in 16 bits again.
  Buffer packed(const Float8Source& share);
  Buffer unpacked(const FactorName& name, Index rows, Index columns, int parts,
                  const Buffer& packed);

  // Codes of a section's weights: gone with the weights, or as they change.
  void forget_weights(int section);
  void end_step();

 private:
  kernels::Float8Form form(Factor factor) const;
  kernels::ScaleBlocks blocks(Factor factor) const;
  kernels::Float8Matrix matrix(Factor factor, const Float8Codes& codes) const;
  void look(const Float8Source& from, Buffer& maximum);
  void quantise(const Float8Source& from, Turned turned, const float* maximum,
                kernels::Float8* codes, float* scales);
  const Float8Codes& weight(const FactorName& name, const Product& size, kernels::ConstTensor w,
                            Turned turned);
  kernels::Float8Kernels& kernels() { return *math_.kernels().on_float8(); }

  BufferMath& math_;
  Float8Maxima& maxima_;
  std::map<std::pair<int, LayerProduct>, Float8Operand> weights_;
};

}  // namespace quintet::engine
