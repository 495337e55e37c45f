#include "sim/money/bill.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/base/shown_text.h"
#include "sim/money/inventory.h"

namespace quintet {

namespace {

constexpr double hours_per_year = 8766, watts_per_kilowatt = 1e3, seconds_per_hour = 3600;

std::string rate_text(Bandwidth rate) {
  return fmt::format("{:.4g} Gb/s", rate.value * 8 / 1e9);
}

const GpuPrice* price_of(const std::string& gpu, const Prices& prices) {
  for (const GpuPrice& each : prices.gpus)
    if (each.gpu == gpu) return &each;
  return nullptr;
}

Error no_gpu(const std::string& gpu, const Prices& prices) {
  std::string known;
  for (const GpuPrice& each : prices.gpus) known += (known.empty() ? "" : ", ") + each.gpu;
  return {"gpus", "has no price of " + in_quotes(gpu) + ", only of " +
                      (known.empty() ? "none" : known) +
                      "; add one to a copy and name it with --prices"};
}

// A wire that carries less than is sold fits into a rounding error of what is: rates of files are
// those before framing.
template <class Entry>
const Entry* entry_for(Bandwidth rate, const std::vector<Entry>& entries) {
  constexpr double rounding = 1.0001;
  for (const Entry& entry : entries)
    if (rate <= rounding * entry.up_to) return &entry;
  return nullptr;
}

template <class Entry>
Error no_rate(const char* list, Bandwidth rate, const std::vector<Entry>& entries) {
  const std::string most = entries.empty() ? "nothing" : rate_text(entries.back().up_to);
  return {list, fmt::format("has nothing of {}, at most {}; add an entry", rate_text(rate), most)};
}

// The same price once.
void add(std::vector<BillLine>& lines, BillLine line) {
  for (BillLine& each : lines)
    if (each.part == line.part && each.what == line.what && each.each == line.each) {
      each.count += line.count;
      return;
    }
  if (line.count > 0) lines.push_back(std::move(line));
}

std::optional<Error> add_gpus(const Inventory& counted, const Prices& prices, Bill& bill) {
  for (const CountedGpus& gpus : counted.gpus) {
    const GpuPrice* const price = price_of(gpus.gpu, prices);
    if (price == nullptr) return no_gpu(gpus.gpu, prices);
    add(bill.bought, {"GPU", gpus.gpu, gpus.count, price->bought});
    RentLine rent{gpus.gpu, gpus.count, price->rented_by_hour};
    if (gpus.own_price > DollarsPerHour{}) {
      Amounts& hour = rent.hour.amount;
      hour.usual = Dollars{gpus.own_price.value};
      hour.low = std::min(hour.low, hour.usual);
      hour.high = std::max(hour.high, hour.usual);
    }
    bill.rented.push_back(rent);
  }
  return std::nullopt;
}

std::optional<Error> add_hosts(const Inventory& counted, const Prices& prices, Bill& bill) {
  for (const CountedHosts& hosts : counted.hosts) {
    const auto entry =
        std::find_if(prices.hosts.begin(), prices.hosts.end(),
                     [&](const auto& each) { return hosts.gpus <= each.up_to_gpus; });
    if (entry == prices.hosts.end())
      return Error{"hosts", fmt::format("has no host of {} GPUs, as {} is; add an entry",
                                        hosts.gpus, in_quotes(hosts.host))};
    add(bill.bought, {"host", hosts.host + " without GPUs and NICs", hosts.count, entry->bought});
  }
  return std::nullopt;
}

std::optional<Error> add_nics(const Inventory& counted, const Prices& prices, Bill& bill) {
  for (const CountedNics& nics : counted.nics) {
    const RatePrice* const entry = entry_for(nics.rate, prices.nics);
    if (entry == nullptr) return no_rate("nics", nics.rate, prices.nics);
    add(bill.bought, {"NIC", nics.nic + ", " + rate_text(nics.rate), nics.count, entry->bought});
  }
  return std::nullopt;
}

std::optional<Error> add_switches(const Inventory& counted, const Prices& prices, Bill& bill) {
  for (const CountedSwitches& switches : counted.switches) {
    const SwitchPrice* const entry = entry_for(switches.port, prices.switches);
    if (entry == nullptr) return no_rate("switches", switches.port, prices.switches);
    const std::int64_t boxes = (switches.cables + entry->ports - 1) / entry->ports;
    add(bill.bought, {"switch", fmt::format("box of {} ports for {}", entry->ports, switches.part),
                      boxes * switches.count, entry->bought});
  }
  return std::nullopt;
}

std::optional<Error> add_cables(const Inventory& counted, const Prices& prices, Bill& bill) {
  for (const CountedCables& cables : counted.cables) {
    const RatePrice* const cable = entry_for(cables.rate, prices.cables);
    const RatePrice* const optic = entry_for(cables.rate, prices.optics);
    if (cable == nullptr) return no_rate("cables", cables.rate, prices.cables);
    if (optic == nullptr) return no_rate("optics", cables.rate, prices.optics);
    const std::string what = rate_text(cables.rate) +
                             (cables.between_switches ? ", between switches" : ", NIC to switch");
    const int ends =
        cables.between_switches ? prices.optics_per_trunk : prices.optics_per_host_cable;
    add(bill.bought, {"cable", what, cables.count, cable->bought});
    add(bill.bought, {"transceiver", what, ends * cables.count, optic->bought});
  }
  return std::nullopt;
}

// `usual` within; the ends where all that makes cheap, or dear, comes together.
Amounts electricity_of(const Bill& bill, const Money& money) {
  const auto dollars = [](Watts power, double pue, Dollars kilowatt_hour) {
    return power.value / watts_per_kilowatt * pue * kilowatt_hour;
  };
  const Amounts& price = bill.electricity.amount;
  return {dollars(money.power_low, bill.pue.low, price.low),
          dollars(money.power_usual, bill.pue.usual, price.usual),
          dollars(money.power_high, bill.pue.high, price.high)};
}

void set_power(const Bill& bill, const StepUse& use, Money& money) {
  money.knows_power = use.power > Watts{} && use.rated > Watts{};
  money.power_usual = bill.drawn.usual ? *bill.drawn.usual * use.rated : use.power;
  money.power_low = std::min(bill.drawn.low * use.rated, money.power_usual);
  money.power_high = std::max(bill.drawn.high * use.rated, money.power_usual);
}

Amounts rented_hour(const Bill& bill, const StepUse& use) {
  Amounts all;
  std::int64_t gpus = 0;
  for (const RentLine& line : bill.rented) {
    all = all + static_cast<double>(line.count) * line.hour.amount;
    gpus += line.count;
  }
  return gpus == 0 ? all : static_cast<double>(use.gpus) / static_cast<double>(gpus) * all;
}

}  // namespace

Result<Bill> bill_of(const Topology& topology, const Prices& prices) {
  const Inventory counted = inventory_of(topology);
  Bill bill;
  bill.prices = prices.name;
  bill.hosts = static_cast<int>(topology.hosts.size());
  bill.gpus = static_cast<int>(rank_slots(topology).size());
  bill.electricity = prices.electricity;
  bill.pue = prices.pue;
  bill.years = prices.years;
  bill.upkeep = prices.upkeep;
  bill.drawn = prices.drawn;
  for (const auto add_some : {add_gpus, add_hosts, add_nics, add_switches, add_cables})
    if (const auto error = add_some(counted, prices, bill)) return *error;
  return bill;
}

Amounts bought(const Bill& bill) {
  Amounts all;
  for (const BillLine& line : bill.bought) all = all + line.all();
  return all;
}

Money money_of(const Bill& bill, const StepUse& use) {
  Money money;
  money.bill = bill;
  money.share = std::min(1.0, static_cast<double>(use.hosts) / std::max(1, bill.hosts));
  set_power(bill, use, money);
  const Amounts all = money.share * bought(bill);
  const auto an_hour = [](Dollars sum, double years) {
    return (1 / (years * hours_per_year)) * sum;
  };
  money.written_off = {an_hour(all.low, bill.years.high), an_hour(all.usual, bill.years.usual),
                       an_hour(all.high, bill.years.low)};
  money.upkeep = {an_hour(bill.upkeep.low * all.low, 1), an_hour(bill.upkeep.usual * all.usual, 1),
                  an_hour(bill.upkeep.high * all.high, 1)};
  if (money.knows_power) money.electricity = electricity_of(bill, money);
  money.owned = money.written_off + money.upkeep + money.electricity;
  money.rented = rented_hour(bill, use);
  money.owned_step = owned(money, use.step);
  money.rented_step = rented(money, use.step);
  return money;
}

Amounts owned(const Money& money, Seconds time) {
  return time.value / seconds_per_hour * money.owned;
}

Amounts rented(const Money& money, Seconds time) {
  return time.value / seconds_per_hour * money.rented;
}

}  // namespace quintet
