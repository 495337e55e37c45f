// Measured times of what ranks without GPUs say to each other, where a table has them for just this
// algorithm, group and network; elsewhere the model of transfers speaks.
#pragma once

#include <string>
#include <vector>

#include "sim/cost/cost_table.h"
#include "sim/price/communications.h"
#include "sim/price/used_curves.h"
#include "sim/program/program.h"

namespace quintet {

class ProcessorCurves {
 public:
  // References must outlive this.
  ProcessorCurves(const CostTable& costs, UsedCurves& used)
      : costs_(costs.communication),
        calibrated_(costs.processors && !costs.communication.curves.empty()),
        used_(used) {}

  // Null where there is none. What was asked is noted.
  const std::vector<CurvePoint>* of(const Collective& asked, Algorithm algorithm, Axis axis,
                                    const HostLayout& layout);
  const std::vector<CurvePoint>* of_message(DeviceId from, DeviceId to,
                                            const MessagePattern& pattern);

 private:
  template <class Curve>
  const std::vector<CurvePoint>* noted(const Curve* curve, const UsedCurves::Priced& asked);

  const CommunicationCosts& costs_;
  bool calibrated_;
  UsedCurves& used_;
};

}  // namespace quintet
