// What replicators do to a momentum, a gradient or parameters around an exchange
// (sim/parallelism/replication/replicator_operators.h has the mathematics; the cosine transform is
// kernels/cosine.h). Bound by memory, and with the same bits for every instruction set and on GPUs:
// on a CPU one implementation is reference and fast path. No product is fused with a sum.
#pragma once

#include "kernels/types.h"

namespace quintet::kernels {

// momentum = decay momentum + *rate gradient.
struct MomentumAdd {
  Index count = 0;
  float decay = 1.0F;
  const float* rate = nullptr;  // read when run; optional: 1
  const float* gradient = nullptr;
  float* momentum = nullptr;
};

// values -= addend.
struct Subtract {
  Index count = 0;
  const float* addend = nullptr;
  float* values = nullptr;
};

// Positions in so many bytes each: 2 (up to 65535), 4 or 8.
struct PackPositions {
  Index count = 0;
  int width = 4;
  const std::int32_t* positions = nullptr;
  void* packed = nullptr;
};
struct UnpackPositions {
  Index count = 0;
  int width = 4;
  const void* packed = nullptr;
  std::int32_t* positions = nullptr;
};

// The `chosen` of `count` elements with the smallest scores, ascending; of equal scores the first
// elements. The score of element i is word (first + i) % 4 of Philox4x32-10 (philox.h) for the
// counter {(first + i) / 4, draw}, each in two words with the lower one first; `first` is a
// multiple of 64.
struct DrawPositions {
  Index count = 0;
  Index chosen = 0;
  std::uint64_t seed = 0;
  std::uint64_t draw = 0;
  Index first = 0;
  std::int32_t* positions = nullptr;  // [chosen]
};

inline constexpr std::int32_t no_position = -1;

// first, first + stride, ...; no_position from `count` on.
struct StridePositions {
  Index count = 0;
  Index chosen = 0;
  Index first = 0;
  Index stride = 1;
  std::int32_t* positions = nullptr;  // [chosen]
};

// What stands at the positions, rounded to the type in which it is sent and taken away by that; 0
// for no_position.
struct TakeElements {
  Index chosen = 0;
  const std::int32_t* positions = nullptr;
  float* values = nullptr;
  Tensor taken{};  // [chosen]
};

// values = 0, but share * given[i] at positions[i].
struct PutElements {
  Index count = 0;
  Index chosen = 0;
  const std::int32_t* positions = nullptr;
  ConstTensor given{};  // [chosen]
  float share = 1.0F;
  float* values = nullptr;
};

// gradient = share * merged, or its sign: -1, 0 or 1.
enum class MergedAs { value, sign };
struct MergedGradient {
  Index count = 0;
  ConstTensor merged{};
  float share = 1.0F;
  MergedAs as = MergedAs::value;
  float* gradient = nullptr;
};

// difference = anchor - parameter.
struct OuterDifference {
  Index count = 0;
  const float* anchor = nullptr;
  const float* parameter = nullptr;
  Tensor difference{};
};

// d = share * sum; velocity = momentum velocity + d; anchor -= rate (d + momentum velocity): the
// form of torch.optim.SGD with nesterov. Then parameter and its copy are the anchor.
struct OuterStep {
  Index count = 0;
  ConstTensor sum{};
  float share = 1.0F;
  float rate = 1.0F;
  float momentum = 0.0F;
  float* velocity = nullptr;
  float* anchor = nullptr;
  float* parameter = nullptr;
  Tensor working_copy{};  // optional
};

// A part of Kernels (kernels.h) that an implementation may do without.
class ReplicatorKernels {
 public:
  ReplicatorKernels() = default;
  ReplicatorKernels(const ReplicatorKernels&) = delete;
  ReplicatorKernels& operator=(const ReplicatorKernels&) = delete;
  virtual ~ReplicatorKernels() = default;

  virtual void momentum_add(const MomentumAdd&, Stream&) = 0;
  virtual void subtract(const Subtract&, Stream&) = 0;
  virtual void pack_positions(const PackPositions&, Stream&) = 0;
  virtual void unpack_positions(const UnpackPositions&, Stream&) = 0;
  virtual void draw_positions(const DrawPositions&, Stream&) = 0;
  virtual void stride_positions(const StridePositions&, Stream&) = 0;
  virtual void take_elements(const TakeElements&, Stream&) = 0;
  virtual void put_elements(const PutElements&, Stream&) = 0;
  virtual void merged_gradient(const MergedGradient&, Stream&) = 0;
  virtual void outer_difference(const OuterDifference&, Stream&) = 0;
  virtual void outer_step(const OuterStep&, Stream&) = 0;
};

}  // namespace quintet::kernels
