// What a whole step asks of its kernels, put together from steps of one and two layers and of one
// and two micro-batches: all of it grows with the product of the two. Calls that are equal but in
// bytes are one entry.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "sim/base/result.h"
#include "sim/model/model.h"
#include "tests/engine/kernel_counts/counted_step.h"

namespace quintet::engine::test {

enum class Pass { forward, loss, backward, update };

struct KernelKey {
  Pass pass = Pass::forward;
  std::string name;  // of kernels/operators.inc, or "zero"
  kernels::CountedSize size;
  auto operator<=>(const KernelKey&) const = default;
};

struct KernelSum {
  double calls = 0, launches = 0, bytes = 0;
};
using KernelTally = std::map<KernelKey, KernelSum>;

// By their order: a pass forward ends with its loss, one backward with the next pass forward or
// with the gradients' norm.
KernelTally tally_of(const CallLog& log);

// One step of the whole model on one rank. Kernels that start are counted in a narrow model of the
// same kind on the emulator, and are as many for each call of a name and pass here; an optimizer
// that takes more than one list of tensors counts as one call.
Result<KernelTally> step_tally(const Model& model, Sequences sequences);

}  // namespace quintet::engine::test
