#include "sim/ccl/nccl/message_latency.h"

#include "sim/ccl/nccl/tuner_tables.h"

namespace quintet {

namespace {

Seconds of_ring(const LatencyTable& microseconds) {
  return Seconds{1e-6 * microseconds[static_cast<std::size_t>(Algorithm::ring)]
                                    [static_cast<std::size_t>(Protocol::simple)]};
}

}  // namespace

Seconds step_latency(TunerVersion version, Reach reach) {
  const TunerTables& tables = tuner_tables(version);
  switch (reach) {
    case Reach::inside_host:
      return of_ring(tables.nvlink_latency);
    case Reach::between_hosts:
      return of_ring(tables.network_latency);
  }
  return {};
}

Seconds message_latency(TunerVersion version, Reach reach) {
  return of_ring(tuner_tables(version).base_latency) + step_latency(version, reach);
}

Seconds beyond_usual(Seconds latency, double factor) {
  constexpr Seconds usual_path{5e-6};
  const Seconds usual = usual_path * factor;
  return latency > usual ? latency - usual : Seconds{};
}

}  // namespace quintet
