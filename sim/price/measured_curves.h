// Measured times of communication, where a table has them for just this: among GPUs by NCCL, and
// among ranks without GPUs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/ccl/choice/tuner.h"
#include "sim/cost/cost_table.h"
#include "sim/plan/ccl.h"
#include "sim/plan/host_net.h"
#include "sim/price/communications.h"
#include "sim/price/used_curves.h"
#include "sim/program/program.h"

namespace quintet {

// A collective of a group, with what the plan's rules and NCCL's tables chose.
struct AskedOfNccl {
  const Collective& collective;
  Axis axis = Axis::data;
  const CollectiveRule& rule;
  const TunerChoice& choice;
  const HostLayout& layout;
  const CommunicatorShape& shape;  // NCCL's view of it
  Delivery delivery = Delivery::direct;
};

// For a group, network and choice of NCCL's; elsewhere its own formula speaks.
class GpuCurves {
 public:
  // References must outlive this.
  GpuCurves(const CostTable& costs, UsedCurves& used)
      : costs_(costs.communication),
        on_gpus_(!costs.processors),
        calibrated_(on_gpus_ && costs.communication.among),
        used_(used) {}

  // A plan that asks for an algorithm or protocol gets the curve of just that, or its formula
  // (nothing): plain curves are of NCCL's choice. Curves among several hosts are of their network
  // alone, and of NICs that read the GPUs' memory; what the host carries was measured nowhere. What
  // is derived, in one host, is no faster than the formula: its curve may be of an algorithm (NVLS)
  // that the asked collective or fewer ranks do not have. What was used is noted, and of a table
  // that ranks have measured (CommunicationCosts::among) what it lacks.
  std::optional<Seconds> of(const AskedOfNccl& asked);

  // Whether the answer depends on the network between the group's hosts, beside what NCCL sees.
  bool asks_network(const AskedOfNccl& asked) const;

  // The curve of messages that NCCL carries as it carried those that were measured; null: not
  // measured.
  const std::vector<CurvePoint>* of_message(DeviceId from, DeviceId to, Delivery delivery,
                                            const MessagePattern& pattern);

 private:
  std::optional<Seconds> measured(const AskedOfNccl& asked);
  void remark_missing(const UsedCurves::Priced& priced);
  std::optional<Seconds> derived(const AskedOfNccl& asked);
  bool any_curve(const AskedOfNccl& asked) const;
  const CollectiveCurve* curve(const AskedOfNccl& asked, bool chosen);
  Seconds formula(const AskedOfNccl& asked) const;
  Residuals widest_plain() const;

  const CommunicationCosts& costs_;
  bool on_gpus_;  // what the table's messages are between
  bool calibrated_;
  UsedCurves& used_;
};

// For an algorithm, group and network of ranks without GPUs; elsewhere the model of transfers
// speaks.
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
