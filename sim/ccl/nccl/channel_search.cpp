// The outcome of NCCL's channel search (src/graph/search.cc) on hosts where all GPUs reach each
// other alike, with its speeds and stopping rules. GB/s, as there.
#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <limits>
#include <span>

#include "sim/ccl/nccl/communicator_shape.h"

namespace quintet {

namespace {

constexpr int most_search_channels = 32;

constexpr std::array older_intra{40., 30., 20., 18., 15., 12., 10., 9., 7., 6., 5., 4., 3.};
constexpr std::array older_inter{48., 30., 28., 24., 20., 18., 15., 12.,  10., 9.,
                                 7.,  6.,  5.,  4.,  3.,  2.4, 1.2, 0.24, 0.12};
constexpr std::array hopper_intra{60., 50., 40., 30., 24., 20., 15., 12., 11., 6., 3.};
constexpr std::array hopper_inter{48., 45., 42., 40., 30., 24., 22.,  20., 17.5,
                                  15., 12., 6.,  3.,  2.4, 1.2, 0.24, 0.12};
constexpr std::array blackwell_intra{90., 80., 70., 60., 50., 40., 30., 24., 20., 19., 18.};
constexpr std::array blackwell_inter{96.,  48., 45.1, 42., 40., 30., 24., 22.,  20.,
                                     17.5, 15., 12.,  6.,  3.,  2.4, 1.2, 0.24, 0.12};

struct Speeds {
  std::span<const double> intra, inter;
};

Speeds speeds_of(GpuGeneration generation) {
  switch (generation) {
    case GpuGeneration::volta:
    case GpuGeneration::ampere:
      return {older_intra, older_inter};
    case GpuGeneration::hopper:
      return {hopper_intra, hopper_inter};
    case GpuGeneration::blackwell:
      return {blackwell_intra, blackwell_inter};
  }
  assert(false);
  return {};
}

double nvlink_rate(GpuGeneration generation) {
  switch (generation) {
    case GpuGeneration::volta:
    case GpuGeneration::ampere:
      return 20.0;
    case GpuGeneration::hopper:
      return 20.6;
    case GpuGeneration::blackwell:
      return 40.1;
  }
  assert(false);
  return 0.0;
}

// One node's resources in GB/s, each direction.
struct Node {
  int gpus = 1;
  LocalLink link = LocalLink::nvlink;
  double local = 0.0;  // per GPU to the others
  double pcie = 0.0;   // per GPU
  double nic = 0.0;
  int nics = 0;
  Speeds speeds;
};

Node node_of(int gpus, const LocalHardware& hardware) {
  const double unlimited = std::numeric_limits<double>::infinity();
  Node node{.gpus = gpus, .link = hardware.link};
  node.pcie = hardware.pcie.value > 0 ? hardware.pcie.value * 1e-9 : unlimited;
  node.local = hardware.link == LocalLink::nvlink
                   ? hardware.nvlinks * nvlink_rate(hardware.generation)
                   : node.pcie;
  node.nic = hardware.nic.value * 1e-9;
  node.nics = hardware.nics;
  node.speeds = speeds_of(hardware.generation);
  return node;
}

// How often `speed` fits, forgiving rounding of the division.
int fits(double rate, double speed) {
  return static_cast<int>(std::min(std::floor(rate / speed + 1e-9), double{most_search_channels}));
}

// A ring passes every GPU once, so each channel takes its speed from each GPU's local link.
int local_channels(const Node& node, double speed) {
  return fits(node.local, speed);
}

// Across nodes a channel leaves through one GPU, which spares that GPU's NVLink (not its PCIe).
bool ring_fits(const Node& node, int channels, double speed) {
  const int exits = channels / node.gpus;  // of the GPU with the fewest
  const int most_exits = (channels + node.gpus - 1) / node.gpus;
  const bool shared = node.link == LocalLink::pcie;
  const double local = (shared ? channels : channels - exits) * speed;
  return (node.gpus == 1 || local <= node.local + 1e-9) && most_exits * speed <= node.pcie + 1e-9;
}

int network_channels(const Node& node, double speed) {
  int channels = std::min(node.nics * fits(node.nic, speed), most_search_channels);
  while (channels > 0 && !ring_fits(node, channels, speed)) --channels;
  return channels;
}

struct Found {
  int channels = 0;
  double speed = 0.0;
  double total() const { return channels * speed; }
};

// Walks down the speeds: a slower one must win in total, and below half of the best NCCL stops.
Found search(std::span<const double> speeds, double fastest, double enough,
             int (*channels_at)(const Node&, double), const Node& node) {
  Found best;
  for (const double speed : speeds) {
    if (speed > fastest) continue;
    if (best.channels > 0 && speed / best.speed <= 0.49) break;
    const Found found{channels_at(node, speed), speed};
    if (found.total() > best.total()) best = found;
    if (best.total() >= enough) break;
  }
  return best;
}

// Fast channels are split in two, so that more thread blocks share the work.
Found doubled(Found found, GpuGeneration generation) {
  const bool left_alone =
      generation >= GpuGeneration::hopper && found.speed < 50.0 && found.channels > 4;
  if (found.speed < 25.0 || left_alone || 2 * found.channels > most_search_channels) return found;
  return {2 * found.channels, found.speed / 2};
}

ChannelGraph graph_of(const Found& found) {
  const Bandwidth rate{found.speed * 1e9};
  return {found.channels, rate, rate};
}

// No NVLink, PCIe or NIC rate given leaves one slow channel rather than none: NCCL's own fallback.
constexpr Found fallback{1, 0.1};

ChannelGraph ring_graph(const Node& node, int nodes, GpuGeneration generation) {
  const Found found = nodes == 1
                          ? search(node.speeds.intra, node.local, node.local, local_channels, node)
                          : search(node.speeds.inter, std::min(node.nic, node.pcie), node.local,
                                   network_channels, node);
  return graph_of(found.channels == 0 ? fallback : doubled(found, generation));
}

double fastest_within(std::span<const double> speeds, double rate) {
  const auto at =
      std::find_if(speeds.begin(), speeds.end(), [&](double speed) { return speed <= rate; });
  return at == speeds.end() ? 0.0 : *at;
}

// Every GPU heads one channel. A channel takes its speed once from each GPU and twice from its head
// (its own data, and the reduced data). NCCL wants more than two GPUs (src/transport/nvls.cc).
ChannelGraph nvls_graph(const Node& node, int nodes, const LocalHardware& hardware) {
  const bool capable = hardware.generation >= GpuGeneration::hopper && hardware.nvswitch &&
                       hardware.reducing_switch && hardware.link == LocalLink::nvlink &&
                       node.gpus > 2;
  if (!capable) return {};
  const int heads =
      std::min(nodes == 1 ? node.gpus : std::min(node.gpus, node.nics), most_search_channels);
  const double intra = fastest_within(node.speeds.intra, node.local / (heads + 1));
  const double inter =
      nodes == 1 ? node.speeds.intra.front() : fastest_within(node.speeds.inter, node.nic);
  if (intra == 0.0 || inter == 0.0) return {};
  return {heads, Bandwidth{intra * 1e9}, Bandwidth{inter * 1e9}};
}

}  // namespace

CommunicatorShape communicator_shape(int ranks, int nodes, const LocalHardware& hardware) {
  assert(ranks >= 1 && nodes >= 1 && nodes <= ranks);
  const Node node = node_of((ranks + nodes - 1) / nodes, hardware);
  CommunicatorShape shape{.ranks = ranks,
                          .nodes = nodes,
                          .generation = hardware.generation,
                          .link = hardware.link,
                          .cpu = hardware.cpu};
  shape.nvswitch = hardware.nvswitch;
  shape.in_network = hardware.in_network;
  shape.ll128 = hardware.link == LocalLink::nvlink;
  // Hopper's search tries the plain tree before it lowers the speed; older GPUs keep the balanced
  // one.
  shape.one_nic_owner =
      nodes > 1 && (hardware.generation >= GpuGeneration::hopper || node.gpus == 1);
  // Channels that start at different NICs visit the GPUs in different orders.
  shape.same_channels = nodes == 1 || node.gpus == 1;
  shape.ring = ring_graph(node, nodes, hardware.generation);
  shape.tree = shape.ring;
  shape.nvls = nvls_graph(node, nodes, hardware);
  return shape;
}

int communicator_channels(const CommunicatorShape& shape) {
  constexpr int most = 64;
  const int doubled = std::min(most, 2 * shape.ring.channels);
  const bool again = shape.generation >= GpuGeneration::hopper && shape.nodes > 1 &&
                     shape.ring.intra.value * 1e-9 > 45.0 && doubled < 16;
  return std::max(1, again ? 2 * doubled : doubled);
}

}  // namespace quintet
