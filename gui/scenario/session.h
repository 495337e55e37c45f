// What a window holds, without results: enough to show the same again. Saved as JSON that people
// can read and edit (session_file.h).
#pragma once

#include <string>
#include <vector>

#include "gui/scenario/scenario.h"

namespace quintet::gui {

// A scenario put aside, to compare others with.
struct KeptScenario {
  std::string name;
  Scenario scenario;
  bool operator==(const KeptScenario&) const = default;
};

// How the window looks, which is no matter of undoing.
struct View {
  std::string page = "topology";     // Page::name
  std::string appearance = "light";  // Appearance, by its name
  std::string state;                 // of docks and splitters, in base 64 as Qt gives it
  bool operator==(const View&) const = default;
};

struct Session {
  Scenario scenario = first_scenario();
  std::vector<KeptScenario> kept;
  std::string recording;  // a trace file to hold beside the prediction; empty: none
  View view;
  bool operator==(const Session&) const = default;
};

}  // namespace quintet::gui
