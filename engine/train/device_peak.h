// What matrix products reach on a device at best: what utilisation is measured against there.
#pragma once

#include "kernels/device.h"
#include "sim/base/data_type.h"
#include "sim/base/units.h"

namespace quintet::engine {

// The largest rate over square products of growing size, up to one that would take a good part of
// `within` by itself, on numbers that are not alike (zeros run faster). Throws what the device
// throws.
FlopRate device_gemm_peak(kernels::Device& device, DataType type, Seconds within);

}  // namespace quintet::engine
