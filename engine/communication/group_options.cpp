#include "engine/communication/group_options.h"

namespace quintet::engine {

HostLayout layout_of(const std::vector<Rank>& members, const std::vector<Seat>& seats) {
  std::vector<Seat> of_members;
  for (const Rank rank : members)
    of_members.push_back(seats.empty() ? Seat{0, rank.value} : seats[rank.index()]);
  return host_layout(of_members);
}

GroupOptions group_options(CommunicatorId id, const quintet::Communicator& communicator,
                           const std::vector<Rank>& members, const HostLayout& layout) {
  GroupOptions options;
  options.id = static_cast<std::uint32_t>(id.value);
  options.name = communicator.name;
  options.members = members;
  for (const std::vector<int>& host : layout.hosts)
    options.order.insert(options.order.end(), host.begin(), host.end());
  if (uniform(layout))
    options.levels = {static_cast<int>(layout.hosts.front().size()),
                      static_cast<int>(layout.hosts.size())};
  return options;
}

}  // namespace quintet::engine
