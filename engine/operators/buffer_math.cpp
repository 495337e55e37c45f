#include "engine/operators/buffer_math.h"

namespace quintet::engine {

using kernels::Gemm;
using kernels::GemmForm;
using kernels::GradientWrite;
using kernels::OutputGradient;

namespace {

Gemm forward_product(const Product& size, const Buffer& x, kernels::ConstTensor w,
                     kernels::ConstTensor bias) {
  Gemm gemm;
  gemm.form = GemmForm::a_b;
  gemm.rows = size.rows;
  gemm.columns = size.out;
  gemm.depth = size.in;
  gemm.a = x.at();
  gemm.b = w;
  gemm.bias = bias;
  return gemm;
}

Gemm backward_product(const Product& size, const Buffer& dy, kernels::ConstTensor w, Buffer& dx) {
  Gemm gemm;
  gemm.form = GemmForm::a_b_transposed;
  gemm.rows = size.rows;
  gemm.columns = size.in;
  gemm.depth = size.out;
  gemm.a = dy.at();
  gemm.b = w;
  gemm.c = dx.at();
  return gemm;
}

}  // namespace

void BufferMath::product(const Product& size, const Buffer& x, kernels::ConstTensor w,
                         kernels::ConstTensor bias, Buffer& y) {
  Gemm gemm = forward_product(size, x, w, bias);
  gemm.c = y.at();
  kernels().gemm(gemm, stream());
}

void BufferMath::product_with_gelu(const Product& size, const Buffer& x, kernels::ConstTensor w,
                                   kernels::ConstTensor bias, Buffer& y, Buffer& activated) {
  Gemm gemm = forward_product(size, x, w, bias);
  gemm.c = activated.at();
  kernels().gemm_gelu({gemm, gelu(), y.at()}, stream());
}

void BufferMath::input_gradient(const Product& size, const Buffer& dy, kernels::ConstTensor w,
                                Buffer& dx) {
  kernels().gemm(backward_product(size, dy, w, dx), stream());
}

void BufferMath::input_gradient_with_gelu(const Product& size, const Buffer& dy,
                                          kernels::ConstTensor w, const Buffer& before,
                                          Buffer& dx) {
  kernels().gemm_gelu_backward({backward_product(size, dy, w, dx), gelu(), before.at()}, stream());
}

void BufferMath::weight_gradient(const Product& size, const Buffer& x, const Buffer& dy,
                                 const GradientPlace& dw, float* db) {
  Gemm gemm;
  gemm.form = GemmForm::a_transposed_b;
  gemm.rows = size.in;
  gemm.columns = size.out;
  gemm.depth = size.rows;
  gemm.a = x.at();
  gemm.b = dy.at();
  gemm.c = dw.data;
  gemm.write = dw.write;
  if (db != nullptr) return kernels().gemm_bias_gradient({gemm, OutputGradient::b, db}, stream());
  kernels().gemm(gemm, stream());
}

void BufferMath::bias_gradient(Index rows, Index columns, const Buffer& dy, float* db) {
  kernels().bias_gradient({rows, columns, dy.at(), db, GradientWrite::accumulate}, stream());
}

void BufferMath::norm(const NormWeights& which, NormState& state, Buffer& output, PendingSum* sum) {
  const Index rows = shape_.share();
  kernels::ConstTensor input, residual;
  kernels::Tensor made;
  if (sum != nullptr && !sum->empty()) {
    state.input = rows_of(rows, shape_.hidden());
    input = std::as_const(sum->addend).at();
    residual = sum->base->at();
    made = state.input.at();
  } else {
    input = std::as_const(state.input).at();
  }
  state.inverse_deviation = floats_of(rows);
  output = rows_of(rows, shape_.hidden());
  const kernels::ConstTensor weight = weights_.weight(which.section, which.weight);
  if (shape_.model.norm == NormKind::rms_norm) {
    kernels().rms_norm_forward(
        {rows, shape_.hidden(), shape_.numerics.norm_epsilon, input, residual, made, weight,
         output.at(), state.inverse_deviation.floats()},
        stream());
    if (sum != nullptr) *sum = {};
    return;
  }
  state.mean = floats_of(rows);
  kernels().layer_norm_forward(
      {rows, shape_.hidden(), shape_.numerics.norm_epsilon, input, residual, made, weight,
       weights_.weight(which.section, which.bias()), output.at(), state.mean.floats(),
       state.inverse_deviation.floats()},
      stream());
  if (sum != nullptr) *sum = {};
}

void BufferMath::norm_gradient(const NormWeights& which, const NormState& state, Buffer& gradient,
                               kernels::ConstTensor past) {
  const Index rows = shape_.share(), width = shape_.hidden();
  const kernels::ConstTensor input = state.input.at(), dy = std::as_const(gradient).at();
  const kernels::ConstTensor weight = weights_.weight(which.section, which.weight);
  float* const dw = weights_.gradient(which.section, which.weight);
  const float* const inverse = state.inverse_deviation.floats();
  constexpr auto accumulate = GradientWrite::accumulate;
  if (shape_.model.norm == NormKind::rms_norm) {
    kernels().rms_norm_gradient(
        {{rows, width, dy, past, input, weight, inverse, gradient.at(), {}, {}},
         {rows, width, dy, input, inverse, dw, accumulate, {}, {}}},
        stream());
    return;
  }
  const float* const mean = state.mean.floats();
  kernels().layer_norm_gradient(
      {{rows, width, dy, past, input, weight, mean, inverse, gradient.at()},
       {rows, width, dy, input, mean, inverse, dw, weights_.gradient(which.section, which.bias()),
        accumulate}},
      stream());
}

void BufferMath::drop(const Dropped& where, const Buffer& from, Buffer& to) {
  if (to.empty()) to = place_.make(from.count(), from.type());
  kernels::Dropout dropout;
  dropout.probability = static_cast<float>(shape_.model.dropout);
  dropout.seed = shape_.dropout_seed;
  dropout.draw = draw_of(where.place, where.layer);
  dropout.rows = shape_.share();
  dropout.width = shape_.hidden();
  dropout.first_row = rows_before(where.batch) + shape_.first_row();
  dropout.input = from.at();
  dropout.output = to.at();
  kernels().dropout(dropout, stream());
}

void BufferMath::add(const Buffer& left, const Buffer& right, Buffer& sum) {
  if (sum.empty()) sum = place_.make(left.count(), left.type());
  kernels().residual_add({left.count(), left.at(), right.at(), sum.at()}, stream());
}

Buffer part_alone(Workplace& place, const Buffer& whole, int part, int parts) {
  const Index count = whole.count() / parts;
  Buffer alone = place.make(count, whole.type());
  const auto from = whole.bytes(part * count, count);
  place.copy(alone.bytes().data(), from.data(), from.size());
  return alone;
}

Buffer part_in_whole(Workplace& place, const Buffer& part, int number, int parts) {
  Buffer whole = place.make(part.count() * parts, part.type());
  const auto to = whole.bytes(number * part.count(), part.count());
  place.copy(to.data(), part.bytes().data(), to.size());
  return whole;
}

}  // namespace quintet::engine
