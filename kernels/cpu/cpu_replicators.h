// The CPU's kernels of replicators, compiled once per target.
#pragma once

#include "kernels/replicator.h"

namespace quintet::kernels::QUINTET_CPU_TARGET {

class CpuReplicators final : public ReplicatorKernels {
 public:
  void momentum_add(const MomentumAdd&, Stream&) override;
  void subtract(const Subtract&, Stream&) override;
  void pack_positions(const PackPositions&, Stream&) override;
  void unpack_positions(const UnpackPositions&, Stream&) override;
  void draw_positions(const DrawPositions&, Stream&) override;
  void stride_positions(const StridePositions&, Stream&) override;
  void take_elements(const TakeElements&, Stream&) override;
  void put_elements(const PutElements&, Stream&) override;
  void merged_gradient(const MergedGradient&, Stream&) override;
  void outer_difference(const OuterDifference&, Stream&) override;
  void outer_step(const OuterStep&, Stream&) override;
};

}  // namespace quintet::kernels::QUINTET_CPU_TARGET
