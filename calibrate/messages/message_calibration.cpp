#include "calibrate/messages/message_calibration.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "calibrate/machine/this_machine.h"
#include "calibrate/messages/measuring_ranks.h"
#include "calibrate/messages/message_results.h"
#include "calibrate/probes/probe_journal.h"
#include "calibrate/ranks/gpu_rank.h"
#include "calibrate/ranks/nccl_methods.h"
#include "sim/base/own_program.h"
#include "sim/base/quantity_text.h"
#include "sim/network/route/network_rates.h"

namespace quintet::calibrate {
namespace {

std::vector<RankSeat> emulated_seats(const Topology& topology, int ranks) {
  std::vector<RankSeat> seats;
  for (const DeviceId slot : rank_slots(topology))
    if (static_cast<int>(seats.size()) < ranks)
      seats.push_back({topology.device(slot).host.value, 0});
  return seats;
}

// As many as the topology's first host has slots.
std::vector<RankSeat> seats_on_host(const Topology& topology, int ranks) {
  std::vector<RankSeat> seats = emulated_seats(topology, ranks);
  std::erase_if(seats, [&](const RankSeat& seat) { return seat.host != seats.front().host; });
  return seats;
}

class Calibration {
 public:
  explicit Calibration(const MessageCalibration& asked)
      : asked_(asked), router_(asked.topology, asked.network) {
    if (asked.cluster != nullptr)
      seats_ = asked.cluster->job().seats;
    else
      seats_ = on_gpus() ? seats_on_host(asked.topology, asked.ranks)
                         : emulated_seats(asked.topology, asked.ranks);
  }

  std::optional<Error> add_to(CostTable& table) {
    if (seats_.size() < 2)
      return Error{"timing messages", "needs two ranks or more, " + asked_.topology.name +
                                          " has a slot for one; or leave messages out with "
                                          "--without-messages"};
    if (auto wrong = measure()) return wrong;
    const Result<ProbeJournal> journal = ProbeJournal::open(asked_.journal, asked_.conditions);
    if (!journal) return journal.error();
    if (on_gpus())
      table.communication.source =
          "not measured where no curve covers it: NCCL's own formula; curves: " + source();
    else if (auto wrong = add_processors(journal->timings(), table))
      return wrong;
    const MessageWorld world{seats_,
                             on_gpus() ? methods_of_gpu_ranks() : methods_on_processors(),
                             at(),
                             source(),
                             [this](const Members& members) { return network_of(members); },
                             on_gpus() ? sizes_on_gpus : MessageSizes{}};
    add_message_results(world, journal->timings(), table);
    return std::nullopt;
  }

 private:
  bool on_gpus() const { return asked_.processor == engine::Processor::gpu; }
  std::string ranks_text() const { return fmt::format("{} ranks", seats_.size()); }
  std::string place_text() const {
    if (asked_.cluster != nullptr) return on_gpus() ? " on GPUs of a cluster" : " of a cluster";
    return on_gpus() ? " on GPUs of a host" : " in a box";
  }

  // What timings must share to be of one kind.
  std::string at() const {
    const int ranks = static_cast<int>(seats_.size());
    const std::optional<CurveNetwork> network = network_of({0, 1, ranks});
    return asked_.topology.name + ", " + ranks_text() + place_text() +
           (network ? ", " + text(network->rate) + ", " + text(network->latency) : "");
  }

  std::string source() const {
    return where_and_when() + "; " + ranks_text() + place_text() +
           (on_gpus() ? " by NCCL, " : " over UCX, ") + asked_.topology.name;
  }

  std::optional<Error> measure() const {
    const MessageRequest request{asked_.journal, asked_.conditions, at(),
                                 asked_.target,  asked_.time,       asked_.processor};
    const int number = static_cast<int>(seats_.size());
    const std::string self = own_program().string();
    if (asked_.cluster == nullptr)
      return on_gpus() ? measure_on_gpus(number, request, self)
                       : measure_emulated(asked_.topology, asked_.network, number, request, self);
    EngineRanks ranks(asked_.cluster->transport(), asked_.cluster->job(), asked_.cluster->work());
    if (auto wrong = time_messages(ranks, request)) return wrong;
    return ranks.end();
  }

  std::optional<CurveNetwork> network_of(const Members& members) const {
    const std::vector<DeviceId> all = rank_slots(asked_.topology);
    std::vector<DeviceId> slots;
    for (int place = 0; place < members.count; ++place)
      slots.push_back(all[static_cast<std::size_t>(members.first + place * members.stride)]);
    const std::optional<GroupNetwork> network = group_network(asked_.topology, router_, slots);
    if (!network) return std::nullopt;
    return CurveNetwork{network->slowest, network->longest};
  }

  std::optional<Error> add_processors(const std::vector<TimingRecord>& timings, CostTable& table) {
    std::optional<RingTimings> rings;
    for (const TimingRecord& each : timings)
      if (each.at == at() && each.what == rings_words) rings = rings_of(each.seconds);
    if (!rings) return Error{asked_.journal.string(), "has no timings of rings; remove it"};
    const Result<ProcessorCosts> costs = processor_costs(rings->idle, rings->crowded);
    if (!costs) return costs.error();
    const bool one_machine = asked_.cluster == nullptr || asked_.cluster->job().cores.size() == 1;
    table.processors = *costs;
    table.processors->cores = one_machine ? asked_.cores : 0;
    table.processors->source =
        "ring all-reduces, " + source() + "; core time: what products of matrices lost beside them";
    table.communication.bandwidth_factor =
        reached_share(rings->idle.large, wire_rate(asked_.topology, asked_.network), asked_.cores);
    table.communication.source =
        "of what the wire's payload and the cores allow, ring all-reduce of 16 MiB, " + source();
    return std::nullopt;
  }

  const MessageCalibration& asked_;
  const Router router_;
  std::vector<RankSeat> seats_;
};

}  // namespace

std::optional<Error> add_messages(const MessageCalibration& asked, CostTable& table) {
  return Calibration(asked).add_to(table);
}

std::optional<Error> misplaced(const JobSeats& job, const Topology& topology) {
  const std::vector<DeviceId> slots = rank_slots(topology);
  if (job.seats.size() > slots.size())
    return Error{"--topology", fmt::format("{} has room for {} ranks, {} were started",
                                           topology.name, slots.size(), job.seats.size())};
  for (std::size_t rank = 1; rank < job.seats.size(); ++rank) {
    const bool together = job.seats[rank].host == job.seats[rank - 1].host;
    const bool expected =
        topology.device(slots[rank]).host == topology.device(slots[rank - 1]).host;
    if (together != expected)
      return Error{"--topology",
                   fmt::format("{} has ranks {} and {} on {}, they were started on {}; describe "
                               "this cluster, --hosts sets its number of hosts",
                               topology.name, rank - 1, rank, expected ? "one host" : "two hosts",
                               together ? "one machine" : "two machines")};
  }
  return std::nullopt;
}

Bandwidth wire_rate(const Topology& topology, const Network& network) {
  Bandwidth slowest{std::numeric_limits<double>::infinity()};
  for (const Link& link : topology.links)
    if (link.kind == LinkKind::network) slowest = std::min(slowest, link.bandwidth);
  return slowest * framing_efficiency(topology.protocol, network.mtu);
}

}  // namespace quintet::calibrate
