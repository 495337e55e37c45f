#include "sim/topology/faults/held_sends.h"

#include <fmt/format.h>

#include <optional>

#include "sim/base/quantity_text.h"
#include "sim/base/shown_text.h"
#include "sim/topology/faults/part_names.h"

namespace quintet {

namespace {

constexpr Seconds longest_hold{3600.0};

struct HostPair {
  HostId from, to;
};

// Names may hold dashes themselves: the first place that parts two hosts' names counts.
std::optional<HostPair> hosts_around(const Topology& topology, const std::string& names,
                                     char between) {
  for (std::size_t at = names.find(between); at != std::string::npos;
       at = names.find(between, at + 1)) {
    const Result<NamedPart> from = named_part(topology, names.substr(0, at));
    const Result<NamedPart> to = named_part(topology, names.substr(at + 1));
    if (from && to && from->host.valid() && to->host.valid()) return HostPair{from->host, to->host};
  }
  return std::nullopt;
}

}  // namespace

Result<std::vector<HeldSend>> held_sends(const Topology& topology, const std::string& given) {
  const std::size_t equals = given.rfind('=');
  if (equals == std::string::npos)
    return Error{"", "expected two hosts and a time, such as host6-host7=60ms"};
  const std::string names = given.substr(0, equals);
  const Result<Seconds> by = parse_seconds(given.substr(equals + 1));
  if (!by) return by.error();
  if (!(*by > Seconds{}) || *by > longest_hold)
    return Error{"", fmt::format("expected more than zero and at most {}, found {}",
                                 text(longest_hold), in_quotes(given.substr(equals + 1)))};
  const std::optional<HostPair> both = hosts_around(topology, names, '-');
  const std::optional<HostPair> one_way = both ? std::nullopt : hosts_around(topology, names, '>');
  const std::optional<HostPair> ends = both ? both : one_way;
  if (!ends || ends->from == ends->to)
    return Error{"",
                 fmt::format("{} names no two hosts of this machine; expected host6-host7 (both "
                             "ways) or host6>host7 (one way)",
                             in_quotes(names))};
  std::vector<HeldSend> held{{ends->from, ends->to, *by, {}}};
  if (both) held.push_back({ends->to, ends->from, *by, {}});
  return held;
}

}  // namespace quintet
