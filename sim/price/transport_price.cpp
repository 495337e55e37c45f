#include "sim/price/transport_price.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "sim/ccl/nccl/tuner_tables.h"
#include "sim/cost/collective_curve.h"

namespace quintet {

namespace {

// NCCL's network latencies stand for a fabric of a few microseconds; only what a path has beyond it
// is added.
constexpr Seconds usual_path{5e-6};

// Of a ring's step by the Simple protocol: what messages outside NCCL's model take too.
Seconds ring_latency(const LatencyTable& microseconds) {
  return Seconds{1e-6 * microseconds[static_cast<std::size_t>(Algorithm::ring)]
                                    [static_cast<std::size_t>(Protocol::simple)]};
}

std::string described(const TunerChoice& choice) {
  return std::string(name_of(choice.algorithm)) + " " + std::string(name_of(choice.protocol)) +
         ", " + std::to_string(choice.channels) + " channels";
}

}  // namespace

PricedTransport TransportPrices::by_nccl(const TunerChoice& choice, const Footprint& load,
                                         const std::optional<Seconds>& measured, Bytes size) const {
  Transport transport;
  transport.latency = choice.latency * costs_.communication.latency_factor +
                      load.network_steps * excess(load.longest_path);
  transport.bound = choice.bandwidth * costs_.communication.bandwidth_factor;
  if (measured) {
    // The formula says how much of the time moves no data, at most half of it.
    transport.latency = std::min(transport.latency, 0.5 * *measured);
    transport.bound = size / (*measured - transport.latency);
  }
  transport.busy_sms = load.uses_kernel ? choice.channels * costs_.overlap.sms_per_channel : 0;
  put_on_links(transport, load);
  if (measured && load.network_steps > 0) keep_time(transport);
  return {std::move(transport), described(choice)};
}

PricedTransport TransportPrices::by_links(Algorithm algorithm, const Footprint& load,
                                          const GroupShape& shape, Bytes size,
                                          const std::vector<CurvePoint>* curve) const {
  const TunerTables& tables = tuner_tables(tuner_);
  Transport transport;
  const Seconds local = shape.gpus ? ring_latency(tables.nvlink_latency) : message_latency();
  const Seconds network = shape.gpus ? ring_latency(tables.network_latency) : message_latency();
  transport.latency =
      (load.local_steps * local + load.network_steps * network) *
          costs_.communication.latency_factor +
      load.network_steps * (shape.gpus ? excess(load.longest_path) : load.longest_path);
  transport.steps = std::max(1, load.local_steps + load.network_steps);
  if (!shape.gpus) transport.crowded = crowding();
  transport.bound = load.limit * costs_.communication.bandwidth_factor;
  transport.busy_sms = shape.gpus && load.uses_kernel
                           ? communicator_channels(shape.tuner) * costs_.overlap.sms_per_channel
                           : 0;
  put_on_links(transport, load);
  add_message_work(transport, load.messages, size);
  if (curve != nullptr) take_measured(transport, *curve, size);
  return {std::move(transport), std::string(name_of(algorithm))};
}

PricedTransport TransportPrices::message(const Path& path, Footprint load, DeviceKind kind,
                                         Delivery delivery, Bytes size,
                                         const std::vector<CurvePoint>* curve) const {
  // NCCL's send and receive use two channels to a peer over NVLink or the network (models.md 1.5).
  constexpr int channels_per_peer = 2;
  const TunerTables& tables = tuner_tables(tuner_);
  const bool gpus = kind == DeviceKind::gpu;
  const Seconds hops =
      ring_latency(path.crosses_hosts ? tables.network_latency : tables.nvlink_latency);
  load.memory_per_byte = 1.0;
  Transport transport;
  transport.latency =
      gpus ? (ring_latency(tables.base_latency) + hops) * costs_.communication.latency_factor
           : message_latency();
  if (!gpus) transport.crowded = crowding();
  transport.flight = gpus ? excess(path.latency) : path.latency;
  transport.bound = load.limit;
  transport.busy_sms = gpus && delivery != Delivery::delegated
                           ? channels_per_peer * costs_.overlap.sms_per_channel
                           : 0;
  put_on_links(transport, load);
  add_message_work(transport, 1, size);
  if (curve != nullptr) take_measured(transport, *curve, size);
  return {std::move(transport), path.crosses_hosts ? "between hosts" : "inside a host"};
}

PricedTransport TransportPrices::host_message(const Path& path, const Footprint& load,
                                              Bandwidth memory, Bytes size) const {
  Transport transport;
  transport.flight = path.latency;
  transport.bound = load.uses.empty() ? memory : load.limit;
  put_on_links(transport, load);
  add_message_work(transport, 1, size);
  return {std::move(transport), "between host memories"};
}

// Once the transport's bound is known.
void TransportPrices::put_on_links(Transport& transport, const Footprint& load) const {
  transport.uses = load.uses;
  if (costs_.memory_bandwidth.value > 0)
    transport.memory_share = on_grid(std::min(
        1.0, load.memory_per_byte * transport.bound.value / costs_.memory_bandwidth.value));
}

// The curve's time in place of the model's, alone: what the first point takes passes before bytes
// move, at most half of the time and no more than the cores' work leaves. A network link lets more
// pass than its rate while its queue fills, so that a short communication may be faster than that.
void TransportPrices::take_measured(Transport& transport, const std::vector<CurvePoint>& curve,
                                    Bytes size) const {
  const Seconds time = std::max(time_along(curve, size) - transport.flight, Seconds{1e-9});
  const Seconds left = std::max(Seconds{}, time - size / rate_of_cores(transport));
  transport.latency = std::min({curve.front().time, 0.5 * time, left});
  transport.bound = size / (time - transport.latency);
  keep_time(transport);
}

// Where it goes faster than links and cores that the model knows would let it.
void TransportPrices::keep_time(Transport& transport) const {
  for (Usage& use : transport.uses) {
    const Bandwidth alone = rate_of(use);
    if (alone < transport.bound) use.per_unit = on_grid(use.per_unit * (alone / transport.bound));
  }
}

Bandwidth TransportPrices::rate_of(const Usage& use) const {
  return {links_[static_cast<std::size_t>(use.link)].capacity / use.per_unit};
}

// Of a communication alone, if only they limited it.
Bandwidth TransportPrices::rate_of_cores(const Transport& transport) const {
  Bandwidth rate{std::numeric_limits<double>::infinity()};
  for (const Usage& use : transport.uses)
    if (is_pool(use.link)) rate = std::min(rate, rate_of(use));
  return rate;
}

// What `messages` of `size` bytes in all take of shared cores beside their bytes.
void TransportPrices::add_message_work(Transport& transport, double messages, Bytes size) const {
  if (cores_.links.empty() || size <= Bytes{}) return;
  const ProcessorCosts& processors = *costs_.processors;
  const Bytes worth = processors.message_rate * (messages * processors.message_work);
  double moved = 0;
  for (const Usage& use : transport.uses)
    if (is_pool(use.link)) moved += use.per_unit;
  if (moved <= 0) return;
  const double longer = 1 + worth / (moved * size);
  for (Usage& use : transport.uses)
    if (is_pool(use.link)) use.per_unit = on_grid(use.per_unit * longer);
}

Seconds TransportPrices::excess(Seconds path) const {
  const Seconds usual = usual_path * costs_.communication.latency_factor;
  return path > usual ? path - usual : Seconds{};
}

Seconds TransportPrices::message_latency() const {
  return costs_.processors ? costs_.processors->message_latency : Seconds{};
}

Seconds TransportPrices::crowding() const {
  if (!costs_.processors) return {};
  return std::max(Seconds{}, costs_.processors->crowded_latency - message_latency());
}

}  // namespace quintet
