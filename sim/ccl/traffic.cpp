#include "sim/ccl/traffic.h"

#include <algorithm>

namespace quintet {

int rank_count(const HostLayout& layout) {
  std::size_t count = 0;
  for (const std::vector<int>& host : layout.hosts) count += host.size();
  return static_cast<int>(count);
}

bool any_hosts(const HostLayout&) {
  return true;
}

bool equal_hosts(const HostLayout& layout) {
  return std::all_of(layout.hosts.begin(), layout.hosts.end(), [&](const std::vector<int>& host) {
    return host.size() == layout.hosts.front().size();
  });
}

int ranks_per_host(const HostLayout& layout) {
  return equal_hosts(layout) ? static_cast<int>(layout.hosts.front().size()) : 0;
}

HostLayout even_layout(int hosts, int ranks_per_host, int nics_per_host) {
  HostLayout layout{{}, nics_per_host};
  for (int host = 0; host < hosts; ++host) {
    std::vector<int>& members = layout.hosts.emplace_back();
    for (int local = 0; local < ranks_per_host; ++local)
      members.push_back(host * ranks_per_host + local);
  }
  return layout;
}

}  // namespace quintet
