// What a communication takes once its links are known: latency, the rate it reaches alone, SMs,
// memory bandwidth, work of cores that ranks share.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/ccl/choice/tuner.h"
#include "sim/ccl/nccl/tuner_tables.h"
#include "sim/cost/cost_table.h"
#include "sim/host_net/processors.h"
#include "sim/plan/ccl.h"
#include "sim/price/communications.h"
#include "sim/price/footprint.h"

namespace quintet {

struct DescribedPrice {
  CommunicationPrice price;  // its detail is not numbered yet
  std::string detail;        // "ring LL128, 24 channels"
};

// A message's way, and what it loads.
struct MessageWay {
  Seconds latency;
  bool on_links = false;  // it takes some
  Footprint load;
  Reach reach = Reach::inside_host;
  DeviceKind ends = DeviceKind::gpu;
};

class CommunicationPrices {
 public:
  // `tuner`: the version of NCCL whose latencies hold. `links`: all of them, those of `cores` too,
  // known before the first question. References must outlive this.
  CommunicationPrices(TunerVersion tuner, const CostTable& costs, const CorePools& cores,
                      const std::vector<LinkShare>& links)
      : tuner_(tuner), costs_(costs), cores_(cores), links_(links) {}

  DescribedPrice by_nccl(const TunerChoice& choice, const Footprint& load,
                         const std::optional<Seconds>& measured, Bytes size) const;
  // Algorithms that NCCL does not have: as steps of its messages at the links' rate.
  DescribedPrice by_links(Algorithm algorithm, const Footprint& load,
                          const CommunicatorShape& shape) const;
  // Ranks without GPUs. `curve`: measured times, or null; what they leave open (bytes on links,
  // work of cores) is modelled all the same.
  DescribedPrice by_processors(Algorithm algorithm, const Footprint& load, Bytes size,
                               const std::vector<CurvePoint>* curve) const;
  // From GPU to GPU by NCCL, or from processor to processor.
  DescribedPrice message(MessageWay way, Delivery delivery, Bytes size,
                         const std::vector<CurvePoint>* curve) const;
  // By the CPU: no GPU takes part. `memory`: of the host, all that limits it inside one socket.
  DescribedPrice host_message(MessageWay way, Bandwidth memory, Bytes size) const;

 private:
  void put_on_links(CommunicationPrice& price, const Footprint& load) const;
  void put_on_links(CommunicationPrice& price, Footprint&& load) const;
  void draw_memory(CommunicationPrice& price, const Footprint& load) const;
  void take_measured(CommunicationPrice& price, const std::vector<CurvePoint>& curve,
                     Bytes size) const;
  void keep_time(CommunicationPrice& price) const;
  Bandwidth rate_of(const Usage& use) const;
  Bandwidth rate_of_cores(const CommunicationPrice& price) const;
  void add_message_work(CommunicationPrice& price, double messages, Bytes size) const;
  Seconds beyond_usual(Seconds latency) const {
    return quintet::beyond_usual(latency, costs_.communication.latency_factor);
  }

  TunerVersion tuner_;
  const CostTable& costs_;
  const CorePools& cores_;
  const std::vector<LinkShare>& links_;
};

}  // namespace quintet
