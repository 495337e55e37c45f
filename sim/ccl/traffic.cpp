#include "sim/ccl/traffic.h"

namespace quintet {

int rank_count(const HostLayout& layout) {
  std::size_t count = 0;
  for (const std::vector<int>& host : layout.hosts) count += host.size();
  return static_cast<int>(count);
}

int ranks_per_host(const HostLayout& layout) {
  return uniform(layout) ? static_cast<int>(layout.hosts.front().size()) : 0;
}

bool any_hosts(const HostLayout&) {
  return true;
}

}  // namespace quintet
