#include "sim/topology/faults/faults.h"

#include <fmt/format.h>

#include <charconv>
#include <set>
#include <string_view>
#include <utility>

#include "sim/base/quantity_text.h"
#include "sim/base/shown_text.h"
#include "sim/topology/faults/part_names.h"
#include "sim/topology/faults/reach.h"
#include "sim/topology/faults/removal.h"

namespace quintet {
namespace {

struct Assigned {
  std::string name, value;
};

// The last '=' parts them: names are the machine's own.
Result<Assigned> assigned(const std::string& given, const char* example) {
  const std::size_t equals = given.rfind('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == given.size())
    return Error{"",
                 fmt::format("expected a part of the machine and a value, such as {}", example)};
  return Assigned{given.substr(0, equals), given.substr(equals + 1)};
}

// "0.5" or "50%"
Result<double> share_of(std::string_view text) {
  constexpr const char* expected =
      "expected the share of its rate that is left, more than 0 and less than 1, such as 0.5 or "
      "50%, found ";
  const Error wrong{"", expected + in_quotes(text)};
  const bool hundredths = text.ends_with('%');
  const std::string_view digits = hundredths ? text.substr(0, text.size() - 1) : text;
  double share = 0;
  const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), share);
  if (failure != std::errc{} || end != digits.data() + digits.size()) return wrong;
  if (hundredths) share /= 100;
  if (share == 0) return Error{"", wrong.what + "; what carries nothing has failed: --fail"};
  if (!(share > 0 && share < 1)) return wrong;
  return share;
}

bool is_network(const Topology& topology, LinkId link) {
  return topology.link(link).kind == LinkKind::network;
}

// A NIC's way out, or all that leaves a switch.
std::vector<LinkId> links_from(const Topology& topology, DeviceId device) {
  std::vector<LinkId> links;
  const bool nic = topology.device(device).kind == DeviceKind::nic;
  for (const LinkId link : topology.outgoing[device.index()])
    if (!nic || is_network(topology, link)) links.push_back(link);
  return links;
}

LinkId back(LinkId link) {
  return LinkId{link.value ^ 1};
}

std::vector<LinkId> both_ways(const std::vector<LinkId>& links) {
  std::vector<LinkId> all;
  for (const LinkId link : links) {
    all.push_back(link);
    all.push_back(back(link));
  }
  return all;
}

Error not_this(const Topology& topology, const NamedPart& part, const char* what) {
  const std::string kind = part.host.valid() ? "a host"
                           : part.device.valid()
                               ? "a " + std::string(name_of(topology.device(part.device).kind))
                               : "a cable inside a host";
  return {"", fmt::format("{} is {}; {}", part.name, kind, what)};
}

Error without_cables(const NamedPart& part) {
  return {"", part.name + " has no cable of a network, so nothing of this machine would change"};
}

class Worsened {
 public:
  explicit Worsened(Topology topology) : topology_(std::move(topology)) {}

  std::optional<Error> slow(const std::string& given) {
    const Result<Assigned> asked = assigned(given, "host3/nic5=0.5");
    if (!asked) return asked.error();
    const Result<double> share = share_of(asked->value);
    if (!share) return share.error();
    const Result<NamedPart> part = once("slow", asked->name);
    if (!part) return part.error();
    if (const Result<std::vector<std::size_t>> slots = computing(*part); !slots)
      return slots.error();
    else if (!slots->empty())
      return slow_slots(*part, *slots, *share);
    const Result<std::vector<LinkId>> links = carrying(*part);
    if (!links) return links.error();
    for (const LinkId link : *links) topology_.links[link.index()].left *= *share;
    said_.push_back(fmt::format("{} at {:.4g} % of its rate", part->name, 100 * *share));
    return std::nullopt;
  }

  std::optional<Error> delay(const std::string& given) {
    const Result<Assigned> asked = assigned(given, "leaf0-spine1=5us");
    if (!asked) return asked.error();
    const Result<Seconds> more = parse_seconds(asked->value);
    if (!more) return more.error();
    if (!(*more > Seconds{}) || *more > longest_delay)
      return Error{"", fmt::format("expected more than zero and at most {}, found {}",
                                   text(longest_delay), in_quotes(asked->value))};
    const Result<NamedPart> part = once("delay", asked->name);
    if (!part) return part.error();
    const Result<std::vector<LinkId>> links = delayed(*part);
    if (!links) return links.error();
    for (const LinkId link : *links) topology_.links[link.index()].latency += *more;
    said_.push_back(fmt::format("{} later by {}", part->name, text(*more)));
    return std::nullopt;
  }

  std::optional<Error> fail(const std::string& name) {
    const Result<NamedPart> part = once("fail", name);
    if (!part) return part.error();
    if (seen_.contains({"slow", name}) || seen_.contains({"delay", name}))
      return Error{"", name + " is to be slow or late, too; what has failed is neither"};
    const Result<std::vector<LinkId>> links = failing(*part);
    if (!links) return links.error();
    gone_.resize(topology_.links.size(), false);
    for (const LinkId link : both_ways(*links)) gone_[link.index()] = true;
    const std::size_t wires = part->wires.size();
    said_.push_back(part->name + " failed" + (wires > 1 ? fmt::format(" ({} cables)", wires) : ""));
    return std::nullopt;
  }

  Result<std::vector<LinkId>> dying(const std::string& name) const {
    const Result<NamedPart> part = named_part(topology_, name);
    if (!part) return part.error();
    const Result<std::vector<LinkId>> links = failing(*part);
    if (!links) return links;
    return both_ways(*links);
  }

  Result<Topology> result(const std::vector<std::string>& failed) && {
    if (!gone_.empty()) {
      topology_ = without_links(std::move(topology_), std::move(gone_));
      if (const auto apart = cut_off(topology_)) return Error{"--fail " + failed.back(), *apart};
    }
    topology_.faults = said_;
    topology_.name += "; " + shortened();
    return std::move(topology_);
  }

 private:
  Result<NamedPart> once(const char* how, const std::string& name) {
    const std::size_t dash = name.find('-');  // a cable may be named from either end
    const bool seen_from_there =
        dash != std::string::npos &&
        seen_.contains({how, name.substr(dash + 1) + "-" + name.substr(0, dash)});
    if (!seen_.insert({how, name}).second || seen_from_there)
      return Error{"", name + " is named twice; say it once"};
    return named_part(topology_, name);
  }

  // The slots whose speed the name means; none where it means links.
  Result<std::vector<std::size_t>> computing(const NamedPart& part) const {
    const bool gpu = part.device.valid() && topology_.device(part.device).kind == DeviceKind::gpu;
    std::vector<std::size_t> chosen;
    const std::vector<DeviceId> slots = rank_slots(topology_);
    for (std::size_t i = 0; i < slots.size(); ++i) {
      const Device& slot = topology_.device(slots[i]);
      if (slots[i] != part.device && (!part.host.valid() || slot.host != part.host)) continue;
      if (slot.kind != DeviceKind::gpu)
        return not_this(topology_, part,
                        "ranks on processors share cores, whose speed the cost table says; name a "
                        "NIC, a cable or a switch");
      chosen.push_back(i);
    }
    if (chosen.empty() && (gpu || part.host.valid()))
      return not_this(topology_, part, "no rank has its place there");
    return chosen;
  }

  std::optional<Error> slow_slots(const NamedPart& part, const std::vector<std::size_t>& slots,
                                  double share) {
    if (topology_.slot_speeds.empty())
      topology_.slot_speeds.assign(rank_slots(topology_).size(), 1.0);
    for (const std::size_t slot : slots) topology_.slot_speeds[slot] *= share;
    said_.push_back(fmt::format("{} computes at {:.4g} % of its speed", part.name, 100 * share));
    return std::nullopt;
  }

  Result<std::vector<LinkId>> carrying(const NamedPart& part) const {
    if (!part.wires.empty()) return both_ways(part.wires);
    const Result<std::vector<LinkId>> links = of_device(part);
    if (!links) return links;
    return both_ways(*links);
  }

  Result<std::vector<LinkId>> delayed(const NamedPart& part) const {
    if (!part.wires.empty()) return both_ways(part.wires);
    const Result<std::vector<LinkId>> links = of_device(part);
    const bool nic = part.device.valid() && topology_.device(part.device).kind == DeviceKind::nic;
    return links && nic ? both_ways(*links) : links;
  }

  Result<std::vector<LinkId>> of_device(const NamedPart& part) const {
    constexpr const char* what = "name a cable by its two ends, a NIC or a switch";
    if (!part.device.valid()) return not_this(topology_, part, what);
    switch (topology_.device(part.device).kind) {
      case DeviceKind::gpu:
      case DeviceKind::cpu:
        return not_this(topology_, part, what);
      case DeviceKind::nvswitch:
      case DeviceKind::pcie_switch:
      case DeviceKind::nic:
      case DeviceKind::network_switch:
        break;
    }
    std::vector<LinkId> links = links_from(topology_, part.device);
    if (links.empty()) return without_cables(part);
    return links;
  }

  Result<std::vector<LinkId>> failing(const NamedPart& part) const {
    if (!part.wires.empty() && is_network(topology_, part.wires.front())) return part.wires;
    constexpr const char* inside =
        "cables of the network, NICs and switches of the network can fail here: what is left of a "
        "host without its GPU, processor or NVLink runs no rank; ask for a machine of fewer hosts "
        "(--hosts) or make it slow (--slow)";
    if (!part.device.valid()) return not_this(topology_, part, inside);
    switch (topology_.device(part.device).kind) {
      case DeviceKind::gpu:
      case DeviceKind::cpu:
      case DeviceKind::nvswitch:
      case DeviceKind::pcie_switch:
        return not_this(topology_, part, inside);
      case DeviceKind::nic:
      case DeviceKind::network_switch:
        break;
    }
    std::vector<LinkId> links = links_from(topology_, part.device);
    if (links.empty()) return without_cables(part);
    return links;
  }

  std::string shortened() const {
    constexpr std::size_t most = 3;
    std::string text;
    for (std::size_t i = 0; i < std::min(most, said_.size()); ++i)
      text += (i == 0 ? "" : ", ") + said_[i];
    return said_.size() > most ? fmt::format("{} and {} more", text, said_.size() - most) : text;
  }

  Topology topology_;
  std::vector<bool> gone_;
  std::vector<std::string> said_;
  std::set<std::pair<std::string, std::string>> seen_;
};

}  // namespace

Result<Topology> with_faults(Topology topology, const Faults& faults) {
  if (faults.empty()) return topology;
  Worsened worsened(std::move(topology));
  const auto named = [](const char* option, const std::string& given, const Error& error) {
    return Error{fmt::format("--{} {}", option, shown(given, 80)), error.what};
  };
  for (const std::string& given : faults.slow)
    if (const auto error = worsened.slow(given)) return named("slow", given, *error);
  for (const std::string& given : faults.delay)
    if (const auto error = worsened.delay(given)) return named("delay", given, *error);
  for (const std::string& given : faults.fail)
    if (const auto error = worsened.fail(given)) return named("fail", given, *error);
  return std::move(worsened).result(faults.fail);
}

Result<std::vector<LinkId>> links_that_fail(const Topology& topology, const std::string& name) {
  return Worsened(topology).dying(name);
}

}  // namespace quintet
