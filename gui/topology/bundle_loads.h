// What the bundles and closed boxes of a picture stand for, of all their links together.
#pragma once

#include <QPainterPath>
#include <span>
#include <string>
#include <vector>

#include "gui/topology/layout.h"
#include "gui/topology/link_states.h"

namespace quintet::gui {

struct LoadSum {
  double worst = 0, mean = 0;  // utilisation: of the busiest link, and over all that are left
  double bytes = 0;            // of all together
  LinkId busiest;              // the first of the busiest; none: there are no links
  int links = 0, slow = 0, late = 0, failed = 0;
};

struct LoadSums {
  std::vector<LoadSum> bundles;  // per Layout::bundles
  std::vector<LoadSum> boxes;    // per Layout::boxes, of links inside of a closed one
};
LoadSums load_sums(const Layout& layout, std::span<const LinkState> states);

// A utilisation for the end of the scale: the least of 1, 2, 5, 10, 20, 50 and 100 % that no bundle
// is above.
double scale_end(const LoadSums& sums);

// The line that stands for a bundle: between the sides of its boxes that face each other, bent
// where it would run over others in between.
QPainterPath line_of(const Layout& layout, const Bundle& bundle);

// Whether the links of a bundle are all of one cable, or of cables between the same two devices.
bool is_one_cable(const Topology& topology, const Bundle& bundle);

}  // namespace quintet::gui
