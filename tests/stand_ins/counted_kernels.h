// Counts what kernels are asked for: how many start on the GPU, and how many bytes they move.
//
// Bytes of an operator are those that its kernels must move once its operands lie in memory: each
// kernel reads every operand once and writes every result once, whatever its blocks read again
// from the cache. A sum that is added to is read and written.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "kernels/kernels.h"

namespace quintet::kernels {

// What a product or attention computes, and the rows of anything else that has rows: what its time
// depends on beside bytes.
struct ProductSize {
  Index rows = 0, columns = 0, depth = 0;
  bool of_weights = false;  // their gradient: a_transposed_b
  auto operator<=>(const ProductSize&) const = default;
};
struct AttentionSize {
  Index sequences = 0, rows = 0, heads = 0, key_heads = 0, head_size = 0;
  auto operator<=>(const AttentionSize&) const = default;
};
struct RowsSize {
  Index rows = 0, width = 0;  // 0: no rows
  auto operator<=>(const RowsSize&) const = default;
};
using CountedSize = std::variant<RowsSize, ProductSize, AttentionSize>;

struct CountedCall {
  std::string name;
  std::int64_t launches = 0;
  double bytes = 0;
  CountedSize size{};
};

// The calls of everybody who was given it, in their order.
struct CallLog {
  std::vector<CountedCall> calls;
  std::int64_t library_launches = 0;  // products of a library, a kernel each
  int depth = 0;                      // an operator that asks for another one counts alone
};

namespace counted {

inline double of(double elements, ElementType type) {
  return elements * (type == ElementType::fp32 ? 4 : 2);
}
template <class AnyTensor>
double of(Index rows, Index columns, const AnyTensor& tensor) {
  if (tensor.data == nullptr) return 0;
  return of(static_cast<double>(rows) * static_cast<double>(columns), tensor.type);
}
inline double floats(Index count) {
  return 4.0 * static_cast<double>(count);
}

inline double bytes(const Gemm& a) {
  const double written = of(a.rows, a.columns, a.c);
  return of(a.rows, a.depth, a.a) + of(a.depth, a.columns, a.b) + of(1, a.columns, a.bias) +
         (a.write == GradientWrite::accumulate ? 2 * written : written);
}
inline double bytes(const GemmGelu& a) {
  return bytes(a.product) + of(a.product.rows, a.product.columns, a.before);
}
inline double bytes(const GemmGeluBackward& a) {
  return bytes(a.product) + of(a.product.rows, a.product.columns, a.before);
}
// The library writes the bias gradient, and another kernel adds it.
inline double bytes(const GemmBiasGradient& a) {
  return bytes(a.product) + 4 * floats(bias_length(a));
}
inline double bytes(const BiasAdd& a) {
  return 2 * of(a.rows, a.columns, a.values) + of(1, a.columns, a.bias);
}

template <class Norm>
double norm_bytes(const Norm& a, int statistics) {
  return of(a.rows, a.width, a.input) + of(a.rows, a.width, a.residual) +
         of(a.rows, a.width, a.sum) + of(1, a.width, a.weight) + of(a.rows, a.width, a.output) +
         statistics * floats(a.rows);
}
inline double bytes(const LayerNormForward& a) {
  return norm_bytes(a, 2) + of(1, a.width, a.bias);
}
inline double bytes(const RmsNormForward& a) {
  return norm_bytes(a, 1);
}
// The sums of each block of rows go through memory (kernels/cuda/tile/norm_gradient.h).
template <class Gradient>
double norm_gradient_bytes(const Gradient& a, int statistics, int sums) {
  const auto& by = a.input;
  const Index rows_per_block = std::clamp<Index>(by.rows / 1024, 16, 64);
  const Index blocks = (by.rows + rows_per_block - 1) / rows_per_block;
  return of(by.rows, by.width, by.output_gradient) + of(by.rows, by.width, by.residual_gradient) +
         of(by.rows, by.width, by.input) + of(1, by.width, by.weight) +
         of(by.rows, by.width, by.input_gradient) + statistics * floats(by.rows) +
         2 * floats(blocks * sums * by.width) + 2 * floats(sums * by.width);
}
inline double bytes(const LayerNormGradient& a) {
  return norm_gradient_bytes(a, 2, 2);
}
inline double bytes(const RmsNormGradient& a) {
  return norm_gradient_bytes(a, 1, 1);
}

inline double bytes(const Rotary& a) {
  const Index width = a.heads * a.head_size;
  return of(a.rows, width, a.input) + of(a.rows, width, a.output) + floats(a.rows * a.head_size);
}
inline double bytes(const SwigluForward& a) {
  return of(a.rows, 2 * a.width, a.gate) + of(a.rows, a.width, a.output);
}
inline double bytes(const SwigluBackward& a) {
  return of(a.rows, 2 * a.width, a.gate) + of(a.rows, a.width, a.output_gradient) +
         of(a.rows, 2 * a.width, a.gate_gradient);
}
inline double bytes(const ResidualAdd& a) {
  return 3 * of(1, a.count, a.output);
}
inline double bytes(const BiasGradient& a) {
  return of(a.rows, a.columns, a.output_gradient) + 2 * floats(a.columns);
}

struct AttentionBytes {
  double queries, keys, per_row;  // of one matrix of queries, or of keys; of a number for each row
  explicit AttentionBytes(const AttentionLayout& s, ElementType type)
      : queries(of(static_cast<double>(s.query_rows * s.query_heads * s.head_size), type)),
        keys(of(static_cast<double>(s.key_rows * s.key_heads * s.head_size), type)),
        per_row(floats(s.query_rows * s.query_heads)) {}
};
inline double bytes(const AttentionForward& a) {
  const AttentionBytes of_one(a.shape, a.query.type);
  return 2 * of_one.queries + 2 * of_one.keys + of_one.per_row;
}
// Our own three kernels (kernels/cuda/attention/attention_backward.cu): statistics of the rows, the
// gradients of keys and values, those of the queries.
inline double bytes(const AttentionBackward& a) {
  const AttentionBytes of_one(a.shape, a.query.type);
  const double operands = 2 * of_one.queries + 2 * of_one.keys + 2 * of_one.per_row;
  return 2 * of_one.queries + 3 * of_one.per_row + operands + 2 * of_one.keys + operands +
         of_one.queries;
}

// What stands before the first layer and after the last.

inline double bytes(const EmbeddingForward& a) {
  const int tables = 1 + (a.position_table.data != nullptr) + (a.type_table.data != nullptr);
  return tables * (of(a.rows, a.width, a.token_table) + floats(a.rows)) +
         of(a.rows, a.width, a.output);
}
// As if no two rows went to one of the table's: each is read, and a sum read and written.
inline double bytes(const EmbeddingGradient& a) {
  const int tables = (a.token_gradient != nullptr) + (a.position_gradient != nullptr) +
                     (a.type_gradient != nullptr);
  return tables * (of(a.rows, a.width, a.output_gradient) + 2 * floats(a.rows * a.width));
}
// The row that a block keeps is read and written once (kernels/cuda/operators/cross_entropy.cu), a
// longer one is read in each of three passes.
inline double bytes(const CrossEntropy& a) {
  constexpr double kept_row = (98 << 10) | 512;
  const double row = of(1, a.rows.shard_size, a.rows.logits);
  return static_cast<double>(a.rows.rows) * (row <= kept_row ? 2 : 4) * row +
         2 * floats(a.rows.rows);
}
inline double bytes(const SquaredNorm& a) {
  double sum = 0;
  for (const ConstStretch& each : a.stretches) sum += of(1, each.count, each.values);
  return sum;
}
// Weights and both moments are read and written, the working copy is written.
inline double bytes(const Adamw& a) {
  double sum = 0;
  for (const ParameterStretch& each : a.stretches)
    sum += 6 * floats(each.count) + of(1, each.count, each.gradient) +
           of(1, each.count, each.working_copy);
  return sum;
}

// Counts nothing for what none of our models' steps asks for, and for what works on a few numbers.
template <class Other>
double bytes(const Other&) {
  return 0;
}

inline CountedSize size(const Gemm& a) {
  return ProductSize{a.rows, a.columns, a.depth, a.form == GemmForm::a_transposed_b};
}
inline CountedSize size(const GemmGelu& a) {
  return size(a.product);
}
inline CountedSize size(const GemmGeluBackward& a) {
  return size(a.product);
}
inline CountedSize size(const GemmBiasGradient& a) {
  return size(a.product);
}
inline CountedSize size(const AttentionLayout& a) {
  return AttentionSize{a.sequences, a.query_rows, a.query_heads, a.key_heads, a.head_size};
}
inline CountedSize size(const AttentionForward& a) {
  return size(a.shape);
}
inline CountedSize size(const AttentionBackward& a) {
  return size(a.shape);
}
inline CountedSize size(const LayerNormForward& a) {
  return RowsSize{a.rows, a.width};
}
inline CountedSize size(const RmsNormForward& a) {
  return RowsSize{a.rows, a.width};
}
inline CountedSize size(const LayerNormGradient& a) {
  return RowsSize{a.input.rows, a.input.width};
}
inline CountedSize size(const RmsNormGradient& a) {
  return RowsSize{a.input.rows, a.input.width};
}
inline CountedSize size(const CrossEntropy& a) {
  return RowsSize{a.rows.rows, a.rows.shard_size};
}
template <class Other>
CountedSize size(const Other&) {
  return RowsSize{};
}

}  // namespace counted

// Does nothing, so that only sizes matter.
class NoKernels : public Kernels {
 public:
#define QUINTET_OPERATOR(name, Arguments) \
  void name(const Arguments&, Stream&) override {}
#include "kernels/operators.inc"
#undef QUINTET_OPERATOR
  bool fuses_products() const override {
    return true;
  }
  void gemm_gelu(const GemmGelu&, Stream&) override {}
  void gemm_gelu_backward(const GemmGeluBackward&, Stream&) override {}
  void gemm_bias_gradient(const GemmBiasGradient&, Stream&) override {}
  void layer_norm_gradient(const LayerNormGradient&, Stream&) override {}
  void rms_norm_gradient(const RmsNormGradient&, Stream&) override {}
};

// `Launches`: a function that says how many kernels have started so far.
template <class Implementation, class Launches>
class CountedKernels : public Implementation {
 public:
  template <class... Arguments>
  CountedKernels(CallLog& log, Launches launches, Arguments&&... arguments)
      : Implementation(std::forward<Arguments>(arguments)...), log_(log), launches_(launches) {}

#define QUINTET_OPERATOR(name, Arguments)                                       \
  void name(const Arguments& a, Stream& stream) override {                      \
    const Counted call(*this, {#name, 0, counted::bytes(a), counted::size(a)}); \
    Implementation::name(a, stream);                                            \
  }
#include "kernels/operators.inc"
  QUINTET_OPERATOR(gemm_gelu, GemmGelu)
  QUINTET_OPERATOR(gemm_gelu_backward, GemmGeluBackward)
  QUINTET_OPERATOR(gemm_bias_gradient, GemmBiasGradient)
  QUINTET_OPERATOR(layer_norm_gradient, LayerNormGradient)
  QUINTET_OPERATOR(rms_norm_gradient, RmsNormGradient)
#undef QUINTET_OPERATOR

 private:
  class Counted {
   public:
    Counted(CountedKernels& kernels, CountedCall call)
        : kernels_(kernels), call_(std::move(call)), before_(kernels.launches_()) {
      ++kernels_.log_.depth;
    }
    Counted(const Counted&) = delete;
    Counted& operator=(const Counted&) = delete;
    ~Counted() {
      call_.launches = kernels_.launches_() - before_;
      if (--kernels_.log_.depth == 0) kernels_.log_.calls.push_back(std::move(call_));
    }

   private:
    CountedKernels& kernels_;
    CountedCall call_;
    std::int64_t before_;
  };

  CallLog& log_;
  Launches launches_;
};

}  // namespace quintet::kernels
