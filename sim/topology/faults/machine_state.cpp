#include "sim/topology/faults/machine_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "sim/base/quantity_text.h"
#include "sim/topology/faults/faults.h"
#include "sim/topology/faults/reach.h"
#include "sim/topology/faults/removal.h"

namespace quintet {
namespace {

// Said as the options of `quintet simulate` say it.
Faults as_options(std::span<const Fault> wrong) {
  Faults faults;
  for (const Fault& fault : wrong) {
    if (fault.part.empty()) continue;
    if (fault.kind == FaultKind::slow)
      faults.slow.push_back(fmt::format("{}={}", fault.part, fault.share));
    if (fault.kind == FaultKind::delay)
      faults.delay.push_back(fault.part + "=" + exact_text(fault.by));
  }
  return faults;
}

bool fails(const Fault& fault) {
  return fault.kind == FaultKind::fail;
}

int lost_nics(const Topology& topology) {
  int lost = 0;
  for (const Host& host : topology.hosts) lost += host.lost_nics;
  return lost;
}

// The machine without all of these, where everybody still reaches everybody.
std::optional<Topology> without(const Topology& topology, const std::vector<bool>& gone,
                                NicLoss nic_loss) {
  Topology less = without_links(topology, gone);
  if (cut_off(less)) return std::nullopt;
  if (nic_loss == NicLoss::stands_still && lost_nics(less) > lost_nics(topology))
    return std::nullopt;
  return less;
}

// Numbers that without_links() leaves: NICs that it takes away take their links along.
std::vector<LinkId> numbers_left(const Topology& whole, const Topology& less) {
  std::vector<LinkId> numbers;
  std::size_t next = 0;
  for (const Link& link : less.links) {
    while (!(whole.links[next] == link)) ++next;
    numbers.push_back(id_at<LinkId>(next++));
  }
  return numbers;
}

std::vector<double> shares_of_ranks(std::span<const Fault> wrong, int ranks) {
  std::vector<double> shares;
  for (const Fault& fault : wrong) {
    if (!fault.part.empty() || fault.kind != FaultKind::slow) continue;
    if (shares.empty()) shares.assign(static_cast<std::size_t>(ranks), 1.0);
    shares[static_cast<std::size_t>(fault.rank)] *= fault.share;
  }
  return shares;
}

std::optional<Error> no_such_rank(const Fault& fault, int ranks) {
  if (!fault.part.empty() || fault.rank < ranks) return std::nullopt;
  return Error{"", fmt::format("there is no rank {}; ranks are 0 to {}", fault.rank, ranks - 1)};
}

}  // namespace

Result<MachineState> machine_state(const Topology& whole, std::span<const Fault> wrong, int ranks,
                                   NicLoss nic_loss) {
  for (const Fault& fault : wrong)
    if (const auto error = no_such_rank(fault, ranks)) return *error;
  Result<Topology> worse = with_faults(whole, as_options(wrong));
  if (!worse) return worse.error();
  MachineState state{std::move(*worse), {}, {}, shares_of_ranks(wrong, ranks)};
  const Topology intact = state.topology;
  std::vector<bool> gone(whole.links.size(), false);
  for (const Fault& fault : wrong) {
    if (!fails(fault)) continue;
    const Result<std::vector<LinkId>> links = links_that_fail(whole, fault.part);
    if (!links) return links.error();
    std::vector<bool> more = gone;
    for (const LinkId link : *links) more[link.index()] = true;
    if (auto less = without(intact, more, nic_loss)) {
      gone = std::move(more);
      state.topology = std::move(*less);
      state.whole_link = numbers_left(intact, state.topology);
    } else {
      state.dead.insert(state.dead.end(), links->begin(), links->end());
    }
  }
  return state;
}

Result<std::vector<LinkCondition>> link_conditions(const Topology& whole,
                                                   std::span<const Fault> wrong) {
  const Result<Topology> worse = with_faults(whole, as_options(wrong));
  if (!worse) return worse.error();
  std::vector<LinkCondition> conditions;
  for (const Link& link : worse->links) conditions.push_back({link.rate(), link.latency, false});
  for (const Fault& fault : wrong) {
    if (!fails(fault)) continue;
    const Result<std::vector<LinkId>> links = links_that_fail(whole, fault.part);
    if (!links) return links.error();
    for (const LinkId link : *links) conditions[link.index()].dead = true;
  }
  return conditions;
}

std::optional<Error> misnamed(const Topology& whole, const FaultPlan& faults, int ranks) {
  for (const Fault& fault : faults.faults) {
    const Result<MachineState> alone = machine_state(whole, {&fault, 1}, ranks);
    if (!alone) return Error{faults.file + ": " + text(fault), alone.error().what};
  }
  return std::nullopt;
}

}  // namespace quintet
