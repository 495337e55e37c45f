// Machines one part of which is better, or worse, by a factor. Pure.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "sim/advice/evaluation.h"

namespace quintet {

enum class MachinePart {
  nvlink,            // rate of every NVLink
  pcie,              // rate of every PCIe link
  nic,               // rate of cables between NICs and switches
  leaf_uplinks,      // rate of cables between leaves and the tier above; of a torus all its cables
  spine_uplinks,     // rate of cables above those
  latency,           // of links between and inside hosts, and of collectives' steps
  gpu_rate,          // peak rates of the GPU, all types
  memory_bandwidth,  // of the GPU
  launches,          // time to launch a kernel
};
inline constexpr std::array all_machine_parts{
    MachinePart::nvlink,        MachinePart::pcie,
    MachinePart::nic,           MachinePart::leaf_uplinks,
    MachinePart::spine_uplinks, MachinePart::latency,
    MachinePart::gpu_rate,      MachinePart::memory_bandwidth,
    MachinePart::launches};
std::string_view name_of(MachinePart part);  // "NIC rate"

// With rates times and times over `factor`. None where the machine has no such part, or its costs
// were measured whole, so that nobody knows what of them the part is.
std::optional<Machine> with_part(const Machine& machine, MachinePart part, double factor);

// How much better a part is tried.
inline constexpr double a_tenth_better = 1.1, twice_as_good = 2;

// Which part's rate a link has; none: of none of them (a link between processors).
std::optional<MachinePart> part_of(const Topology& topology, const Link& link);

}  // namespace quintet
