#include "engine/operators/float8_math.h"

#include <cassert>

namespace quintet::engine {

using kernels::Float8;
using kernels::Float8Form;
using kernels::QuantiseAs;
using kernels::ScaleBlocks;

namespace {

Float8* codes_in(Buffer& buffer, Index first = 0) {
  return reinterpret_cast<Float8*>(buffer.bytes().data() + first);
}
const Float8* codes_in(const Buffer& buffer, Index first = 0) {
  return reinterpret_cast<const Float8*>(buffer.bytes().data() + first);
}

// Bytes of a rank's rows as they travel.
struct Packing {
  Index codes = 0, scales = 0;
  Index whole() const { return codes + scales; }
};

Index on_lines(Index bytes) {
  constexpr Index line = 16;
  return (bytes + line - 1) / line * line;
}

Packing packing_of(ScaleBlocks blocks, Index rows, Index columns) {
  return {on_lines(rows * columns), on_lines(4 * kernels::scale_count(blocks, rows, columns))};
}

}  // namespace

Float8Form Float8Math::form(Factor factor) const {
  return factor == Factor::gradient ? Float8Form::e5m2 : Float8Form::e4m3;
}

ScaleBlocks Float8Math::blocks(Factor factor) const {
  if (math_.shape().float8->scaling != Float8Scaling::block) return ScaleBlocks::tensor;
  return factor == Factor::weight ? ScaleBlocks::squares_of_128 : ScaleBlocks::rows_of_128;
}

kernels::Float8Matrix Float8Math::matrix(Factor factor, const Float8Codes& made) const {
  assert(!made.codes.empty());
  return {form(factor), blocks(factor), codes_in(made.codes), made.scales.floats()};
}

// The largest value that one scale for all is made for; it is not looked for twice.
void Float8Math::look(const Float8Source& from, Buffer& maximum) {
  if (blocks(from.name.factor) != ScaleBlocks::tensor || !maximum.empty()) return;
  maximum = math_.floats_of(1);
  kernels().absolute_maximum({from.rows * from.columns, from.values, maximum.floats(),
                              maxima_.observed(from.name), maxima_.told(from.name)},
                             math_.stream());
}

void Float8Math::quantise(const Float8Source& from, Turned turned, const float* maximum,
                          Float8* codes, float* scales) {
  const Factor factor = from.name.factor;
  kernels().quantise(
      {form(factor), blocks(factor),
       turned == Turned::yes ? QuantiseAs::transpose : QuantiseAs::it_is, from.rows, from.columns,
       from.values, maximum, codes, scales, kernels::ScaleForm::power_of_two},
      math_.stream());
}

void Float8Math::cast(const Float8Source& from, Turned turned, Float8Operand& made) {
  Float8Codes& codes = turned == Turned::yes ? made.turned : made.straight;
  if (!codes.codes.empty()) return;
  look(from, made.maximum);
  const bool turn = turned == Turned::yes;
  const Index lines = turn ? from.columns : from.rows, depth = turn ? from.rows : from.columns;
  codes.codes = math_.place().make(from.rows * from.columns, DataType::fp8);
  codes.scales = math_.floats_of(kernels::scale_count(blocks(from.name.factor), lines, depth));
  const float* const maximum =
      made.maximum.empty() ? nullptr : std::as_const(made.maximum).floats();
  quantise(from, turned, maximum, codes_in(codes.codes), codes.scales.floats());
}

const Float8Codes& Float8Math::weight(const FactorName& name, const Product& size,
                                      kernels::ConstTensor w, Turned turned) {
  Float8Operand& made = weights_[{name.section, name.product}];
  cast({name, size.in, size.out, w}, turned, made);
  return turned == Turned::yes ? made.turned : made.straight;
}

void Float8Math::product(const FactorName& name, const Product& size, Float8Operand& x,
                         kernels::ConstTensor w, kernels::ConstTensor bias, Buffer& y) {
  const Float8Codes& weights = weight(name, size, w, Turned::yes);
  kernels().float8_gemm({size.rows, size.out, size.in, matrix(Factor::input, x.straight),
                         matrix(Factor::weight, weights), y.at()},
                        math_.stream());
  if (bias.data != nullptr)
    math_.kernels().bias_add({size.rows, size.out, y.at(), bias}, math_.stream());
  x.straight = {};
}

void Float8Math::input_gradient(const FactorName& name, const Product& size, Float8Operand& dy,
                                kernels::ConstTensor w, Buffer& dx) {
  const Float8Codes& weights = weight(name, size, w, Turned::no);
  kernels().float8_gemm({size.rows, size.in, size.out, matrix(Factor::gradient, dy.straight),
                         matrix(Factor::weight, weights), dx.at()},
                        math_.stream());
  dy.straight = {};
}

void Float8Math::weight_gradient(const Product& size, const Float8Operand& x,
                                 const Float8Operand& dy, const GradientPlace& dw) {
  kernels().float8_gemm({size.in, size.out, size.rows, matrix(Factor::input, x.turned),
                         matrix(Factor::gradient, dy.turned), dw.data, dw.write},
                        math_.stream());
}

// --- between ranks

Buffer Float8Math::packed(const Float8Source& share) {
  const Packing part = packing_of(blocks(share.name.factor), share.rows, share.columns);
  Buffer maximum, made = math_.place().make(part.whole(), DataType::fp8);
  look(share, maximum);
  auto* const scales = reinterpret_cast<float*>(made.bytes().data() + part.codes);
  quantise(share, Turned::no, maximum.empty() ? nullptr : maximum.floats(), codes_in(made), scales);
  return made;
}

Buffer Float8Math::unpacked(const FactorName& name, Index rows, Index columns, int parts,
                            const Buffer& packed) {
  const Index share = rows / parts;
  const Packing part = packing_of(blocks(name.factor), share, columns);
  Buffer whole = math_.rows_of(rows, columns);
  for (Index number = 0; number < parts; ++number) {
    const Index first = number * part.whole();
    const auto* const scales =
        reinterpret_cast<const float*>(packed.bytes().data() + first + part.codes);
    kernels().dequantise({share,
                          columns,
                          {form(name.factor), blocks(name.factor), codes_in(packed, first), scales},
                          whole.at(number * share * columns)},
                         math_.stream());
  }
  return whole;
}

// --- as weights change

void Float8Math::forget_weights(int section) {
  std::erase_if(weights_, [section](const auto& each) { return each.first.first == section; });
}

void Float8Math::end_step() {
  weights_.clear();
  if (on()) maxima_.end_step();
}

}  // namespace quintet::engine
