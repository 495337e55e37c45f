#include "gui/topology/part_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>

#include "gui/topology/fabric_graph.h"
#include "gui/topology/graph_shape.h"

namespace quintet::gui {

namespace {

constexpr int most_side_by_side = 64, chunk = 32;
constexpr int switch_columns = 64, host_columns = 8, device_columns = 16;

std::string counted(int count, const char* one, const char* several) {
  return fmt::format("{} {}", count, count == 1 ? one : several);
}

const char* plural_of(DeviceKind kind) {
  switch (kind) {
    case DeviceKind::gpu:
      return "GPUs";
    case DeviceKind::cpu:
      return "CPUs";
    case DeviceKind::nvswitch:
      return "NVSwitches";
    case DeviceKind::pcie_switch:
      return "PCIe switches";
    case DeviceKind::nic:
      return "NICs";
    case DeviceKind::network_switch:
      return "switches";
  }
  return "";
}

// "host3/gpu5" -> "gpu5"
std::string last_name(const std::string& name) {
  return name.substr(name.rfind('/') + 1);
}

// Some switches and some hosts, by number, ascending.
struct Block {
  std::vector<int> switches, hosts;
};

class Builder {
 public:
  explicit Builder(const Topology& topology) : topology_(topology), fabric_(fabric_of(topology)) {
    tree_.part_of_device.assign(topology.devices.size(), -1);
    list_devices();
  }

  PartTree build() && {
    const int machine = add(-1, {PartKind::machine, topology_.name, topology_.name, {}});
    at(machine).arrangement = Arrangement::stack;
    Block all;
    all.switches.resize(fabric_.switches.size());
    std::iota(all.switches.begin(), all.switches.end(), 0);
    all.hosts.resize(topology_.hosts.size());
    std::iota(all.hosts.begin(), all.hosts.end(), 0);
    if (all.switches.size() > 1 && joined_to_equals())
      add_graph(machine, all);
    else
      add_tiers(machine, all);
    say_counts();
    return std::move(tree_);
  }

 private:
  Part& at(int part) { return tree_.parts[static_cast<std::size_t>(part)]; }
  const Device& switch_at(int number) const {
    return topology_.device(fabric_.switches[static_cast<std::size_t>(number)]);
  }

  int add(int parent, Part part) {
    const int number = static_cast<int>(tree_.parts.size());
    part.parent = parent;
    if (parent >= 0) part.depth = at(parent).depth + 1;
    tree_.parts.push_back(std::move(part));
    if (parent >= 0) at(parent).children.push_back(number);
    return number;
  }

  void list_devices() {
    devices_of_host_.resize(topology_.hosts.size());
    for (std::size_t each = 0; each < topology_.devices.size(); ++each)
      if (const Device& device = topology_.devices[each]; device.host.valid())
        devices_of_host_[device.host.index()].push_back(id_at<DeviceId>(each));
  }

  bool joined_to_equals() const {
    if (!topology_.network.sizes.empty()) return true;
    for (std::size_t one = 0; one < fabric_.of_switch.size(); ++one)
      for (const int other : fabric_.of_switch[one])
        if (switch_at(other).tier == switch_at(static_cast<int>(one)).tier) return true;
    return false;
  }

  void add_device(int parent, DeviceId device) {
    const std::string& name = topology_.device(device).name;
    Part part{PartKind::device, name, last_name(name), {}};
    part.device = device;
    tree_.part_of_device[device.index()] = add(parent, std::move(part));
  }

  void add_devices(int host, DeviceKind kind) {
    std::vector<DeviceId> devices;
    for (const DeviceId device : devices_of_host_[static_cast<std::size_t>(host)])
      if (topology_.device(device).kind == kind) devices.push_back(device);
    if (devices.empty()) return;
    const int own = open_host_;
    if (devices.size() == 1) return add_device(own, devices.front());
    Part part{PartKind::devices, at(own).name + " " + plural_of(kind), plural_of(kind), {}};
    part.columns = device_columns;
    const int list = add(own, std::move(part));
    for (const DeviceId device : devices) add_device(list, device);
  }

  // From the network down: NICs, what they hang on, GPUs, NVSwitches.
  void add_host(int parent, int host) {
    const std::string& name = topology_.hosts[static_cast<std::size_t>(host)].name;
    Part part{PartKind::host, name, name, {}};
    part.arrangement = Arrangement::stack;
    part.host = HostId{host};
    open_host_ = add(parent, std::move(part));
    for (const DeviceKind kind : {DeviceKind::nic, DeviceKind::cpu, DeviceKind::pcie_switch,
                                  DeviceKind::gpu, DeviceKind::nvswitch})
      add_devices(host, kind);
  }

  // In lines, and in parts of 32 where there are too many.
  template <class AddOne>
  void add_list(int parent, const Part& list, const std::vector<int>& items, const char* word,
                AddOne add_one) {
    if (items.size() == 1) return add_one(parent, items.front());
    const int whole = add(parent, list);
    if (items.size() <= most_side_by_side) {
      for (const int item : items) add_one(whole, item);
      return;
    }
    at(whole).columns = host_columns;
    for (std::size_t from = 0; from < items.size(); from += chunk) {
      const std::size_t to = std::min(items.size(), from + chunk);
      Part some = list;
      some.label = fmt::format("{} {}-{}", word, items[from], items[to - 1]);
      some.name = some.label;
      const int part = add(whole, std::move(some));
      for (std::size_t each = from; each < to; ++each) add_one(part, items[each]);
    }
  }

  void add_hosts(int parent, const std::vector<int>& hosts) {
    if (hosts.empty()) return;
    Part list{
        PartKind::hosts, fmt::format("hosts {}-{}", hosts.front(), hosts.back()), "hosts", {}};
    list.columns = host_columns;
    add_list(parent, list, hosts, "hosts", [this](int where, int host) { add_host(where, host); });
  }

  void add_switches(int parent, const std::vector<int>& switches) {
    const std::string first = switch_at(switches.front()).name;
    const std::string last = switch_at(switches.back()).name;
    Part list{PartKind::switches, first + " to " + last, first + " to " + last, {}};
    list.columns = switch_columns;
    add_list(parent, list, switches, "switches", [this](int where, int number) {
      add_device(where, fabric_.switches[static_cast<std::size_t>(number)]);
    });
  }

  int top_tier(const Block& block) const {
    int top = 0;
    for (const int number : block.switches) top = std::max(top, switch_at(number).tier);
    return top;
  }

  // What hangs together without the top tier, in order of hosts.
  std::vector<Block> below(const Block& block, int tier) const {
    const std::size_t count = fabric_.switches.size();
    std::vector<int> parents(count + topology_.hosts.size());
    std::iota(parents.begin(), parents.end(), 0);
    const auto root = [&](int child) {
      while (parents[static_cast<std::size_t>(child)] != child)
        child = parents[static_cast<std::size_t>(child)] =
            parents[static_cast<std::size_t>(parents[static_cast<std::size_t>(child)])];
      return child;
    };
    const auto join = [&](int one, int other) {
      const int left = root(one), right = root(other);
      parents[static_cast<std::size_t>(std::max(left, right))] = std::min(left, right);
    };
    for (const int number : block.switches) {
      if (switch_at(number).tier == tier) continue;
      for (const int other : fabric_.of_switch[static_cast<std::size_t>(number)])
        if (switch_at(other).tier < tier) join(number, other);
      for (const int host : fabric_.hosts_of_switch[static_cast<std::size_t>(number)])
        join(number, static_cast<int>(count) + host);
    }
    std::map<int, Block> found;
    for (const int host : block.hosts)
      found[root(static_cast<int>(count) + host)].hosts.push_back(host);
    for (const int number : block.switches)
      if (switch_at(number).tier != tier) found[root(number)].switches.push_back(number);
    std::vector<Block> blocks;
    for (auto& [first, each] : found) blocks.push_back(std::move(each));
    std::stable_sort(blocks.begin(), blocks.end(), [](const Block& one, const Block& other) {
      return !one.hosts.empty() && (other.hosts.empty() || one.hosts.front() < other.hosts.front());
    });
    return blocks;
  }

  void add_tiers(int parent, const Block& block) {
    if (block.switches.empty()) return add_hosts(parent, block.hosts);
    const int tier = top_tier(block);
    std::vector<int> tops;
    for (const int number : block.switches)
      if (switch_at(number).tier == tier) tops.push_back(number);
    add_switches(parent, tops);
    std::vector<Block> blocks = below(block, tier);
    const bool only_hosts = std::all_of(blocks.begin(), blocks.end(),
                                        [](const Block& each) { return each.switches.empty(); });
    if (only_hosts) return add_hosts(parent, block.hosts);
    if (blocks.size() == 1) return add_tiers(parent, blocks.front());
    Part row{PartKind::block, "blocks", "blocks", {}};
    row.columns = most_side_by_side;
    const int list = add(parent, std::move(row));
    for (std::size_t each = 0; each < blocks.size(); ++each) add_block(list, blocks[each], each);
  }

  void add_block(int parent, const Block& block, std::size_t number) {
    std::string name = fmt::format("group {}", number);
    if (top_tier(block) > 1) name = fmt::format("pod {}", number);
    if (block.switches.size() == 1)
      name = switch_at(block.switches.front()).name + " and its hosts";
    Part part{PartKind::block, name, name, {}};
    part.arrangement = Arrangement::stack;
    add_tiers(add(parent, std::move(part)), block);
  }

  // A switch with its hosts: a device alone where it has none.
  void add_node(int parent, int number, const std::vector<int>& hosts) {
    const DeviceId device = fabric_.switches[static_cast<std::size_t>(number)];
    if (hosts.empty()) return add_device(parent, device);
    const std::string& name = topology_.device(device).name;
    Part part{PartKind::node, name, name, {}};
    part.arrangement = Arrangement::stack;
    part.device = device;
    const int node = add(parent, std::move(part));
    add_device(node, device);
    add_hosts(node, hosts);
  }

  // Hosts of several switches are the first's.
  void add_graph(int machine, const Block& all) {
    std::vector<std::vector<int>> hosts(fabric_.switches.size());
    std::vector<bool> has_node(topology_.hosts.size(), false);
    for (std::size_t number = 0; number < hosts.size(); ++number)
      for (const int host : fabric_.hosts_of_switch[number])
        if (!has_node[static_cast<std::size_t>(host)]) {
          has_node[static_cast<std::size_t>(host)] = true;
          hosts[number].push_back(host);
        }
    if (!topology_.network.sizes.empty()) return add_torus(machine, hosts);
    const std::vector<int> groups = groups_of(fabric_.of_switch);
    const int count = 1 + *std::max_element(groups.begin(), groups.end());
    if (count == 1) {
      at(machine).arrangement = Arrangement::placed;
      at(machine).places = by_force(fabric_.of_switch);
      for (const int number : all.switches)
        add_node(machine, number, hosts[static_cast<std::size_t>(number)]);
      return;
    }
    at(machine).arrangement = Arrangement::placed;
    at(machine).places = on_circle(count);
    for (int group = 0; group < count; ++group) {
      const std::string name = fmt::format("group {}", group);
      Part part{PartKind::block, name, name, {}};
      part.arrangement = Arrangement::placed;
      const int own = add(machine, std::move(part));
      for (const int number : all.switches)
        if (groups[static_cast<std::size_t>(number)] == group)
          add_node(own, number, hosts[static_cast<std::size_t>(number)]);
      at(own).places = on_circle(static_cast<int>(at(own).children.size()));
    }
  }

  // Planes in lines, x to the right and y downwards in each.
  void add_torus(int machine, const std::vector<std::vector<int>>& hosts) {
    std::array<int, 3> sizes{1, 1, 1};
    for (std::size_t each = 0; each < std::min<std::size_t>(3, topology_.network.sizes.size());
         ++each)
      sizes[each] = topology_.network.sizes[each];
    Part planes{PartKind::block, "planes", "planes", {}};
    planes.columns = static_cast<int>(std::ceil(std::sqrt(sizes[2])));
    const int row = sizes[2] > 1 ? add(machine, std::move(planes)) : machine;
    for (int z = 0; z < sizes[2]; ++z) {
      const std::string name = fmt::format("plane z = {}", z);
      Part plane{PartKind::block, name, name, {}};
      plane.arrangement = Arrangement::placed;
      const int own = add(row, std::move(plane));
      for (int y = 0; y < sizes[1]; ++y)
        for (int x = 0; x < sizes[0]; ++x) {
          const int number = x + sizes[0] * (y + sizes[1] * z);
          at(own).places.emplace_back(x, y);
          add_node(own, number, hosts[static_cast<std::size_t>(number)]);
        }
    }
  }

  // Bottom up: children come after their parents.
  void say_counts() {
    struct Counts {
      int switches = 0, hosts = 0, gpus = 0, devices = 0;
    };
    std::vector<Counts> counts(tree_.parts.size());
    for (std::size_t number = tree_.parts.size(); number-- > 0;) {
      Part& part = tree_.parts[number];
      Counts& own = counts[number];
      if (part.kind == PartKind::device) {
        const DeviceKind kind = topology_.device(part.device).kind;
        own.switches += kind == DeviceKind::network_switch;
        own.gpus += kind == DeviceKind::gpu;
        ++own.devices;
      }
      own.hosts += part.kind == PartKind::host;
      part.count = count_text(part, own.switches, own.hosts, own.gpus, own.devices);
      if (part.parent < 0) continue;
      Counts& above = counts[static_cast<std::size_t>(part.parent)];
      above.switches += own.switches;
      above.hosts += own.hosts;
      above.gpus += own.gpus;
      above.devices += own.devices;
    }
  }

  static std::string count_text(const Part& part, int switches, int hosts, int gpus, int devices) {
    if (part.kind == PartKind::device) return "";
    std::string text;
    const auto say = [&text](const std::string& phrase) {
      text += (text.empty() ? "" : ", ") + phrase;
    };
    if (switches > 0 && part.kind != PartKind::node) say(counted(switches, "switch", "switches"));
    if (hosts > 0 && part.kind != PartKind::host) say(counted(hosts, "host", "hosts"));
    if (gpus > 0) say(counted(gpus, "GPU", "GPUs"));
    return text.empty() ? fmt::format("{}", devices) : text;
  }

  const Topology& topology_;
  Fabric fabric_;
  PartTree tree_;
  std::vector<std::vector<DeviceId>> devices_of_host_;
  int open_host_ = -1;
};

}  // namespace

PartTree part_tree(const Topology& topology) {
  return Builder(topology).build();
}

}  // namespace quintet::gui
