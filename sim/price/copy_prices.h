// Copies between GPUs' memories and the host's beside them: by copy engines, over the PCIe links
// that traffic of the network takes too. Kernels neither slow them nor feel them, as they take one
// or two hundredths of the GPU memory's bandwidth.
#pragma once

#include <vector>

#include "sim/price/communications.h"
#include "sim/price/footprint.h"
#include "sim/price/paths.h"

namespace quintet {

// `slots` and `costs`: of each rank. Their `detail` is for the caller to number.
CopyPrices copy_prices(const Program& program, const std::vector<DeviceId>& slots,
                       const Paths& paths, Footprints& footprints,
                       const std::vector<const CopyCosts*>& costs);

}  // namespace quintet
