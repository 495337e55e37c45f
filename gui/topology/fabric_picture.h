// All that a picture of a machine shows, put together: which boxes and lines, how loaded, what is
// broken, what is chosen.
#pragma once

#include <QString>
#include <string>
#include <vector>

#include "gui/topology/bundle_loads.h"
#include "gui/topology/machine_view.h"

namespace quintet::gui {

// Something wrong with a part, for a badge beside it.
struct Badge {
  enum class Shape { cross, triangle, clock } shape = Shape::cross;
  QString text;  // "50 %", "+5us"; empty: the shape says it
};

struct FabricPicture {
  const MachineView* machine = nullptr;  // null: there is none yet
  Layout layout;
  std::vector<QPainterPath> lines;  // per bundle
  LoadSums sums;
  std::vector<LinkState> states;  // per link of the machine as built
  bool loaded = false;            // the step is known: states have loads
  double scale = 1.0;             // the utilisation at the end of the scale
  std::vector<std::vector<Badge>> box_badges, bundle_badges;
  int chosen_box = -1, chosen_bundle = -1;
  QString title;   // "1,024 H100"
  QString moment;  // "whole step, 8761.1 ms"
};

// Lines and boxes anew, after something was folded or unfolded.
void lay_out(FabricPicture& picture, const std::vector<bool>& unfolded);
// Loads anew.
void load(FabricPicture& picture, std::vector<LinkState> states);
// Badges anew: what is broken inside of a closed part is counted on it.
void mark_faults(FabricPicture& picture, const Scenario& scenario,
                 const std::vector<bool>& unfolded);
// The box or the bundle that shows a part, -1: none of both.
struct Shown {
  int box = -1, bundle = -1;
};
Shown shown_at(const FabricPicture& picture, const std::vector<bool>& unfolded,
               const std::string& part);

// The closed box or frame's title at a place; -1: none. Lines: within `near` of it.
int box_at(const FabricPicture& picture, const QPointF& place);
int bundle_at(const FabricPicture& picture, const QPointF& place, double near);

// The name that a fault of it would have: a device's, a host's, a cable's; a bundle's busiest
// cable; empty: it is no single part.
std::string part_name(const FabricPicture& picture, int box);
std::string bundle_name(const FabricPicture& picture, int bundle);

// From a box the nearest other in a direction (each of x and y one of -1, 0, 1); itself: none.
int next_box(const FabricPicture& picture, int box, const QPointF& direction);
// Bundles that end at a box, in order.
std::vector<int> bundles_of(const FabricPicture& picture, int box);

}  // namespace quintet::gui
