// What each link of a machine as built does in a part of the step, and what is wrong with it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/topology/topology.h"

namespace quintet::gui {

enum class LinkTrouble : std::uint8_t { none, slow, late, failed };
std::string_view name_of(LinkTrouble trouble);  // "failed"; empty: nothing is wrong

struct LinkState {
  double bytes = 0;        // carried meanwhile
  double utilisation = 0;  // bytes / (rate x time); 0 of a link that has failed
  Bandwidth rate;          // that is left of it
  Seconds latency;
  LinkTrouble trouble = LinkTrouble::none;  // the worst
};

// Per link of the machine as built, the same link of the machine with what has failed taken out of
// it (sim/topology/faults keeps their order); none where it has failed.
std::vector<LinkId> links_left(const Topology& built, const Topology& worse);

// What links carried: per link of `worse` an index into `bytes`, or -1.
struct Carried {
  std::span<const std::int32_t> load_of_link;  // empty: nothing is known
  std::span<const double> bytes;
  Seconds time;  // of the part of the step
};
// Per link of the machine as built.
std::vector<LinkState> link_states(const Topology& built, const Topology& worse,
                                   const Carried& carried);

// What a link is called, as --fail names its cable: by its even direction, "host0/nic0-leaf0".
std::string cable_name(const Topology& topology, LinkId link);

}  // namespace quintet::gui
