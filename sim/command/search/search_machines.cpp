#include "sim/command/search/search_machines.h"

#include <fmt/format.h>

#include <charconv>

#include "sim/base/shown_text.h"
#include "sim/topology/file/topology_file.h"

namespace quintet {
namespace {

constexpr std::size_t most_machines = 1000;

Result<std::vector<std::optional<int>>> host_counts(const std::string& given) {
  if (given.empty()) return std::vector<std::optional<int>>{std::nullopt};
  const auto values = with_ranges(listed(given), "--hosts ");
  if (!values) return values.error();
  std::vector<std::optional<int>> counts;
  for (const std::string& value : *values) {
    int count = 0;
    const auto [end, failure] = std::from_chars(value.data(), value.data() + value.size(), count);
    if (failure != std::errc{} || end != value.data() + value.size() || count < 1 ||
        count > most_hosts)
      return Error{"--hosts " + shown(value, 80),
                   fmt::format("expected numbers from 1 to {}", most_hosts)};
    for (const std::optional<int>& other : counts)
      if (other == count) return Error{"--hosts " + value, "is listed twice; give each value once"};
    counts.push_back(count);
  }
  return counts;
}

struct MachineAsked {
  std::string topology;
  std::optional<int> hosts;
  AskedChanges changes;
};

Result<std::vector<MachineAsked>> machines_asked(const SearchArguments& arguments,
                                                 const SearchSettings& settings) {
  const auto hosts = host_counts(arguments.hosts);
  if (!hosts) return hosts.error();
  const Result<std::vector<AskedChanges>> changes = combinations(settings.machine);
  if (!changes) return changes.error();
  const std::size_t count = hosts->size() * changes->size() * arguments.inputs.topologies.size();
  if (count > most_machines)
    return Error{"", fmt::format("{} machines are asked for, and at most {} can be built side by "
                                 "side; give fewer values of --hosts and of the machine's fields",
                                 count, most_machines)};
  std::vector<MachineAsked> all;
  for (const std::string& topology : arguments.inputs.topologies)
    for (const std::optional<int>& each : *hosts)
      for (const AskedChanges& change : *changes) all.push_back({topology, each, change});
  return all;
}

InputNames names_of(const SearchArguments& arguments, const MachineAsked& asked) {
  InputNames names = arguments.inputs;
  names.plans.clear();
  names.topologies = {asked.topology};
  names.topology = asked.topology;
  names.hosts = asked.hosts;
  names.asked = {asked.changes};
  return names;
}

Result<Inputs> read_machine(const InputNames& names) {
  Result<std::vector<Inputs>> inputs = read_inputs(names);
  if (!inputs) return inputs.error();
  inputs->front().refused.clear();  // there is no plan yet
  return std::move(inputs->front());
}

MoneyWish money_wish(const SearchArguments& arguments, const Wanted& wanted) {
  MoneyWish wish = arguments.money;
  wish.money = wish.money || needs_bill(wanted);
  return wish;
}

struct PricedBy {
  MoneyWish wish;
  FieldChanges changes;
};

std::optional<Error> add_machine(InputNames names, const PricedBy& by, const Wanted& wanted,
                                 SearchMachines& to) {
  Result<Inputs> inputs = read_machine(names);
  if (!inputs) return inputs.error();
  Result<std::optional<Bill>> bill =
      bill_wished(by.wish, by.changes, inputs->topology, wanted.run.has_value());
  if (!bill) return bill.error();
  const std::string name = inputs->topology.name;
  const auto& limit = wanted.limits.machine;
  if (limit && *bill && bought(**bill).usual > *limit)
    return Error{name, fmt::format("costs {:.3g} M$ to buy, and the budget is {:.3g} M$",
                                   bought(**bill).usual.value * 1e-6, limit->value * 1e-6)};
  to.inputs.push_back(std::move(*inputs));
  to.names.push_back(name);
  to.asked.push_back(std::move(names));
  to.bills.push_back(std::move(*bill));
  return std::nullopt;
}

}  // namespace

Result<SearchMachines> search_machines(const SearchArguments& arguments,
                                       const SearchSettings& settings, const Wanted& wanted) {
  const Result<std::vector<MachineAsked>> all = machines_asked(arguments, settings);
  if (!all) return all.error();
  const Result<std::vector<AskedChanges>> prices = combinations(settings.prices);
  if (!prices) return prices.error();
  const MoneyWish money = money_wish(arguments, wanted);
  if (const auto error = wrong_money(money, *prices, wanted.run.has_value())) return *error;
  SearchMachines machines;
  std::optional<Error> first;
  for (const MachineAsked& asked : *all) {
    const auto error =
        add_machine(names_of(arguments, asked), {money, prices->front().prices}, wanted, machines);
    if (!error) continue;
    if (!first) first = error;
    machines.left_out.push_back(error->text());
  }
  if (machines.inputs.empty())
    return Error{first->where, first->what + (all->size() > 1 ? "; none of the other machines "
                                                                "asked for can be had either"
                                                              : "")};
  return machines;
}

}  // namespace quintet
