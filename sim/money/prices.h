// What a cluster costs: one file for all machines, traces/prices.json. Prices are public lists or
// estimates, each with its source and year; how many of each are bought follows from the machine's
// graph (inventory.h).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/units.h"
#include "sim/money/amounts.h"

namespace quintet {

enum class PriceBasis { list, estimate };
std::string_view name_of(PriceBasis basis);

// Where a price is from.
struct PriceOrigin {
  PriceBasis basis = PriceBasis::estimate;
  int year = 0;  // of the price
  std::string source;
  bool operator==(const PriceOrigin&) const = default;
};

struct Price {
  Amounts amount;
  PriceOrigin origin;
  bool operator==(const Price&) const = default;
};

// A number within a range, low <= usual <= high.
struct PriceFactor {
  double low = 0, usual = 0, high = 0;
  PriceOrigin origin;
  bool operator==(const PriceFactor&) const = default;
};

struct GpuPrice {
  std::string gpu;  // GpuSpec::name
  Price bought;
  Price rented_by_hour;  // host and network included
  bool operator==(const GpuPrice&) const = default;
};

// All of a host but its GPUs and NICs: processors, memory, NVSwitches, chassis.
struct HostPrice {
  int up_to_gpus = 0;
  Price bought;
  bool operator==(const HostPrice&) const = default;
};

// A NIC, a cable or a transceiver of at most such a rate per direction.
struct RatePrice {
  Bandwidth up_to;
  Price bought;
  bool operator==(const RatePrice&) const = default;
};

struct SwitchPrice {
  Bandwidth up_to;  // of a port, per direction
  int ports = 1;    // of one box
  Price bought;
  bool operator==(const SwitchPrice&) const = default;
};

// What a node draws of its rated power while it trains. `usual` none: as the step's own power model
// says (sim/explain/summary.h).
struct Drawn {
  double low = 0, high = 1;
  std::optional<double> usual;
  PriceOrigin origin;
  bool operator==(const Drawn&) const = default;
};

struct Prices {
  std::string name;  // in reports
  std::vector<GpuPrice> gpus;
  std::vector<HostPrice> hosts;  // ascending, as the lists below
  std::vector<RatePrice> nics;
  std::vector<SwitchPrice> switches;
  std::vector<RatePrice> cables;
  std::vector<RatePrice> optics;
  int optics_per_host_cable = 2;  // transceivers on a cable from NIC to switch
  int optics_per_trunk = 2;       // and on one between switches
  Price electricity;              // per kWh
  PriceFactor pue;                // energy of the building / of the machines
  Drawn drawn;
  PriceFactor years;   // over which what was bought is written off, used at every hour
  PriceFactor upkeep;  // per year, as a share of what was bought: repair, support, spares
  bool operator==(const Prices&) const = default;
};

}  // namespace quintet
