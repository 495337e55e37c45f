#include "engine/plan_limits/plan_deviations.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <variant>

#include "engine/communication/group_options.h"
#include "sim/base/text_table.h"
#include "sim/ccl/choice/cpu_choice.h"
#include "sim/plan/delivery.h"
#include "sim/program/groups.h"

namespace quintet::engine {

namespace {

// Every field of the layers below parallelism is named in its function: a new one does not compile
// until somebody has decided whether the engine obeys it.
class List {
 public:
  List(const Topology* topology, const EngineFacts& facts) : topology_(topology), facts_(facts) {}

  void add(const Topology& topology);
  void add(const Parallelism& parallelism);
  void add(const Ccl& ccl);
  void add(const CollectiveRule& rule, const std::string& field);
  void add(const IntraInter& intra_inter);
  void add(const HostNet& host_net);
  void add(const Network& network);
  void add(const WholeRun& run);
  std::vector<PlanDeviation> take() && { return std::move(found_); }

 private:
  void note(std::string decision, std::string_view asked, std::string done) {
    found_.push_back({std::move(decision), std::string(asked), std::move(done)});
  }
  bool on_gpus() const { return facts_.processor == Processor::gpu; }
  bool collectives_by(BackendKind kind) const { return facts_.backends.collectives == kind; }
  // Threads of the host send messages, as many as the plan says.
  bool has_delegates() const {
    return facts_.backends.messages == BackendKind::network ||
           facts_.backends.messages == BackendKind::delegates;
  }
  void add_delivery(const HostNet& host_net);
  bool has_gpus() const { return topology_ && !topology_->gpu_specs.empty(); }
  bool may_have_gpus() const { return !topology_ || has_gpus(); }
  bool has_several_hosts() const { return topology_ && topology_->hosts.size() > 1; }
  // There is more than one way between two hosts.
  bool has_a_fabric() const {
    return topology_ && topology_->network.family != "none" &&
           topology_->network.family != "single_switch";
  }

  const Topology* topology_;
  const EngineFacts& facts_;
  std::vector<PlanDeviation> found_;
};

void List::add(const Topology& topology) {
  if (has_gpus() && !on_gpus())
    note("topology", topology.gpu_specs.front().name + " GPUs", "CPUs compute, in their own time");
  if (facts_.places == RankPlaces::as_started)
    note("topology", topology.name,
         collectives_by(BackendKind::memory)
             ? "there is no network: ranks are threads of one process"
             : "the network is the one that joins the ranks here");
}

// The rest of it is obeyed by walking the program that was made from it.
void List::add(const Parallelism& parallelism) {
  if (const Samples& samples = parallelism.samples; samples.vary())
    note("parallelism.samples.lengths", samples.lengths, "the data has lengths of its own");
}

std::string_view text_of(TunerVersion version) {
  return version == TunerVersion::nccl_2_28 ? "NCCL 2.28's tables" : "NCCL 2.30's tables";
}

void List::add(const Ccl& ccl) {
  [[maybe_unused]] const auto& [tuner, rules, overlap_gradients, overlap_parameters, overlap_tensor,
                                bucket] = ccl;
  if (!collectives_by(BackendKind::nccl) && (may_have_gpus() || tuner != Ccl{}.tuner))
    note("ccl.tuner", text_of(tuner),
         collectives_by(BackendKind::memory) ? "sums in the order of ranks, in one piece"
                                             : "ring where no rule names another algorithm");
  for (std::size_t i = 0; i < rules.size(); ++i) add(rules[i], fmt::format("ccl.rules[{}]", i));
  if (overlap_tensor)
    note("ccl.overlap_tensor", "true", "tensor collectives run whole, after their GEMM");
}

// The kinds that a rule is about and that programs for this engine have.
std::vector<CollectiveKind> kinds_of(const CollectiveRule& rule) {
  if (rule.kind) return {*rule.kind};
  return {CollectiveKind::all_reduce, CollectiveKind::reduce_scatter, CollectiveKind::all_gather};
}

void List::add(const CollectiveRule& rule, const std::string& field) {
  [[maybe_unused]] const auto& [kind, axis, algorithm, protocol, channels] = rule;
  if (collectives_by(BackendKind::nccl)) return;
  if (collectives_by(BackendKind::memory)) {
    note(field, algorithm ? name_of(*algorithm) : "a protocol or channels",
         "sums in the order of ranks, in one piece");
    return;
  }
  std::string others;
  for (const CollectiveKind each : kinds_of(rule))
    if (algorithm && !cpu_ranks_do(each, *algorithm))
      others += (others.empty() ? "" : ", ") + std::string(name_of(each)) + " by " +
                std::string(name_of(cpu_algorithm(each, algorithm, {})));
  if (!others.empty()) note(field + ".algorithm", name_of(*algorithm), others);
  if (protocol)
    note(field + ".protocol", name_of(*protocol),
         "segments through UCX; CPU ranks have one protocol");
  if (channels)
    note(field + ".channels", std::to_string(*channels), "one: CPU ranks have no channels");
}

std::string text_of(const std::vector<int>& placement) {
  std::string text;
  for (const int slot : placement) text += (text.empty() ? "" : ", ") + std::to_string(slot);
  return text;
}

void List::add(const IntraInter& intra_inter) {
  [[maybe_unused]] const auto& [decompositions, forwarding, placement] = intra_inter;
  if (forwarding == Forwarding::same_rail && has_gpus() && has_several_hosts() &&
      !collectives_by(BackendKind::nccl))
    note("intra_inter.forwarding", name_of(forwarding),
         on_gpus() ? "none: NVLink carries nothing" : "none: CPU ranks have no NVLink");
  if (!placement.empty() && facts_.places == RankPlaces::as_started)
    note("intra_inter.placement", text_of(placement), "ranks stay where they were started");
}

void List::add(const HostNet& host_net) {
  [[maybe_unused]] const auto& [delivery, pipeline_delivery, delegates, queue_pairs, launch,
                                head_of_line] = host_net;
  add_delivery(host_net);
  if (delegates != HostNet{}.delegates && !has_delegates())
    note("host_net.delegates", std::to_string(delegates), "what sends here has no such threads");
  if (queue_pairs != HostNet{}.queue_pairs && !collectives_by(BackendKind::nccl))
    note("host_net.queue_pairs", std::to_string(queue_pairs),
         "one connection for each direction of a pair of ranks");
  if (launch != HostNet{}.launch && !on_gpus())
    note("host_net.launch", name_of(launch), "kernels are called one by one");
  if (head_of_line != HostNet{}.head_of_line)
    note("host_net.head_of_line", name_of(head_of_line), "sends wait as the transport lets them");
}

std::string_view way_of(BackendKind kind) {
  switch (kind) {
    case BackendKind::network:
      return "tensors lie in the host's memory; threads of the rank send them";
    case BackendKind::memory:
      return "nothing leaves the memory that all ranks share";
    case BackendKind::nccl:
      return "NCCL's kernels carry it";
    case BackendKind::delegates:
      return "the host carries it: out of the GPU, through the network, into the other GPU";
  }
  return "";
}

bool is_done(Delivery delivery, BackendKind kind) {
  return (row_of(delivery).driver == Driver::delegates) == (kind == BackendKind::delegates) &&
         (kind == BackendKind::delegates || kind == BackendKind::nccl);
}

void List::add_delivery(const HostNet& host_net) {
  const BackendKinds& by = facts_.backends;
  const bool asked = on_gpus() || has_gpus() || host_net.delivery != HostNet{}.delivery;
  if (asked && !is_done(host_net.delivery, by.collectives))
    note("host_net.delivery", name_of(host_net.delivery), std::string(way_of(by.collectives)));
  if (host_net.pipeline_delivery && !is_done(*host_net.pipeline_delivery, by.messages))
    note("host_net.pipeline_delivery", name_of(*host_net.pipeline_delivery),
         std::string(way_of(by.messages)));
}

// The emulated cluster takes the plan's routes and packets, and says itself what it cannot.
void List::add(const Network& network) {
  const auto& [routing, hash_seed, spray_efficiency, mtu] = network;
  for (const std::string& sentence : facts_.emulated)
    note("network", topology_ ? topology_->name : "", sentence);
  if (facts_.places == RankPlaces::of_topology) return;
  const std::string fabric = "the fabric decides";
  if (routing != Network{}.routing || has_a_fabric())
    note("network.routing", name_of(routing), fabric);
  if (routing == Routing::ecmp && hash_seed != Network{}.hash_seed)
    note("network.hash_seed", std::to_string(hash_seed), "the switches have their own");
  if (spray_efficiency != Network{}.spray_efficiency)
    note("network.spray_efficiency", percent(spray_efficiency, 0), fabric);
  if (mtu != Network{}.mtu)
    note("network.mtu", fmt::format("{} B", mtu), "the network interface's");
}

// The command line asks for them.
void List::add(const WholeRun& run) {
  [[maybe_unused]] const auto& [start_up, batch, evaluation, checkpoints] = run;
  if (evaluation != Evaluation{})
    note("run.evaluation", fmt::format("every {} samples", evaluation.every),
         "only --validate and --validate-every evaluate");
  if (checkpoints != Checkpoints{})
    note("run.checkpoints", fmt::format("every {} steps", checkpoints.every),
         "only --checkpoint and --checkpoint-every save");
}

}  // namespace

std::vector<PlanDeviation> plan_deviations(const Plan& plan, const Topology* topology,
                                           const EngineFacts& facts) {
  List list(topology, facts);
  if (topology) list.add(*topology);
  [[maybe_unused]] const auto& [name, parallelism, ccl, intra_inter, host_net, network, run] = plan;
  list.add(parallelism);
  list.add(ccl);
  list.add(intra_inter);
  list.add(host_net);
  list.add(network);
  list.add(run);
  return std::move(list).take();
}

std::set<CollectiveKind> kinds_on(const Program& program, CommunicatorId communicator) {
  std::set<CollectiveKind> kinds;
  for (const Body& body : program.bodies)
    for (const Instruction& instruction : body.instructions)
      if (const auto* const collective = std::get_if<Collective>(&instruction.action))
        if (collective->communicator == communicator) kinds.insert(collective->kind);
  return kinds;
}

namespace {

// By what one of the groups does it instead; nothing where all do as asked.
std::optional<Algorithm> done_instead(CollectiveKind kind, Algorithm asked,
                                      const std::vector<std::vector<Rank>>& groups,
                                      const std::vector<Seat>& seats) {
  for (const std::vector<Rank>& members : groups)
    if (const Algorithm done = cpu_algorithm(kind, asked, layout_of(members, seats)); done != asked)
      return done;
  return std::nullopt;
}

}  // namespace

// What no hosts would help is listed by its rule.
std::vector<PlanDeviation> unobeyed_on_hosts(const Program& program, const Ccl& ccl,
                                             const std::vector<Seat>& seats) {
  std::vector<PlanDeviation> found;
  for (std::size_t index = 0; index < program.communicators.size(); ++index) {
    const quintet::Communicator& communicator = program.communicators[index];
    const auto groups = all_groups(program.grid, communicator);
    for (const CollectiveKind kind : kinds_on(program, id_at<CommunicatorId>(index))) {
      const auto asked = rule_for(ccl, kind, communicator.parts.front().axis).algorithm;
      if (!asked || !cpu_ranks_do(kind, *asked)) continue;
      if (const auto done = done_instead(kind, *asked, groups, seats))
        found.push_back({"ccl.rules: " + std::string(name_of(kind)) + " on communicator \"" +
                             communicator.name + "\"",
                         std::string(name_of(*asked)),
                         std::string(name_of(*done)) + ": " + std::string(name_of(*asked)) +
                             " is not for ranks on hosts as these are"});
    }
  }
  return found;
}

}  // namespace quintet::engine
