// What matrix products reach at best on this machine, on its cores or a device of it: what
// utilisation is measured against.
#pragma once

#include "kernels/device.h"
#include "kernels/kernels.h"
#include "sim/base/data_type.h"
#include "sim/base/result.h"
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

// The largest rate over square products of growing size, up to one that would take a good part of
// `within` by itself, on numbers that are not alike (zeros run faster). Throws what the device
// throws.
FlopRate device_gemm_peak(kernels::Device& device, DataType type, Seconds within);

// Where a rank computes: its device, or kernels on cores.
struct RankProcessor {
  kernels::Device* device = nullptr;    // null: the kernels
  kernels::Kernels* kernels = nullptr;  // not null without a device
  DataType type = DataType::bf16;
};
// Whichever it has; takes a fifth of a second. An error is the device's.
Result<FlopRate> peak_of_rank(const RankProcessor& processor, const CoreShare& share);

}  // namespace quintet::engine
