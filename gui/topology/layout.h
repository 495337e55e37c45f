// Where the boxes of a partly unfolded machine lie, and which bundles of links join them. Lengths
// in pixels at 100 %.
#pragma once

#include <QRectF>
#include <cstdint>
#include <vector>

#include "gui/topology/part_tree.h"

namespace quintet::gui {

struct Box {
  int part = 0;
  QRectF rect;
  bool open = false;  // a frame around its children
};

// All links between two boxes that show their ends.
struct Bundle {
  int one = 0, other = 0;     // indices into Layout::boxes; one < other
  std::vector<LinkId> links;  // both directions
};

struct Layout {
  std::vector<Box> boxes;        // those around others before them
  std::vector<int> box_of_part;  // -1: not shown
  std::vector<Bundle> bundles;   // in order of their boxes
  // Per link: its bundle; -1 - box where both ends are in one closed box.
  std::vector<int> place_of_link;
  QRectF bounds;
};

Layout layout(const Topology& topology, const PartTree& tree, const std::vector<bool>& unfolded);

// Space above what is in an open part, for its name.
inline constexpr double title_height = 20;

}  // namespace quintet::gui
