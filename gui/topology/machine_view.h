// A machine to draw: as built, without what is wrong with it, so that what has failed stays in the
// picture.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "gui/scenario/scenario.h"
#include "gui/topology/part_tree.h"
#include "sim/base/result.h"
#include "sim/json/field_change.h"

namespace quintet::gui {

// What of a scenario says which machine it is: all but its faults.
struct MachineKey {
  std::string topology;
  std::optional<int> hosts;
  FieldChanges changes;
  bool operator==(const MachineKey&) const = default;
};
Result<MachineKey> machine_key(const Scenario& scenario);

struct MachineView {
  MachineKey key;
  Topology built;
  PartTree tree;
  std::unordered_map<std::string, DeviceId> devices;  // by name
};
// Reads the machine's file.
Result<MachineView> machine_view(const MachineKey& key);
Result<Topology> built_machine(const MachineKey& key);

// What a name of --slow, --fail and --delay means there: one of three, or nothing.
struct NamedPlace {
  DeviceId device;
  HostId host;
  std::vector<LinkId> cables;  // both directions
  bool valid() const { return device.valid() || host.valid() || !cables.empty(); }
};
NamedPlace place_named(const MachineView& machine, std::string_view name);

// The part that a fault names, without its value: "leaf0=0.5" -> "leaf0".
std::string faulted_part(std::string_view entry);
// Every part that something is wrong with, each once.
std::vector<std::string> faulted_parts(const Faults& faults);

// As a fault names it that is there already (a cable may be named from either end), else as given.
std::string name_in_faults(const Scenario& scenario, const MachineView& machine,
                           const std::string& part);

// What --slow, --fail and --delay accept of it.
struct Breakable {
  bool slow = false, fail = false, delay = false;
};
Breakable breakable(const MachineView& machine, const NamedPlace& place);

}  // namespace quintet::gui
