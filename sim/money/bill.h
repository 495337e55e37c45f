// What a machine costs, and a step and a run on it. Pure.
//
//   bought       = sum of parts x price of each
//   switch boxes = ceil(cables of a switch of the graph / ports of a box)
//   hour, owned  = share x bought / (years x 8766 h) + share x bought x upkeep / 8766 h
//                  + power x PUE x price of electricity
//   hour, rented = GPUs of the plan x rent of one
//   share        = hosts of the plan / hosts of the machine
// Low ends take all that makes cheap together: low prices, many years, low power; high ends the
// opposite. Power lies between the shares of the rated power that were measured (Prices::drawn);
// usual is the step's own (sim/explain/summary.h), which is also its energy, unless the prices say
// otherwise. Not counted: buildings, staff, storage, interest, hours in which nothing runs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/base/result.h"
#include "sim/base/units.h"
#include "sim/money/prices.h"
#include "sim/topology/topology.h"

namespace quintet {

struct BillLine {
  std::string part;  // "GPU", "host", "NIC", "switch", "cable", "transceiver"
  std::string what;  // "H100-SXM-80GB", "400 Gb/s, NIC to switch"
  std::int64_t count = 0;
  Price each;
  Amounts all() const { return static_cast<double>(count) * each.amount; }
  bool operator==(const BillLine&) const = default;
};

// A GPU for an hour.
struct RentLine {
  std::string gpu;
  std::int64_t count = 0;
  Price hour;
  bool operator==(const RentLine&) const = default;
};

struct Bill {
  std::string prices;  // Prices::name
  std::vector<BillLine> bought;
  std::vector<RentLine> rented;
  int hosts = 1, gpus = 1;  // of the machine; gpus: ranks' places where it has none
  Price electricity;
  PriceFactor pue, years, upkeep;
  Drawn drawn;
  bool operator==(const Bill&) const = default;
};

// Fails where the prices lack a part: the error's place is the list, and it says what that has.
Result<Bill> bill_of(const Topology& topology, const Prices& prices);
Amounts bought(const Bill& bill);

// What a step on the machine says of itself.
struct StepUse {
  Seconds step;
  int gpus = 1, hosts = 1;
  Watts power;  // mean of the step, all of the job; 0: not known
  Watts rated;  // the same at full load
};

// What an hour costs.
struct Money {
  Bill bill;
  double share = 1;  // of the machine's hosts
  Amounts written_off, upkeep, electricity, owned, rented;
  bool knows_power = true;  // false: electricity is missing from `owned`
  Watts power_low, power_usual, power_high;
  Amounts owned_step, rented_step;
  bool operator==(const Money&) const = default;
};

Money money_of(const Bill& bill, const StepUse& use);
// What so long a time costs.
Amounts owned(const Money& money, Seconds time);
Amounts rented(const Money& money, Seconds time);

}  // namespace quintet
