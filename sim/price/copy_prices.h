// Copies between GPUs' memories and the host's beside them: by copy engines, over the PCIe links
// that traffic of the network takes too. Kernels neither slow them nor feel them (they take 1 to 2
// % of the memory's bandwidth).
#pragma once

#include <vector>

#include "sim/price/communications.h"
#include "sim/price/footprint.h"
#include "sim/price/paths.h"

namespace quintet {

struct CopyPrices {
  std::vector<CommunicationPrice> out, in;  // per rank; `detail` is for the caller to number
};

// Empty where the program copies nothing, and where processors are the ranks. `slots`: of the
// ranks.
CopyPrices copy_prices(const Program& program, const std::vector<DeviceId>& slots,
                       const Paths& paths, const Footprints& footprints, const CopyCosts& costs);

}  // namespace quintet
