#include "traces/astra_sim/replay_faults.h"

#include <array>
#include <bit>
#include <utility>

#include <fmt/format.h>

#include "sim/base/shown_text.h"
#include "traces/astra_sim/astra_tasks.h"
#include "traces/astra_sim/phase.h"

namespace quintet {
namespace {

constexpr double most_bytes = 0x1p53;  // doubles are whole up to it

std::optional<Error> fault_of_network(const Workload& workload, const AstraNetwork& network,
                                      AstraBackend backend) {
  const std::string where = "network";
  const std::size_t dimensions = network.dimensions.size();
  if (dimensions < 1 || dimensions > static_cast<std::size_t>(most_astra_dimensions))
    return Error{where, fmt::format("{} dimensions; from 1 to {} are accepted", dimensions,
                                    most_astra_dimensions)};
  for (const AstraDimension& dimension : network.dimensions)
    if (dimension.ranks < 2 || !(dimension.gigabytes > 0.0) || !(dimension.nanoseconds >= 0.0))
      return Error{where, "a dimension has less than 2 ranks, no bandwidth or no latency"};
  if (backend == AstraBackend::congestion_aware && dimensions > 1)
    return Error{where,
                 fmt::format("{} dimensions; ASTRA-sim's congestion-aware network takes one: "
                             "take the unaware one, or a network of one dimension",
                             dimensions)};
  const auto ranks = static_cast<std::size_t>(ranks_of(network));
  if (ranks > static_cast<std::size_t>(most_astra_ranks) || ranks != workload.ranks.size())
    return Error{where, fmt::format("is of {} ranks, the workload has {}; they must agree", ranks,
                                    workload.ranks.size())};
  return std::nullopt;
}

std::optional<Error> fault_of_system(const AstraSystem& system) {
  const std::string where = "system";
  if (system.dataset_splits < 1 || system.dataset_splits > most_dataset_splits ||
      system.active_chunks < 1 || system.queues_per_dimension < 1 ||
      system.queues_per_dimension > 1024 || system.endpoint_nanoseconds < 0)
    return Error{where,
                 "a number of splits, chunks or queues below 1 or too large, or a delay below 0"};
  if (system.shared_bus)
    return Error{where + ": model-shared-bus",
                 "a bus shared by messages (LogGP) is not simulated here; set it to 0"};
  if (!system.per_node.empty())
    return Error{where + ": per-node-custom-implementation",
                 "steps from files are not simulated here; leave it out"};
  if (system.roofline && (system.peak_teraflops <= 0.0 || system.memory_gigabytes <= 0.0))
    return Error{where + ": roofline-enabled", "needs peak-perf and local-mem-bw above 0"};
  return std::nullopt;
}

// The algorithms that one kind of collective would be run with.
std::optional<Error> fault_of_algorithms(CollectiveKind kind, const AstraNetwork& network,
                                         const AstraSystem& system) {
  const AstraCollective& collective = system.collectives[*astra_collective_of(kind)];
  const std::string where = fmt::format("system: {}-implementation", name_of(kind));
  if (!collective.custom.empty())
    return Error{where + "-custom", "steps from files are not simulated here; leave it out"};
  if (collective.per_dimension.empty() ||
      collective.per_dimension.size() > network.dimensions.size())
    return Error{where, fmt::format("names {} algorithms for {} dimensions; give one for each",
                                    collective.per_dimension.size(), network.dimensions.size())};
  for (std::size_t at = 0; at < collective.per_dimension.size(); ++at) {
    const AstraImplementation& implementation = collective.per_dimension[at];
    const unsigned ranks = static_cast<unsigned>(
        implementation.one_ring ? ranks_of(network) : network.dimensions[at].ranks);
    if (implementation.algorithm == AstraAlgorithm::double_binary_tree)
      return Error{where,
                   "doubleBinaryTree is not simulated here; accepted are ring, direct and "
                   "halvingDoubling"};
    if (implementation.algorithm != AstraAlgorithm::halving_doubling) continue;
    if (!std::has_single_bit(ranks))
      return Error{where, fmt::format("halvingDoubling over {} ranks, which is no power of two: "
                                      "ASTRA-sim would not end; take ring or direct",
                                      ranks)};
    if (kind == CollectiveKind::all_to_all)
      return Error{where,
                   "ASTRA-sim has no halvingDoubling for an all-to-all; take direct or ring"};
  }
  return std::nullopt;
}

// One rank's tasks, in their order.
class Looking {
 public:
  Looking(const Workload& workload, const AstraNetwork& network, const AstraSystem& system)
      : workload_(workload), network_(network), system_(system) {}

  std::optional<Error> fault_of(std::size_t rank) {
    const WorkloadRank& work = workload_.ranks[rank];
    if (work.after_begin.size() != work.tasks.size() + 1 || work.after_begin.front() != 0 ||
        work.after_begin.back() != static_cast<std::int32_t>(work.after.size()))
      return Error{fmt::format("rank {}", rank), "its tasks and what they are after do not agree"};
    for (std::size_t task = 0; task < work.tasks.size(); ++task)
      if (const std::string what = fault_of(rank, task); !what.empty())
        return Error{fmt::format("rank {}: task {}{}", rank, task, named(work.tasks[task])), what};
    return std::nullopt;
  }
  const std::array<bool, 4>& used() const { return used_; }

 private:
  template <class Elements>
  static bool within(std::int32_t index, const Elements& elements) {
    return index >= 0 && static_cast<std::size_t>(index) < elements.size();
  }

  std::string named(const WorkloadTask& task) const {
    return within(task.info, workload_.infos)
               ? " " + in_quotes(workload_.infos[static_cast<std::size_t>(task.info)].name)
               : "";
  }

  std::string fault_of(std::size_t rank, std::size_t number) {
    const WorkloadRank& work = workload_.ranks[rank];
    const WorkloadTask& task = work.tasks[number];
    if (!within(task.info, workload_.infos)) return "is of a kind that the workload does not list";
    const SpanInfo& info = workload_.infos[static_cast<std::size_t>(task.info)];
    if (!within(info.lane, workload_.lanes)) return "is on a lane that the workload does not list";
    if (work.after_begin[number] > work.after_begin[number + 1])
      return "is after less than nothing";
    for (auto k = work.after_begin[number]; k < work.after_begin[number + 1]; ++k)
      if (const auto before = work.after[static_cast<std::size_t>(k)];
          before < 0 || static_cast<std::size_t>(before) >= number)
        return fmt::format("is after task {}, which does not stand before it", before);
    if (is_communication(info.kind) && !system_.replay_only) return fault_of(rank, task, info);
    return fault_of_work(task, info);
  }

  std::string fault_of_work(const WorkloadTask& task, const SpanInfo& info) const {
    if (system_.replay_only) return {};
    if (info.kind == SpanKind::copy)
      return "is for memory outside the rank, which NO_MEMORY_EXPANSION does not have and which is "
             "not simulated here";
    const bool priced = system_.roofline && resource_of(workload_, info) == AstraResource::compute;
    if (priced && task.touched.value > 0.0 && !(task.flops.value > 0.0))
      return "has bytes and no operations: ASTRA-sim's roofline divides 0 by 0; give it "
             "operations, "
             "or set roofline-enabled to 0";
    return {};
  }

  std::string fault_of(std::size_t rank, const WorkloadTask& task, const SpanInfo& info) {
    if (!within(task.peers, workload_.ranks[rank].peers)) return "communicates with nobody";
    const TaskPeers& peers = workload_.ranks[rank].peers[static_cast<std::size_t>(task.peers)];
    if (!(info.size.value >= 0.0) || info.size.value > most_bytes)
      return fmt::format("is of {} bytes; from 0 to 2^53 are accepted", info.size.value);
    if (info.kind != SpanKind::collective) {
      if (within(peers.peer, workload_.ranks) && static_cast<std::size_t>(peers.peer) != rank)
        return {};
      return fmt::format("has rank {} as its other end; one of the other {} is accepted",
                         peers.peer, workload_.ranks.size() - 1);
    }
    return fault_of_collective(rank, peers, info);
  }

  std::string fault_of_collective(std::size_t rank, const TaskPeers& peers, const SpanInfo& info) {
    const auto collective = astra_collective_of(peers.collective);
    if (peers.collective == CollectiveKind::broadcast) return {};
    if (!collective)
      return fmt::format("is a {}, which ASTRA-sim does not have", name_of(peers.collective));
    std::size_t members = workload_.ranks.size();
    if (peers.group >= 0) {
      if (!within(peers.group, workload_.groups)) return "is of a group that there is not";
      const auto& ranks = workload_.groups[static_cast<std::size_t>(peers.group)].ranks;
      members = ranks.size();
      if (std::find(ranks.begin(), ranks.end(), static_cast<std::int32_t>(rank)) == ranks.end())
        return "is of a group that the rank is not in";
      for (const std::int32_t member : ranks)
        if (!within(member, workload_.ranks)) return "is of a group with ranks that there are not";
    }
    const bool gathers = peers.collective == CollectiveKind::all_gather;
    if (gathers && info.size.value < static_cast<double>(members) * system_.dataset_splits)
      return fmt::format(
          "gathers {} bytes from {} ranks in {} pieces of less than a byte, over which "
          "ASTRA-sim does not end",
          info.size.value, members, system_.dataset_splits);
    const bool adds = peers.collective == CollectiveKind::all_reduce ||
                      peers.collective == CollectiveKind::reduce_scatter;
    if (adds && system_.memory_gigabytes <= 0.0)
      return "adds up, which takes the system's local-mem-bw: give it one above 0";
    if (members == workload_.ranks.size()) used_[*collective] = true;
    return {};
  }

  const Workload& workload_;
  const AstraNetwork& network_;
  const AstraSystem& system_;
  std::array<bool, 4> used_{};  // collectives of all ranks, by astra_collectives
};

}  // namespace

std::optional<Error> astra_replay_fault(const Workload& workload, const AstraNetwork& network,
                                        const AstraSystem& system, AstraBackend backend) {
  if (auto fault = fault_of_network(workload, network, backend)) return fault;
  if (auto fault = fault_of_system(system)) return fault;
  Looking looking(workload, network, system);
  for (std::size_t rank = 0; rank < workload.ranks.size(); ++rank)
    if (auto fault = looking.fault_of(rank)) return fault;
  for (std::size_t at = 0; at < astra_collectives.size(); ++at)
    if (looking.used()[at])
      if (auto fault = fault_of_algorithms(astra_collectives[at], network, system)) return fault;
  return std::nullopt;
}

}  // namespace quintet
