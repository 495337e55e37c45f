// Where the nodes of a graph lie: any graph, of which nothing is known but who is joined to whom.
#pragma once

#include <QPointF>
#include <utility>
#include <vector>

namespace quintet::gui {

using Neighbours = std::vector<std::vector<int>>;  // per node, each neighbour once, ascending

// Nodes that belong together: joined by links whose ends have a neighbour in common, as inside a
// group of a dragonfly, while between groups no such triangles are (J. Kim, W. Dally, S. Scott and
// D. Abts 2008, "Technology-driven, highly-scalable dragonfly topology"). Per node its group,
// numbered by their first nodes. One group where that finds fewer than two of three nodes each.
std::vector<int> groups_of(const Neighbours& neighbours);

// Evenly on a circle, the first at its top; the nearest two are 1 apart in x or in y.
std::vector<QPointF> on_circle(int count);

// By springs and repulsion (T. Fruchterman and E. Reingold 1991, "Graph drawing by force-directed
// placement") from a circle, with a fixed number of rounds: the same graph gives the same places.
// Scaled like on_circle(). Above `most_by_force` nodes a square grid by number.
inline constexpr int most_by_force = 400;
std::vector<QPointF> by_force(const Neighbours& neighbours);

}  // namespace quintet::gui
