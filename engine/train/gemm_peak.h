// What a rank's kernels reach at best on this machine: what utilisation is measured against.
#pragma once

#include "kernels/kernels.h"
#include "sim/base/data_type.h"
#include "sim/base/units.h"

namespace quintet::engine {

// The largest rate over a few square matrix products, each repeated for a third of `within`, per
// second of the process's time on a core: whoever else wants the cores does not lower it.
FlopRate gemm_peak(kernels::Kernels& kernels, DataType type, Seconds within);

struct CoreShare {
  int cores = 1;    // that the ranks of this host may run on
  int ranks = 1;    // of this host
  int threads = 1;  // of a rank
};
// `rate` is a core's; this is what one rank may expect when all of its host compute at once.
FlopRate peak_of_rank(FlopRate rate, const CoreShare& share);

int usable_cores();  // of this process

}  // namespace quintet::engine
