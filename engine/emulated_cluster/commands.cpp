#include "engine/emulated_cluster/commands.h"

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <sstream>

namespace quintet::engine {
namespace {

// IP and TCP headers with time stamps, then Ethernet's own; then what is on a wire but not in a
// packet: check sum, preamble, gap.
constexpr int ip_and_tcp = 20 + 20 + 12;
constexpr int ethernet = 14;
constexpr int unseen = 4 + 8 + 12;

std::string cable_address(std::size_t cable, std::size_t end) {
  const std::size_t number = 2 * cable + end;
  return fmt::format("10.{}.{}.{}", 78 + number / 65536, number / 256 % 256, number % 256);
}

std::string hardware_address(std::size_t cable, std::size_t end) {
  char text[18];
  std::snprintf(text, sizeof text, "02:51:%02x:%02x:%02x:%02x",
                static_cast<unsigned>(cable >> 16 & 0xff), static_cast<unsigned>(cable >> 8 & 0xff),
                static_cast<unsigned>(cable & 0xff), static_cast<unsigned>(end));
  return text;
}

struct Port {
  std::size_t cable, end;
};
std::vector<Port> ports_of(const ClusterLayout& layout, std::size_t space) {
  std::vector<Port> ports;
  for (std::size_t cable = 0; cable < layout.cables.size(); ++cable)
    for (std::size_t end = 0; end < 2; ++end)
      if (layout.cables[cable].ends[end].space == space) ports.push_back({cable, end});
  return ports;
}

// What passes a rested queue at once. Too little, and a queue that wakes late on a busy machine
// loses what it could have sent meanwhile, and packets are so small that the kernel's work on them
// takes most of a core: on 2 cores, a ring all-reduce of 64 MB by 4 hosts with 1 Gbit/s took 2.8 s
// of kernel time per GB with 100 us of the rate, 0.8 to 1.9 s with 400 us. The price: a message
// after a pause arrives up to so much too early.
double burst_of(Bandwidth rate, int payload) {
  return std::max(3.0 * (payload + ip_and_tcp + ethernet), rate.value * 400e-6);
}

std::string veth_line(const std::string& one, const std::string& other, const std::string& mtu) {
  return "link add " + one + mtu + " type veth peer " + other + mtu + "\n";
}

// A table per end of a cable, for hosts that part from the others' way.
std::string table_of(const HostRoute& route) {
  return std::to_string(1000 + 2 * route.cable + route.end);
}

std::string path_of(const std::string& program) {
  const char* const set = std::getenv("PATH");
  std::istringstream folders((set == nullptr ? "" : std::string(set) + ":") + "/usr/sbin:/sbin");
  for (std::string folder; std::getline(folders, folder, ':');)
    if (const std::string path = folder + "/" + program; access(path.c_str(), X_OK) == 0)
      return path;
  return "";
}

}  // namespace

bool has_wires(const ClusterLayout& layout) {
  return std::any_of(layout.cables.begin(), layout.cables.end(),
                     [](const Cable& cable) { return cable.delayed(); });
}

std::size_t largest_packet(const ClusterLayout& layout) {
  double burst = 2 * 65536;
  for (const Cable& cable : layout.cables)
    for (const CableEnd& end : cable.ends)
      burst = std::min(burst, burst_of(end.rate, layout.payload));
  // The delay line keeps room for so much per frame, however small it is.
  if (has_wires(layout)) burst = std::min(burst, 2.0 * 15000);
  const double packet = layout.payload + ip_and_tcp;
  return static_cast<std::size_t>(std::max(packet, burst / 2));
}

std::string wire_device(std::size_t cable, std::size_t end) {
  return fmt::format("w{}.{}", cable, end);
}

std::string interface_lines(const ClusterLayout& layout, const std::vector<pid_t>& processes) {
  const std::string mtu = fmt::format(" mtu {}", layout.payload + ip_and_tcp);
  const auto place = [&](const std::string& device, std::size_t space) {
    return fmt::format("name {} netns {}", device, processes[space]);
  };
  std::string lines;
  for (std::size_t cable = 0; cable < layout.cables.size(); ++cable) {
    std::array<std::string, 2> ends;
    for (std::size_t end = 0; end < 2; ++end) {
      const CableEnd& what = layout.cables[cable].ends[end];
      ends[end] = place(what.device, what.space) + " address " + hardware_address(cable, end);
    }
    if (layout.cables[cable].delayed())
      for (std::size_t end = 0; end < 2; ++end)
        lines += veth_line(ends[end], place(wire_device(cable, end), layout.spaces.size()), mtu);
    else
      lines += veth_line(ends[0], ends[1], mtu);
  }
  return lines;
}

std::string network_lines(const ClusterLayout& layout, std::size_t space) {
  std::string lines = "link set lo up\n";
  for (const Port& port : ports_of(layout, space)) {
    const std::string& device = layout.cables[port.cable].ends[port.end].device;
    if (const auto number = interface_at(layout, port.cable, port.end))
      lines += "addr add " + host_address(*number) + "/16 dev " + device + " noprefixroute\n";
    lines += "addr add " + cable_address(port.cable, port.end) + "/31 dev " + device + "\n";
    lines += fmt::format("link set {} up gso_max_size {}\n", device, largest_packet(layout));
    lines += "neigh add " + cable_address(port.cable, 1 - port.end) + " lladdr " +
             hardware_address(port.cable, 1 - port.end) + " dev " + device + " nud permanent\n";
  }
  lines += way_lines(layout, space);
  for (const HostRoute& route : layout.routes)
    if (route.space == space && route.from)
      lines += "rule add from " + host_address(*route.from) + " to " + host_address(route.to) +
               " lookup " + table_of(route) + "\n";
  return lines;
}

std::string way_lines(const ClusterLayout& layout, std::size_t space) {
  std::string lines;
  for (const HostRoute& route : layout.routes) {
    if (route.space != space) continue;
    const std::string way = " via " + cable_address(route.cable, 1 - route.end) + " dev " +
                            layout.cables[route.cable].ends[route.end].device;
    const std::optional<std::size_t> own = interface_at(layout, route.cable, route.end);
    if (route.from)
      lines += "route replace default" + way + " table " + table_of(route) + "\n";
    else if (own)
      lines +=
          "route replace " + host_address(route.to) + way + " src " + host_address(*own) + "\n";
    else
      lines += "route replace " + host_address(route.to) + way + "\n";
  }
  return lines;
}

std::string wire_lines(const ClusterLayout& layout) {
  std::string lines;
  for (std::size_t cable = 0; cable < layout.cables.size(); ++cable)
    if (layout.cables[cable].delayed())
      for (std::size_t end = 0; end < 2; ++end)
        lines += "link set " + wire_device(cable, end) + " up\n";
  return lines;
}

// What the queue does not see of a full packet is taken off the rate instead.
std::string shaping_line(Shaping shaping, const std::string& device, Bandwidth rate, int payload) {
  const double seen = payload + ip_and_tcp + ethernet;
  const double bits = rate.value * 8 * seen / (seen + unseen);
  const char* verb = shaping == Shaping::add ? "add" : "change";
  return fmt::format("qdisc {} dev {} root tbf rate {}bit burst {} latency 50ms\n", verb, device,
                     std::llround(bits), std::llround(burst_of(rate, payload)));
}

std::string shaping_lines(const ClusterLayout& layout, std::size_t space) {
  std::string lines;
  for (const Port& port : ports_of(layout, space)) {
    const CableEnd& end = layout.cables[port.cable].ends[port.end];
    lines += shaping_line(Shaping::add, end.device, end.rate, layout.payload);
  }
  return lines;
}

Result<NetworkPrograms> find_network_programs() {
  const NetworkPrograms tools{path_of("ip"), path_of("tc")};
  for (const auto& [path, name] : {std::pair{tools.ip, "ip"}, std::pair{tools.tc, "tc"}})
    if (path.empty())
      return Error{"box", std::string("no program \"") + name +
                              "\" is found; install iproute2 (Debian: apt-get install iproute2)"};
  return tools;
}

}  // namespace quintet::engine
