// Products, norms and sums as the layers' operators use them, over one implementation of kernels.
#pragma once

#include "engine/device/workplace.h"
#include "engine/operators/activation_states.h"
#include "engine/operators/rank_shape.h"
#include "engine/operators/step_batches.h"
#include "engine/parameters/weight_store.h"
#include "kernels/kernels.h"

namespace quintet::engine {

// y[rows, out] = x[rows, in] w[in, out]
struct Product {
  Index rows = 0, in = 0, out = 0;
};

struct NormWeights {
  int section = 0;
  Weight weight = Weight::attention_norm;
  Weight bias() const { return static_cast<Weight>(static_cast<int>(weight) + 1); }
};

// What is dropped; each layer's places draw other random numbers.
enum class DropPlace : std::uint64_t { attention_scores, attention_output, mlp_output, embedding };

struct Dropped {
  DropPlace place = DropPlace::embedding;
  int layer = -1;
  const PlacedBatch& batch;
};

inline std::uint64_t draw_of(DropPlace place, int layer) {
  return static_cast<std::uint64_t>(layer + 1) * 4 + static_cast<std::uint64_t>(place);
}

// Rows of all sequences since training began that come before a batch's: what is dropped where
// depends on it, whatever ranks and micro-batches the sequences are spread over.
inline Index rows_before(const PlacedBatch& batch) {
  return batch.host->first_sequence * batch.host->length;
}

class BufferMath {
 public:
  BufferMath(Workplace& place, const RankShape& shape, WeightStore& weights)
      : place_(place), shape_(shape), weights_(weights) {}

  Workplace& place() { return place_; }
  kernels::Kernels& kernels() { return place_.kernels(); }
  kernels::Stream& stream() { return place_.stream(); }
  WeightStore& weights() { return weights_; }
  const RankShape& shape() const { return shape_; }
  Buffer rows_of(Index rows, Index width) { return place_.make(rows * width, shape_.type); }
  Buffer floats_of(Index count) { return place_.make(count, DataType::fp32); }
  Buffer doubles_of(Index count) { return place_.make(2 * count, DataType::fp32); }

  void product(const Product& size, const Buffer& x, kernels::ConstTensor w,
               kernels::ConstTensor bias, Buffer& y);
  void input_gradient(const Product& size, const Buffer& dy, kernels::ConstTensor w, Buffer& dx);
  // With `db`, the bias's gradient too.
  void weight_gradient(const Product& size, const Buffer& x, const Buffer& dy,
                       const GradientPlace& dw, float* db = nullptr);
  void bias_gradient(Index rows, Index columns, const Buffer& dy, float* db);
  // Products with the model's GELU in one pass: gelu(y), and dx through the GELU of `before`.
  void product_with_gelu(const Product& size, const Buffer& x, kernels::ConstTensor w,
                         kernels::ConstTensor bias, Buffer& y, Buffer& activated);
  void input_gradient_with_gelu(const Product& size, const Buffer& dy, kernels::ConstTensor w,
                                const Buffer& before, Buffer& dx);
  kernels::GeluForm gelu() const {
    const bool bert = shape_.model.family == ModelFamily::bert;
    return shape_.numerics.gelu.value_or(bert ? kernels::GeluForm::error_function
                                              : kernels::GeluForm::hyperbolic);
  }
  bool fuses(bool together) { return together && kernels().fuses_products(); }

  // state.input must be there, or is made of the sum, which is then over.
  void norm(const NormWeights& which, NormState& state, Buffer& output, PendingSum* sum = nullptr);
  // In place on `gradient`; adds to the weights' gradients. `past`: what reaches the norm's input
  // past the norm, and is added.
  void norm_gradient(const NormWeights& which, const NormState& state, Buffer& gradient,
                     kernels::ConstTensor past = {});

  // The residual stream's rows that are here; `to` may be `from`.
  void drop(const Dropped& where, const Buffer& from, Buffer& to);
  void add(const Buffer& left, const Buffer& right, Buffer& sum);

 private:
  Workplace& place_;
  const RankShape& shape_;
  WeightStore& weights_;
};

// This rank's part i of n equal ones of a buffer, alone.
Buffer part_alone(Workplace& place, const Buffer& whole, int part, int parts);
// A buffer of n parts with this rank's filled in; in the others lies anything.
Buffer part_in_whole(Workplace& place, const Buffer& part, int number, int parts);

}  // namespace quintet::engine
