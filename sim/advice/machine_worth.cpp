#include "sim/advice/machine_worth.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "sim/advice/neighbours.h"
#include "sim/money/bill.h"

namespace quintet {
namespace {

// A change, as it is tried: small where it has a small form.
struct Change {
  std::string name;
  std::optional<MachinePart> of;
  MachineMaker small, large;  // small: may be empty
  bool priced = false;        // a bill knows the part
};

bool has_price(MachinePart part) {
  return part == MachinePart::nic || part == MachinePart::leaf_uplinks ||
         part == MachinePart::spine_uplinks;
}

std::vector<Change> scaled_parts(const Machine& machine) {
  std::vector<Change> all;
  for (const MachinePart part : all_machine_parts) {
    const auto maker = [&machine, part](double factor) -> MachineMaker {
      return [&machine, part, factor]() -> Result<Machine> {
        std::optional<Machine> changed = with_part(machine, part, factor);
        return changed ? Result<Machine>(std::move(*changed)) : Error{"", "is not there"};
      };
    };
    if (with_part(machine, part, 1))
      all.push_back({std::string(name_of(part)), part, maker(a_tenth_better), maker(twice_as_good),
                     has_price(part)});
  }
  return all;
}

// Of a host; 0 where hosts differ in it.
int nics_of_host(const Topology& topology) {
  const std::size_t first = topology.hosts.empty() ? 0 : topology.hosts.front().nics.size();
  for (const Host& host : topology.hosts)
    if (host.nics.size() != first) return 0;
  return static_cast<int>(first);
}

// At most a NIC for each GPU is accepted (topologies/README.md).
void add_nics(const MachineQuestion& question, std::vector<Change>& all) {
  const Topology& topology = question.machine.topology;
  const int nics = nics_of_host(topology);
  if (nics == 0 || topology.hosts.size() < 2) return;
  const auto maker = [&](int wanted) -> MachineMaker {
    return [&question, wanted] {
      return question.rebuild({{"nics", fmt::to_string(wanted), fmt::format("{} NICs", wanted)}});
    };
  };
  const int most = static_cast<int>(topology.hosts.front().gpus.size());
  for (const int wanted : {2 * nics, nics / 2})
    if (wanted >= 1 && wanted <= most)
      all.push_back({fmt::format("NICs of a host: {} to {}", nics, wanted),
                     std::nullopt,
                     {},
                     maker(wanted),
                     true});
}

void add_oversubscription(const MachineQuestion& question, std::vector<Change>& all) {
  const double now = question.machine.topology.network.oversubscription;
  const auto maker = [&](double wanted) -> MachineMaker {
    return [&question, wanted] {
      return question.rebuild({{"oversubscription", fmt::format("{:.6g}", wanted),
                                fmt::format("oversubscription {:.3g}", wanted)}});
    };
  };
  if (question.machine.topology.network.tiers < 2) return;
  for (const double wanted : {now / 2, 2 * now})
    if (wanted >= 1)
      all.push_back({fmt::format("oversubscription: {:.3g} to {:.3g}", now, wanted),
                     std::nullopt,
                     {},
                     maker(wanted),
                     true});
}

std::optional<Dollars> price_of(const Topology& topology, const std::optional<Prices>& prices) {
  if (!prices) return std::nullopt;
  const Result<Bill> bill = bill_of(topology, *prices);
  if (!bill) return std::nullopt;
  return bought(*bill).usual;
}

// A machine that cannot be built is no change.
std::vector<Change> changes_of(const MachineQuestion& question) {
  std::vector<Change> all = scaled_parts(question.machine);
  if (!question.rebuild) return all;
  add_nics(question, all);
  add_oversubscription(question, all);
  return all;
}

// Curves that were measured on a network are of no other (CurveNetwork of
// sim/cost/communication_costs.h): a changed one is priced by the model alone, which may jump.
bool leaves_curves(const Machine& machine, MachinePart part) {
  const CommunicationCosts& costs = machine.costs.communication;
  if (costs.curves.empty() && costs.messages.empty()) return false;
  return part == MachinePart::nic || part == MachinePart::leaf_uplinks ||
         part == MachinePart::spine_uplinks || part == MachinePart::latency;
}

MachineWorth worth_of(const Change& change, const MachineQuestion& question,
                      std::optional<Dollars> now) {
  MachineWorth worth{change.name, change.of, {}, {}, std::nullopt, std::nullopt, ""};
  if (change.of && leaves_curves(question.machine, *change.of))
    worth.note = "by the model: what was measured is of the network as it is";
  if (!change.priced || !now) return worth;
  if (const Result<Machine> machine = change.large())
    if (const auto then = price_of(machine->topology, question.prices)) worth.bought = *then - *now;
  return worth;
}

double step_or_never(const MachineWorth& worth) {
  return worth.twice.step ? worth.twice.step->value : std::numeric_limits<double>::infinity();
}

}  // namespace

std::optional<double> elasticity(Seconds step, const MachineWorth& worth) {
  if (!worth.tenth.step || worth.tenth.step->value <= 0) return std::nullopt;
  return (step / *worth.tenth.step - 1) / (a_tenth_better - 1);
}

std::optional<Dollars> dollars_per_millisecond(Seconds step, const MachineWorth& worth) {
  if (!worth.bought || !worth.twice.step) return std::nullopt;
  const double saved = 1e3 * (step - *worth.twice.step).value;
  if (saved == 0 || (saved > 0) != (worth.bought->value > 0)) return std::nullopt;
  return *worth.bought / saved;
}

std::vector<MachineWorth> machine_worths(const MachineQuestion& question,
                                         const Evaluator& evaluator, const Effort& effort) {
  const std::vector<Change> changes = changes_of(question);
  const std::optional<Dollars> now = price_of(question.machine.topology, question.prices);
  std::vector<Attempt> attempts;
  for (const Change& change : changes) {
    if (change.small) attempts.push_back({question.plan, change.small});
    attempts.push_back({question.plan, change.large});
  }
  const std::vector<Result<Evaluated>> found = evaluations(attempts, evaluator, effort);
  std::vector<MachineWorth> all;
  std::size_t next = 0;
  for (const Change& change : changes) {
    MachineWorth worth = worth_of(change, question, now);
    if (change.small) worth.tenth = outcome_of(found[next++]);
    const Result<Evaluated>& large = found[next++];
    worth.twice = outcome_of(large);
    if (large) worth.where = large->mean;
    all.push_back(std::move(worth));
  }
  all.push_back(memory_worth(question.plan, question.machine, evaluator, effort));
  std::stable_sort(all.begin(), all.end(), [](const auto& left, const auto& right) {
    return step_or_never(left) < step_or_never(right);
  });
  return all;
}

}  // namespace quintet
