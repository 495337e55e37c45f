// What counted kernels take by a cost table (sim/cost/kernel_time.h): products and attention at
// their shapes, anything else by the bytes that were counted. What a product moves beside its three
// matrices in 2 bytes an element (its GELU's operand, a gradient of 4 bytes) is added at the rate
// at which the table's products read memory, as if nothing hid it.
#pragma once

#include <string>

#include "sim/base/units.h"
#include "sim/cost/cost_table.h"
#include "tests/engine/kernel_counts/kernel_tally.h"

namespace quintet::engine::test {

struct KernelPrice {
  std::string part;  // "product", "attention", or the table's memory operation
  Seconds time;      // of all calls, gaps between kernels not included
  double flops = 0;  // of products; attention's are none that all count alike
};

KernelPrice price_of(const KernelKey& key, const KernelSum& sum, const CostTable& table);

}  // namespace quintet::engine::test
