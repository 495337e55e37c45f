// What of a machine's network people change most: which of it this machine has, what it is now,
// what is accepted.
#pragma once

#include <string>
#include <vector>

#include "gui/topology/machine_view.h"
#include "sim/base/result.h"

namespace quintet::gui {

struct FabricField {
  std::string setting;   // as before the = of --set: "network.switch.ports"; "hosts": --hosts
  std::string label;     // for people: "Ports of a leaf switch"
  std::string value;     // as it is now: "64", "400 Gb/s"
  std::string accepted;  // "a whole number from 1 to 1024"
  std::string meaning;   // of its format's description
};

// Of the machine that the key names and that was built of it; the error says why its file cannot
// be read.
Result<std::vector<FabricField>> fabric_fields(const MachineKey& key, const Topology& built);

// The scenario with another value of it; an empty one leaves it to its file.
Scenario with_fabric_field(const Scenario& scenario, const std::string& setting,
                           const std::string& value);
// Why the scenario's machine cannot be built; empty: it can, and `text` says what it is.
struct FabricCheck {
  std::string wrong, text;
};
FabricCheck check_fabric(const Scenario& scenario);

}  // namespace quintet::gui
