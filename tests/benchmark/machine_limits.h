// The least time that this core could take for an operator as it stands in a training step. The
// greater of what it computes and what it moves:
//   products     at the best rate that any of our implementations reaches at their shape alone.
//   attention    its products at that rate for one head's scores (the masked half left out), and
//                the multiply-adds of its exponentials, which take the same units.
//   functions    (GELU, SwiGLU, norms, the loss) their multiply-adds, counted in the formulas of
//                kernels/cpu, at the rate of the best large product: no unit of the core multiplies
//                faster. A division counts as four (an estimate and two steps of Newton's).
//   bytes        a copy of as many, each from where a step finds it and to where it leaves it. What
//                the operator before it wrote is warm: written again just before the copy, so that
//                it lies in the cache that holds it. What was last touched a pass ago is cold: it
//                was evicted by reading twice the last cache. Cold are, of a pass forward, all that
//                is written (kept for the way back, in memory of the step before), and what an
//                embedding reads; of a pass backward, the input that was kept (as many bytes as are
//                written), and a table's rows, read and written; of the update, all.
// A copy that is hot in the cache would be no limit: an operator in a step does not find it so. The
// loss is one operator here, forward: its gradient is written over the logits in the same pass.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/device/buffer.h"
#include "kernels/kernels.h"
#include "sim/model/operator.h"

namespace quintet::engine {

// Bytes of a copy, and how many of them are not in a cache when it starts.
struct Traffic {
  double read = 0, written = 0;
  double cold_read = 0, cold_written = 0;
};

class MachineLimits {
 public:
  explicit MachineLimits(std::vector<kernels::Kernels*> implementations)
      : implementations_(std::move(implementations)) {}

  // In seconds; 0 where the operator has no shape. What was measured for equal work is kept.
  double least_time(const Operator& work);
  // The rate of a copy of (read + written) / 2 bytes.
  double copy(const Traffic& traffic);

 private:
  double measured(const Operator& work);
  double attention(const AttentionShape& shape, const Operator& work);
  double product(const kernels::Gemm& sizes);
  double multiply_add_time();
  void evict();
  Buffer matrix(std::int64_t rows, std::int64_t columns);

  HostMemory memory_;  // as the engine's: on huge pages where there are some
  std::vector<kernels::Kernels*> implementations_;
  std::map<std::string, double> kept_;
  double multiply_add_ = 0;  // seconds of one; 0: not measured yet
  std::vector<std::uint64_t> evicting_;
};

}  // namespace quintet::engine
