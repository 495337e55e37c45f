// A machine as parts inside of parts, which a picture folds and unfolds: pods, groups, switches of
// a tier, hosts, and what is in them. Values only; nothing here knows of a window.
#pragma once

#include <QPointF>
#include <string>
#include <vector>

#include "sim/topology/topology.h"

namespace quintet::gui {

enum class PartKind {
  machine,
  block,     // what hangs together below a tier of switches: a pod, a rail group, a leaf's hosts
  switches,  // of one tier
  node,      // a switch and its hosts, where switches are joined to their equals (torus, any graph)
  hosts,
  host,
  devices,  // alike devices of a host
  device,
};

// How what is inside of an unfolded part lies.
enum class Arrangement {
  stack,   // one above the other
  row,     // side by side, in lines of `columns`
  placed,  // at `places`
};

struct Part {
  PartKind kind = PartKind::device;
  std::string name;   // "group 0", "host3/gpu5"
  std::string label;  // short, inside of its parent: "gpu5"
  std::string count;  // what is in it, for people: "32 hosts, 256 GPUs"; empty: nothing
  int parent = -1;
  std::vector<int> children;
  Arrangement arrangement = Arrangement::row;
  int columns = 16;
  std::vector<QPointF> places;  // of children, any two at least 1 apart in x or in y
  DeviceId device;              // of a device; of a node its switch
  HostId host;                  // of a host
  int depth = 0;
};

struct PartTree {
  std::vector<Part> parts;          // the first is the machine; parents before children
  std::vector<int> part_of_device;  // the device's own part
};

// The parts of a machine as built. Trees of switches are cut below each tier into what then hangs
// together; a torus is a grid of nodes per plane; other graphs are laid out by their links. The
// same machine gives the same tree.
PartTree part_tree(const Topology& topology);

// Which parts are open at first: level by level, all of a kind or none, as long as there are no
// more boxes than `most`.
std::vector<bool> first_unfolded(const PartTree& tree, int most = 80);

// What of a machine was open, open in another with parts of the same names; else as `otherwise`.
std::vector<bool> unfolded_alike(const PartTree& old, const std::vector<bool>& unfolded,
                                 const PartTree& tree, std::vector<bool> otherwise);

// With this part visible: all above it open.
std::vector<bool> unfolded_down_to(const PartTree& tree, std::vector<bool> unfolded, int part);

// Per device, the part that shows it: its own, or the outermost closed one above it.
std::vector<int> shown_parts(const PartTree& tree, const std::vector<bool>& unfolded);

}  // namespace quintet::gui
