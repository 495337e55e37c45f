// What a communication takes once its links are known: latency, the rate it reaches alone, SMs,
// memory bandwidth, work of cores that ranks share.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/ccl/choice/tuner.h"
#include "sim/cost/cost_table.h"
#include "sim/plan/ccl.h"
#include "sim/price/communications.h"
#include "sim/price/core_pools.h"
#include "sim/price/footprint.h"
#include "sim/price/group_shape.h"
#include "sim/price/paths.h"

namespace quintet {

struct PricedTransport {
  Transport transport;  // its detail is not numbered yet
  std::string detail;   // "ring LL128, 24 channels"
};

class TransportPrices {
 public:
  // `tuner`: the version of NCCL whose latencies hold. `links`: all of them, those of `cores` too,
  // known before the first question. References must outlive this.
  TransportPrices(TunerVersion tuner, const CostTable& costs, const CorePools& cores,
                  const std::vector<LinkShare>& links)
      : tuner_(tuner), costs_(costs), cores_(cores), links_(links) {}

  PricedTransport by_nccl(const TunerChoice& choice, const Footprint& load,
                          const std::optional<Seconds>& measured, Bytes size) const;
  // Algorithms NCCL does not have, and ranks without GPUs: steps of messages at the links' rate.
  // `curve`: measured times, or null; what they leave open (bytes on links, work of cores) is
  // modelled all the same.
  PricedTransport by_links(Algorithm algorithm, const Footprint& load, const GroupShape& shape,
                           Bytes size, const std::vector<CurvePoint>* curve) const;
  // From GPU to GPU by NCCL, or from processor to processor.
  PricedTransport message(const Path& path, Footprint load, DeviceKind kind, Delivery delivery,
                          Bytes size, const std::vector<CurvePoint>* curve) const;
  // By the CPU: no GPU takes part. `memory`: of the host, all that limits it inside one socket.
  PricedTransport host_message(const Path& path, const Footprint& load, Bandwidth memory,
                               Bytes size) const;

 private:
  void put_on_links(Transport& transport, const Footprint& load) const;
  void take_measured(Transport& transport, const std::vector<CurvePoint>& curve, Bytes size) const;
  void keep_time(Transport& transport) const;
  Bandwidth rate_of(const Usage& use) const;
  Bandwidth rate_of_cores(const Transport& transport) const;
  void add_message_work(Transport& transport, double messages, Bytes size) const;
  bool is_pool(std::int32_t link) const { return !cores_.links.empty() && link >= cores_.first; }
  Seconds excess(Seconds path) const;
  Seconds message_latency() const;  // of ranks on processors, as crowding
  Seconds crowding() const;

  TunerVersion tuner_;
  const CostTable& costs_;
  const CorePools& cores_;
  const std::vector<LinkShare>& links_;
};

}  // namespace quintet
