// A layout as lines for `ip -batch` and `tc -batch`, and where iproute2's programs are.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "engine/emulated_cluster/layout.h"
#include "sim/base/result.h"

namespace quintet::engine {

// Delayed cables go through one more space, behind all others, where the delay line sits.
bool has_wires(const ClusterLayout& layout);
std::string wire_device(std::size_t cable, std::size_t end);  // "w3.1": its end towards that end

// What programs hand to an interface at once (generic segmentation): bounded, so that a queue sees
// packets and not bundles of them.
std::size_t largest_packet(const ClusterLayout& layout);

// For any space: makes every interface where it belongs; `processes`: of each space, the wires
// last.
std::string interface_lines(const ClusterLayout& layout, const std::vector<pid_t>& processes);
// For the space itself: addresses, neighbours, ways.
std::string network_lines(const ClusterLayout& layout, std::size_t space);
std::string wire_lines(const ClusterLayout& layout);
// The ways alone; harmless where they are there. An interface that goes down loses them.
std::string way_lines(const ClusterLayout& layout, std::size_t space);
std::string shaping_lines(const ClusterLayout& layout, std::size_t space);

enum class Shaping { add, change };
std::string shaping_line(Shaping shaping, const std::string& device, Bandwidth rate, int payload);

struct NetworkPrograms {
  std::string ip, tc;  // paths
};

// In PATH, or where Debian puts them, which an ordinary user's PATH leaves out.
Result<NetworkPrograms> find_network_programs();

}  // namespace quintet::engine
