// What is asked: which files, and what is to be other than they say. It is a command line of
// `quintet simulate` as a value; whatever the window edits, it edits here, so that each of its
// states is a command (scenario_command.h) and undoing is giving back an earlier value.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/topology/faults/faults.h"

namespace quintet::gui {

// As behind --set: "topology.nics" and "4".
struct Setting {
  std::string path, value;
  bool operator==(const Setting&) const = default;
};

struct Scenario {
  std::string model, topology, plan;  // files or shipped names
  std::string costs, stack;           // empty: as `quintet simulate` chooses
  std::optional<int> hosts;           // none: as many as the machine's file has
  std::vector<Setting> settings;      // one per path, in the order in which they were made
  Faults faults;
  bool operator==(const Scenario&) const = default;
};

// The example that the window starts with: Llama-3-70B on 1,024 H100.
Scenario first_scenario();

// The value that a path was given; none: it is as the file says.
std::optional<std::string> setting(const Scenario& scenario, std::string_view path);
// With another value of the path; an empty one leaves it to the file again.
Scenario with_setting(Scenario scenario, std::string_view path, std::string_view value);

// What is wrong with a part, as `quintet simulate` names parts ("leaf0-spine1", "host3/nic5").
struct PartFault {
  std::optional<double> share;       // of its rate that is left; none: all
  std::optional<std::string> delay;  // "5us"; none: no more than usual
  bool failed = false;
  bool operator==(const PartFault&) const = default;
};
PartFault fault_of(const Scenario& scenario, std::string_view part);
// In place of what was wrong with it; a fault without anything restores the part.
Scenario with_fault(Scenario scenario, std::string_view part, const PartFault& fault);

// "tensor 4, nics 2; leaf0-spine1 failed": what differs from the files, or from another scenario;
// "as its files say" and "the same" where nothing does.
std::string difference_text(const Scenario& scenario);
std::string difference_text(const Scenario& scenario, const Scenario& other);

}  // namespace quintet::gui
