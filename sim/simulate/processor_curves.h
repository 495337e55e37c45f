// Measured times of what ranks without GPUs say to each other, where a table has them for just this
// algorithm, group and network; elsewhere the model of transfers speaks.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/cost/cost_table.h"
#include "sim/network/route.h"
#include "sim/plan/plan.h"
#include "sim/program/program.h"
#include "sim/simulate/communications.h"
#include "sim/simulate/group_shape.h"
#include "sim/topology/topology.h"

namespace quintet {

class ProcessorCurves {
 public:
  // References must outlive this.
  ProcessorCurves(const Topology& topology, const Network& network, const CostTable& costs);

  // Null where there is none. What was asked is noted for use().
  const std::vector<CurvePoint>* of(const Collective& asked, Algorithm algorithm, Axis axis,
                                    const GroupShape& shape, const std::vector<DeviceId>& slots);
  const std::vector<CurvePoint>* of_message(DeviceId from, DeviceId to,
                                            const MessagePattern& pattern);

  const MeasuredMoves& use() const { return use_; }

 private:
  struct Asked {
    std::string what;
    Axis axis;
    Bytes size;
  };
  std::optional<CurveNetwork> network_of(const std::vector<DeviceId>& slots);
  template <class Curve>
  const std::vector<CurvePoint>* noted(const Curve* curve, const Asked& asked);
  void remark(const std::string& sentence);

  const Topology& topology_;
  const Network& network_;
  const CommunicationCosts& costs_;
  bool calibrated_;
  std::optional<Router> router_;  // once it is needed
  MeasuredMoves use_;
};

}  // namespace quintet
