// Measured times of what GPUs say to each other by NCCL, where a table has them for just this
// group, network and choice; elsewhere NCCL's own formula speaks.
#pragma once

#include <optional>

#include "sim/ccl/choice/tuner.h"
#include "sim/cost/cost_table.h"
#include "sim/plan/ccl.h"
#include "sim/plan/host_net.h"
#include "sim/price/used_curves.h"

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

  // The curve of messages that NCCL carries as it carried those that were measured; null: not
  // measured.
  const std::vector<CurvePoint>* of_message(DeviceId from, DeviceId to, Delivery delivery,
                                            const MessagePattern& pattern);

 private:
  std::optional<Seconds> measured(const AskedOfNccl& asked);
  void remark_missing(const UsedCurves::Priced& priced);
  std::optional<Seconds> derived(const AskedOfNccl& asked);
  const CollectiveCurve* curve(const AskedOfNccl& asked, bool chosen);
  Seconds formula(const AskedOfNccl& asked) const;
  Residuals widest_plain() const;

  const CommunicationCosts& costs_;
  bool on_gpus_;  // what the table's messages are between
  bool calibrated_;
  UsedCurves& used_;
};

}  // namespace quintet
