#include "engine/communicator/group_options.h"

#include <algorithm>

namespace quintet::engine {

HostLayout layout_of(const std::vector<Rank>& members, const std::vector<Seat>& seats) {
  std::vector<Seat> of_members;
  for (const Rank rank : members)
    of_members.push_back(seats.empty() ? Seat{0, rank.value} : seats[rank.index()]);
  return {group_layout(of_members).hosts, 1};
}

GroupOptions group_options(CommunicatorId id, const quintet::Communicator& communicator,
                           const std::vector<Rank>& members, const HostLayout& layout) {
  GroupOptions options;
  options.id = static_cast<std::uint32_t>(id.value);
  options.name = communicator.name;
  options.members = members;
  for (const std::vector<int>& host : layout.hosts)
    options.order.insert(options.order.end(), host.begin(), host.end());
  const std::size_t each = layout.hosts.front().size();
  const bool uniform =
      std::all_of(layout.hosts.begin(), layout.hosts.end(),
                  [&](const std::vector<int>& host) { return host.size() == each; });
  if (uniform) options.levels = {static_cast<int>(each), static_cast<int>(layout.hosts.size())};
  return options;
}

}  // namespace quintet::engine
