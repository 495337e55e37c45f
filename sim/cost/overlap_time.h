// How kernels and communication slow each other on a GPU: by the rows that a table has of it
// (communication_costs.h says how they are meant), else by the model. Pure.
#pragma once

#include <optional>

#include "sim/cost/cost_table.h"
#include "sim/cost/kernel_time.h"
#include "sim/model/operator.h"

namespace quintet {

// Products of matrices and attention are products.
ComputeClass class_of(const PricedOperator& work);

// What moves data on a GPU at one time.
struct CommunicationBeside {
  double busy_sms = 0;
  double memory_share = 0;
  int reducing = 0, copying = 0;  // communications that run on its SMs, by class
};

// Factor >= 1 on the time of a kernel of this class.
double kernel_slowdown(const KernelUse& use, ComputeClass work, const CommunicationBeside& beside,
                       const CostTable& table);

// Factor >= 1 on the time that bytes take beside a kernel. `moving`: none: not on SMs.
double communication_slowdown(std::optional<CommunicationClass> moving, ComputeClass beside,
                              const CostTable& table);

}  // namespace quintet
