#include "sim/cost/kernel_time.h"

#include <algorithm>
#include <cmath>

namespace quintet {

double slowdown(const KernelUse& use, double busy_sms, double memory_share,
                const CostTable& table) {
  if (busy_sms <= 0 && memory_share <= 0) return 1;
  double waves = 1;
  if (use.tiles > 0 && table.sms > 0) {
    const double left = std::max(1.0, table.sms - busy_sms);
    waves = std::ceil(use.tiles / left) / std::ceil(use.tiles / table.sms);
  }
  // A tenth is kept back: communication cannot starve a kernel of memory altogether.
  const double memory_left = std::max(0.1, 1 - memory_share);
  const double memory = use.memory_share / memory_left;
  return std::max({1.0, waves, memory}) * std::max(1.0, table.overlap.compute_slowdown);
}

Seconds copy_time(Bytes size, CopyDirection direction, const CostTable& table) {
  const CopyCosts& copy = table.copy;
  switch (direction) {
    case CopyDirection::host_to_device:
      return copy.start + size / copy.host_to_device;
    case CopyDirection::device_to_host:
      return copy.start + size / copy.device_to_host;
    case CopyDirection::device_to_device:
      return copy.start + size / copy.device_to_device;
  }
  return {};
}

}  // namespace quintet
