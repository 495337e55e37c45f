#include "sim/command/plans/communication_uses.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "sim/intra_inter/placement.h"
#include "sim/program/groups.h"

namespace quintet {
namespace {

const char* purpose_text(Purpose purpose) {
  switch (purpose) {
    case Purpose::gather_input:
      return "block's input, from parts of the sequence";
    case Purpose::reduce_output:
      return "block's partial outputs";
    case Purpose::gather_gradient:
      return "gradient of the block's output";
    case Purpose::gather_input_again:
      return "block's input, for its weight gradient";
    case Purpose::reduce_gradient:
      return "gradient of the block's input";
    case Purpose::loss_maximum:
      return "loss: maximum of logits";
    case Purpose::loss_sum:
      return "loss: sum of exponentials";
    case Purpose::loss_target:
      return "loss: logit of the target";
    case Purpose::sum_gradients:
      return "gradients, over replicas";
    case Purpose::sum_between_shards:
      return "gradients, between sharding groups";
    case Purpose::gather_weights:
      return "weights, from their shares";
    case Purpose::sum_norm_gradients:
      return "gradients of norms";
    case Purpose::sum_tied_embedding:
      return "gradient of the tied embedding";
    case Purpose::sum_gradient_norm:
      return "norm of all gradients";
    case Purpose::sum_tensor_norms:
      return "norms of tensors (LAMB)";
    case Purpose::exchange_samples:
      return "samples, dealt anew by length";
    case Purpose::exchange_replicas:
      return "of a replicator, between sharding groups";
    case Purpose::exchange:
      return "exchange";
  }
  return "";
}

bool computes(const Instruction& instruction) {
  return std::holds_alternative<Compute>(instruction.action);
}

bool computes(const Body& body) {
  return std::any_of(body.instructions.begin(), body.instructions.end(),
                     [](const Instruction& each) { return computes(each); });
}

// reaches[j]: instruction j comes after `from`, by dependency or in its lane.
std::vector<bool> those_after(const Body& body, std::size_t from) {
  std::vector<bool> reaches(body.instructions.size());
  reaches[from] = true;
  for (std::size_t j = from + 1; j < reaches.size(); ++j) {
    for (const int before : body.instructions[j].after)
      if (reaches[static_cast<std::size_t>(before)]) reaches[j] = true;
    for (std::size_t i = from; i < j; ++i)
      if (reaches[i] && body.instructions[i].lane == body.instructions[j].lane) reaches[j] = true;
  }
  return reaches;
}

// How often something computes under a use, by its name.
using Beside = std::map<std::string, int>;

// Kernels of its own body that neither wait for it nor it for them. Whether any waits for it.
bool add_kernels_beside(const Body& body, std::size_t place, Beside& under) {
  const std::vector<bool> after = those_after(body, place);
  bool awaited = false;
  for (std::size_t j = 0; j < body.instructions.size(); ++j) {
    if (!computes(body.instructions[j])) continue;
    awaited = awaited || after[j];
    const bool before = j < place && those_after(body, j)[place];
    if (!after[j] && !before) ++under[body.instructions[j].name];
  }
  return awaited;
}

// The next call behind it in the script that computes, unless it waits for it: kernels run in the
// script's order.
void add_call_beside(const Program& program, const Script& script, std::size_t call,
                     Beside& under) {
  constexpr std::size_t farthest = 64;  // calls, of which a step has thousands
  std::set<int> waiting{static_cast<int>(call)};
  const std::size_t end = std::min(script.calls.size(), call + farthest);
  for (std::size_t later = call + 1; later < end; ++later) {
    const Call& other = script.calls[later];
    const Body& body = program.bodies[other.body.index()];
    const bool waits = std::any_of(other.after.begin(), other.after.end(),
                                   [&](int before) { return waiting.contains(before); });
    if (waits) waiting.insert(static_cast<int>(later));
    if (!computes(body)) continue;
    if (!waits) ++under[body.name];
    return;
  }
}

// The last call before it that computes, unless it waits for that.
void add_call_before(const Program& program, const Script& script, std::size_t call,
                     Beside& under) {
  constexpr std::size_t farthest = 64;
  std::set<int> awaited{static_cast<int>(call)};
  for (std::size_t i = call + 1; i-- > 0 && call - i < farthest;) {
    const Call& other = script.calls[i];
    const bool is_awaited = awaited.contains(static_cast<int>(i));
    if (is_awaited) awaited.insert(other.after.begin(), other.after.end());
    const Body& body = program.bodies[other.body.index()];
    if (i == call || !computes(body)) continue;
    if (!is_awaited) ++under[body.name];
    return;
  }
}

struct Key {
  int communicator;  // -1 and -2: messages there and back
  CollectiveKind kind;
  Purpose purpose;
  auto operator<=>(const Key&) const = default;
};

struct Sum {
  int uses = 0;
  Bytes buffer;
  Beside under;
};
using Sums = std::map<Key, Sum>;

std::optional<Key> key_of(const Instruction& instruction) {
  if (const auto* collective = std::get_if<Collective>(&instruction.action))
    return Key{collective->communicator.value, collective->kind, collective->purpose};
  if (const auto* send = std::get_if<Send>(&instruction.action))
    return Key{send->payload == Payload::activation ? -1 : -2, CollectiveKind::all_reduce,
               Purpose::exchange};
  return std::nullopt;
}

Sums sums_of(const Program& program, const Script& script) {
  Sums sums;
  for (std::size_t number = 0; number < script.calls.size(); ++number) {
    const Call& call = script.calls[number];
    const Body& body = program.bodies[call.body.index()];
    for (std::size_t place = 0; place < body.instructions.size(); ++place) {
      const std::optional<Key> key = key_of(body.instructions[place]);
      if (!key) continue;
      Sum& sum = sums[*key];
      sum.uses += call.layers;
      sum.buffer += static_cast<double>(call.layers) * communicated(body.instructions[place]);
      const bool awaited = add_kernels_beside(body, place, sum.under);
      // A body's next iteration waits for all of this one.
      if (!awaited && (call.layers == 1 || !computes(body)))
        add_call_beside(program, script, number, sum.under);
      if (!computes(body)) add_call_before(program, script, number, sum.under);
    }
  }
  return sums;
}

std::vector<std::string> most_often(const Beside& under) {
  std::vector<std::pair<int, std::string>> counted;
  for (const auto& [name, times] : under) counted.emplace_back(-times, name);
  std::sort(counted.begin(), counted.end());
  std::vector<std::string> names;
  for (auto& [times, name] : counted) names.push_back(std::move(name));
  return names;
}

double sent_share(CollectiveKind kind, int ranks) {
  const double others = (ranks - 1.0) / ranks;
  switch (kind) {
    case CollectiveKind::all_reduce:
      return 2 * others;
    case CollectiveKind::reduce_scatter:
    case CollectiveKind::all_gather:
    case CollectiveKind::all_to_all:
      return others;
    case CollectiveKind::broadcast:
    case CollectiveKind::reduce:
      return 1;
  }
  return 1;
}

int hosts_of(const std::vector<Rank>& ranks, const std::vector<DeviceId>& slots,
             const Topology& topology) {
  std::set<int> hosts;
  for (const Rank rank : ranks) hosts.insert(topology.device(slots[rank.index()]).host.value);
  return static_cast<int>(hosts.size());
}

class Uses {
 public:
  Uses(const Program& program, const Plan& plan, const Topology& topology)
      : program_(program),
        topology_(topology),
        slots_(slots_of_ranks(topology, plan.intra_inter.placement, world_size(program.grid))) {}

  std::vector<CommunicationUse> all() const {
    std::map<Key, CommunicationUse> found;
    std::map<Key, int> stages;
    for (const Role& role : program_.roles)
      for (const auto& [key, sum] : sums_of(program_, role.script)) {
        CommunicationUse& use = found[key];
        ++stages[key];
        if (use.buffer < sum.buffer || use.uses == 0) use = use_of(key, sum, role);
      }
    std::vector<CommunicationUse> uses;
    for (auto& [key, use] : found) {
      if (use.ranks < 2) continue;
      const bool everywhere = stages[key] == static_cast<int>(program_.roles.size());
      if (everywhere && program_.roles.size() > 1) use.stage += ", others alike or less";
      uses.push_back(std::move(use));
    }
    std::stable_sort(uses.begin(), uses.end(),
                     [](const auto& left, const auto& right) { return left.sent > right.sent; });
    return uses;
  }

 private:
  Rank first_rank(int stage) const {
    for (int rank = 0; rank < world_size(program_.grid); ++rank)
      if (coordinate(program_.grid, Rank{rank}, Axis::pipeline) == stage) return Rank{rank};
    return Rank{0};
  }

  CommunicationUse use_of(const Key& key, const Sum& sum, const Role& role) const {
    CommunicationUse use;
    use.stage = role.name;
    use.uses = sum.uses;
    use.buffer = sum.buffer;
    use.under = most_often(sum.under);
    const Rank rank = first_rank(role.stage);
    if (key.communicator < 0) {
      const int offset = key.communicator == -1 ? 1 : -1;
      use.axis = name_of(Axis::pipeline);
      use.what = "messages";
      use.purpose = key.communicator == -1 ? "activations, to the next stage"
                                           : "their gradients, to the stage before";
      use.ranks = 2;
      use.hosts = hosts_of({rank, neighbour(program_.grid, rank, Axis::pipeline, offset)}, slots_,
                           topology_);
      use.sent = sum.buffer;
      return use;
    }
    const Communicator& group = program_.communicators[static_cast<std::size_t>(key.communicator)];
    const std::vector<Rank> ranks = group_of(program_.grid, group, rank);
    use.axis = group.name;
    use.what = name_of(key.kind);
    use.purpose = purpose_text(key.purpose);
    use.ranks = static_cast<int>(ranks.size());
    use.hosts = hosts_of(ranks, slots_, topology_);
    use.sent = sent_share(key.kind, std::max(1, use.ranks)) * sum.buffer;
    return use;
  }

  const Program& program_;
  const Topology& topology_;
  std::vector<DeviceId> slots_;
};

}  // namespace

std::vector<CommunicationUse> communication_uses(const Program& program, const Plan& plan,
                                                 const Topology& topology) {
  return Uses(program, plan, topology).all();
}

}  // namespace quintet
