// What a rank's kernels reach at best on this machine: what utilisation is measured against.
#pragma once

#include "kernels/kernels.h"
#include "sim/data_type.h"
#include "sim/units.h"

namespace quintet::engine {

// The largest rate over a few square matrix products, each repeated for a third of `within`. Ranks
// that share cores measure at the same time, so that their rates add up to the machine's.
FlopRate gemm_peak(kernels::Kernels& kernels, DataType type, Seconds within);

}  // namespace quintet::engine
