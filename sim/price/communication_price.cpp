#include "sim/price/communication_price.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "sim/cost/collective_curve.h"
#include "sim/host_net/host_path.h"
#include "sim/host_net/processors.h"

namespace quintet {

namespace {

std::string described(const TunerChoice& choice) {
  return fmt::format("{} {}, {} channels", name_of(choice.algorithm), name_of(choice.protocol),
                     choice.channels);
}

// `factor`: by which each link carries another share.
template <class Factor>
void scale(std::vector<PhaseLoad>& phases, Factor factor) {
  for (PhaseLoad& phase : phases)
    for (Usage& use : phase.uses) use.per_unit = on_grid(use.per_unit * factor(use.link));
}

}  // namespace

DescribedPrice CommunicationPrices::by_nccl(const TunerChoice& choice, const Footprint& load,
                                            const std::optional<Seconds>& measured,
                                            Bytes size) const {
  CommunicationPrice price;
  price.latency = choice.latency * costs_.communication.latency_factor +
                  load.network_steps * beyond_usual(load.longest_path);
  price.bound = choice.bandwidth * costs_.communication.bandwidth_factor;
  if (measured) {
    // The formula says how much of the time moves no data, at most half of it.
    price.latency = std::min(price.latency, 0.5 * *measured);
    price.bound = size / (*measured - price.latency);
  }
  price.busy_sms = load.uses_kernel ? choice.channels * costs_.overlap.sms_per_channel : 0;
  put_on_links(price, load);
  if (measured && load.network_steps > 0) keep_time(price);
  return {std::move(price), described(choice)};
}

DescribedPrice CommunicationPrices::by_links(Algorithm algorithm, const Footprint& load,
                                             const CommunicatorShape& shape) const {
  CommunicationPrice price;
  price.latency = (load.local_steps * step_latency(tuner_, Reach::inside_host) +
                   load.network_steps * step_latency(tuner_, Reach::between_hosts)) *
                      costs_.communication.latency_factor +
                  load.network_steps * beyond_usual(load.longest_path);
  price.bound = load.limit * costs_.communication.bandwidth_factor;
  price.busy_sms =
      load.uses_kernel ? communicator_channels(shape) * costs_.overlap.sms_per_channel : 0;
  put_on_links(price, load);
  return {std::move(price), std::string(name_of(algorithm))};
}

DescribedPrice CommunicationPrices::by_processors(Algorithm algorithm, const Footprint& load,
                                                  Bytes size,
                                                  const std::vector<CurvePoint>* curve) const {
  const MessageLatency each = processor_message_latency(costs_);
  CommunicationPrice price;
  price.latency = (load.local_steps * each.usual + load.network_steps * each.usual) *
                      costs_.communication.latency_factor +
                  load.network_steps * load.longest_path;
  price.crowded = each.crowded;
  price.bound = load.limit * costs_.communication.bandwidth_factor;
  put_on_links(price, load);
  add_message_work(price, load.messages, size);
  if (curve != nullptr) take_measured(price, *curve, size);
  return {std::move(price), std::string(name_of(algorithm))};
}

DescribedPrice CommunicationPrices::message(MessageWay way, Delivery delivery, Bytes size,
                                            const std::vector<CurvePoint>* curve) const {
  CommunicationPrice price;
  if (way.ends == DeviceKind::gpu) {
    price.latency = message_latency(tuner_, way.reach) * costs_.communication.latency_factor;
    price.flight = beyond_usual(way.latency);
    if (uses_kernel(delivery)) price.busy_sms = channels_per_peer * costs_.overlap.sms_per_channel;
  } else {
    const MessageLatency own = processor_message_latency(costs_);
    price.latency = own.usual;
    price.crowded = own.crowded;
    price.flight = way.latency;
  }
  price.bound = way.load.limit;
  way.load.memory_per_byte = 1.0;
  put_on_links(price, std::move(way.load));
  add_message_work(price, 1, size);
  if (curve != nullptr) take_measured(price, *curve, size);
  return {std::move(price), way.reach == Reach::between_hosts ? "between hosts" : "inside a host"};
}

DescribedPrice CommunicationPrices::host_message(MessageWay way, Bandwidth memory,
                                                 Bytes size) const {
  CommunicationPrice price;
  price.flight = way.latency;
  price.bound = way.on_links ? way.load.limit : memory;
  put_on_links(price, std::move(way.load));
  add_message_work(price, 1, size);
  return {std::move(price), "between host memories"};
}

// Once the price's bound is known.
void CommunicationPrices::put_on_links(CommunicationPrice& price, const Footprint& load) const {
  price.phases = load.phases;
  draw_memory(price, load);
}

void CommunicationPrices::put_on_links(CommunicationPrice& price, Footprint&& load) const {
  price.phases = std::move(load.phases);
  draw_memory(price, load);
}

void CommunicationPrices::draw_memory(CommunicationPrice& price, const Footprint& load) const {
  if (costs_.memory_bandwidth.value > 0)
    price.memory_share = on_grid(
        std::min(1.0, load.memory_per_byte * price.bound.value / costs_.memory_bandwidth.value));
}

// The curve's time in place of the model's, alone: what the first point takes passes before bytes
// move, at most half of the time and no more than the cores' work leaves. A network link lets more
// pass than its rate while its queue fills, so that a short communication may be faster than that.
void CommunicationPrices::take_measured(CommunicationPrice& price,
                                        const std::vector<CurvePoint>& curve, Bytes size) const {
  const Seconds time = std::max(time_along(curve, size) - price.flight, Seconds{1e-9});
  const Seconds left = std::max(Seconds{}, time - size / rate_of_cores(price));
  price.latency = std::min({curve.front().time, 0.5 * time, left});
  price.bound = size / (time - price.latency);
  keep_time(price);
}

// Where it goes faster than links and cores that the model knows would let it.
void CommunicationPrices::keep_time(CommunicationPrice& price) const {
  const std::vector<Usage> whole = whole_load(price.phases);
  scale(price.phases, [&](std::int32_t link) {
    const auto use =
        std::lower_bound(whole.begin(), whole.end(), link,
                         [](const Usage& each, std::int32_t one) { return each.link < one; });
    return std::min(1.0, rate_of(*use) / price.bound);
  });
}

Bandwidth CommunicationPrices::rate_of(const Usage& use) const {
  return {links_[static_cast<std::size_t>(use.link)].capacity / use.per_unit};
}

// The rate of a communication alone, if only the cores limited it.
Bandwidth CommunicationPrices::rate_of_cores(const CommunicationPrice& price) const {
  Bandwidth rate{std::numeric_limits<double>::infinity()};
  for (const Usage& use : whole_load(price.phases))
    if (cores_.is_pool(use.link)) rate = std::min(rate, rate_of(use));
  return rate;
}

void CommunicationPrices::add_message_work(CommunicationPrice& price, double messages,
                                           Bytes size) const {
  if (cores_.pools().empty()) return;
  double moved = 0;
  for (const Usage& use : whole_load(price.phases))
    if (cores_.is_pool(use.link)) moved += use.per_unit;
  const double longer = processor_message_work(costs_, messages, size, moved);
  scale(price.phases, [&](std::int32_t link) { return cores_.is_pool(link) ? longer : 1.0; });
}

}  // namespace quintet
