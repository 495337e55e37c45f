#include "sim/jobs/placement.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "sim/base/digest.h"

namespace quintet {

std::string_view name_of(PlacementRule rule) {
  switch (rule) {
    case PlacementRule::first_fit:
      return "first-fit";
    case PlacementRule::packed:
      return "packed";
    case PlacementRule::random:
      return "random";
    case PlacementRule::spread:
      return "spread";
  }
  return {};
}

std::vector<int> leaf_of_hosts(const Topology& topology) {
  std::map<std::int32_t, int> numbers;
  std::vector<int> leaves;
  for (const Host& host : topology.hosts) {
    std::int32_t leaf = -1;
    if (!host.nics.empty())
      for (const LinkId link : topology.outgoing[host.nics.front().index()])
        if (topology.device(topology.link(link).to).kind == DeviceKind::network_switch && leaf < 0)
          leaf = topology.link(link).to.value;
    leaves.push_back(numbers.emplace(leaf, static_cast<int>(numbers.size())).first->second);
  }
  return leaves;
}

namespace {

class Placing {
 public:
  Placing(const JobsOnMachine& machine, const std::vector<Seconds>& alone,
          const PlacementWish& wish)
      : machine_(machine),
        alone_(alone),
        wish_(wish),
        leaves_(leaf_of_hosts(machine.topology)),
        slots_(static_cast<int>(machine.topology.hosts.front().gpus.size())),
        free_at_(machine.topology.hosts.size(),
                 std::vector<Seconds>(static_cast<std::size_t>(slots_))) {}

  std::vector<std::vector<int>> all() {
    std::vector<std::vector<int>> placed(machine_.jobs.size());
    for (const std::size_t job : order()) placed[job] = place(job);
    return placed;
  }

 private:
  const JobEntry& entry(std::size_t job) const { return machine_.jobs[job].entry; }

  std::vector<std::size_t> order() const {
    std::vector<std::size_t> jobs = wish_.order;
    if (jobs.empty()) {
      jobs.resize(machine_.jobs.size());
      std::iota(jobs.begin(), jobs.end(), 0U);
    }
    std::stable_sort(jobs.begin(), jobs.end(), [this](std::size_t one, std::size_t other) {
      return entry(one).arrives < entry(other).arrives;
    });
    return jobs;
  }

  // When the host has had room for so many ranks.
  Seconds room_at(std::size_t host, int ranks) const {
    std::vector<Seconds> times = free_at_[host];
    std::sort(times.begin(), times.end());
    return times[static_cast<std::size_t>(ranks) - 1];
  }

  std::vector<int> place(std::size_t job) {
    const int ranks = entry(job).gpus_per_host;
    std::vector<int> hosts = entry(job).on_hosts;
    Seconds begins = entry(job).arrives;
    if (hosts.empty()) {
      std::vector<Seconds> rooms;
      for (std::size_t host = 0; host < free_at_.size(); ++host)
        rooms.push_back(room_at(host, ranks));
      std::vector<Seconds> sorted = rooms;
      std::sort(sorted.begin(), sorted.end());
      begins = std::max(begins, sorted[static_cast<std::size_t>(entry(job).hosts) - 1]);
      std::vector<int> roomy;
      for (std::size_t host = 0; host < rooms.size(); ++host)
        if (rooms[host] <= begins) roomy.push_back(static_cast<int>(host));
      hosts = chosen(job, std::move(roomy), begins);
      std::sort(hosts.begin(), hosts.end());
    }
    return take(job, hosts, begins);
  }

  std::vector<int> chosen(std::size_t job, std::vector<int> roomy, Seconds begins) const {
    const auto wanted = static_cast<std::size_t>(entry(job).hosts);
    switch (wish_.rule) {
      case PlacementRule::first_fit:
        break;
      case PlacementRule::packed:
        roomy = by_leaf(std::move(roomy), wanted, begins);
        break;
      case PlacementRule::random:
        shuffle(roomy, job);
        break;
      case PlacementRule::spread:
        roomy = in_turn(roomy);
        break;
    }
    roomy.resize(wanted);
    return roomy;
  }

  int free_slots(int host, Seconds when) const {
    const auto& times = free_at_[static_cast<std::size_t>(host)];
    return static_cast<int>(
        std::count_if(times.begin(), times.end(), [&](Seconds free) { return free <= when; }));
  }

  std::map<int, std::vector<int>> below_leaves(const std::vector<int>& hosts) const {
    std::map<int, std::vector<int>> below;
    for (const int host : hosts) below[leaves_[static_cast<std::size_t>(host)]].push_back(host);
    return below;
  }

  // The leaf with the least room that has enough; else the roomiest, and so on with what is left to
  // find. On a leaf hosts with the least room first.
  std::vector<int> by_leaf(std::vector<int> roomy, std::size_t wanted, Seconds when) const {
    std::vector<std::vector<int>> leaves;
    for (auto& [leaf, hosts] : below_leaves(roomy)) {
      std::stable_sort(hosts.begin(), hosts.end(), [&](int one, int other) {
        return free_slots(one, when) < free_slots(other, when);
      });
      leaves.push_back(std::move(hosts));
    }
    std::vector<int> found;
    while (found.size() < wanted) {
      const std::size_t missing = wanted - found.size();
      const auto better = [&](const auto& one, const auto& other) {
        const bool enough = one.size() >= missing, other_enough = other.size() >= missing;
        if (enough != other_enough) return enough;
        return enough ? one.size() < other.size() : one.size() > other.size();
      };
      const auto best = std::min_element(leaves.begin(), leaves.end(), better);
      found.insert(found.end(), best->begin(), best->end());
      leaves.erase(best);
    }
    return found;
  }

  std::vector<int> in_turn(const std::vector<int>& roomy) const {
    auto below = below_leaves(roomy);
    std::vector<int> found;
    for (std::size_t place = 0; found.size() < roomy.size(); ++place)
      for (const auto& [leaf, hosts] : below)
        if (place < hosts.size()) found.push_back(hosts[place]);
    return found;
  }

  void shuffle(std::vector<int>& hosts, std::size_t job) const {
    std::uint64_t state = spread_bits(wish_.seed * 0x10001 + job);
    for (std::size_t last = hosts.size(); last > 1; --last) {
      state = spread_bits(state);
      std::swap(hosts[last - 1], hosts[state % last]);
    }
  }

  std::vector<int> take(std::size_t job, const std::vector<int>& hosts, Seconds begins) {
    std::vector<int> slots;
    const Seconds ends = begins + entry(job).offset + alone_[job];
    for (const int host : hosts) {
      auto& times = free_at_[static_cast<std::size_t>(host)];
      const bool named = !entry(job).on_hosts.empty();
      int missing = entry(job).gpus_per_host;
      for (int slot = named ? entry(job).first_gpu : 0; missing > 0; ++slot) {
        Seconds& free = times[static_cast<std::size_t>(slot)];
        if (!named && free > begins) continue;
        free = std::max(free, ends);
        slots.push_back(host * slots_ + slot);
        --missing;
      }
    }
    return slots;
  }

  const JobsOnMachine& machine_;
  const std::vector<Seconds>& alone_;
  const PlacementWish& wish_;
  std::vector<int> leaves_;
  int slots_;                                  // of a host
  std::vector<std::vector<Seconds>> free_at_;  // per host and slot
};

}  // namespace

std::vector<std::vector<int>> placed(const JobsOnMachine& machine,
                                     const std::vector<Seconds>& alone, const PlacementWish& wish) {
  return Placing(machine, alone, wish).all();
}

}  // namespace quintet
