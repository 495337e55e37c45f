// parameter-server, byteps: hosts without GPUs add what hosts with GPUs push, and these pull the
// sums. byteps has GPU hosts add a part, too, as large as makes all NICs equally busy
// (Jiang et al., OSDI'20, section 4.1).
//
//      GPU host 0: ring scatters --> push --> server 0 .. k-1 (and GPU hosts) --> pull --> gathers
//      GPU host 1: ring scatters --> push -->        "                        --> pull --> gathers
//
// Ranks do not execute them: a rank is no server.
#include <cassert>

#include "sim/ccl/algorithms/collective_algorithm.h"
#include "sim/ccl/algorithms/edge_sum.h"

namespace quintet {

// n GPU hosts and k servers, each with one NIC. A GPU host that adds g of all bytes sends 1 - g to
// the others and returns g to each of n - 1; a server that adds c returns it n times:
//   1 - g + (n - 1) g = n c  and  n g + k c = 1,  so  c = 2 (n - 1) / (n^2 + k n - 2 k).
// From n servers on they do it all.
SummationShares byteps_shares(int hosts, int servers) {
  assert(hosts >= 1 && servers >= 0);
  const double n = hosts, k = servers;
  if (servers >= hosts) return {0.0, 1.0 / k};
  if (hosts == 1) return {1.0, 0.0};
  const double whole = n * n + k * n - 2 * k;
  return {(n - k) / whole, 2 * (n - 1) / whole};
}

namespace {

bool beside_servers(const HostLayout& layout) {
  return uniform(layout) && !layout.servers.empty();
}

void push_and_pull(EdgeSum& sum, int worker, int adder, double share) {
  sum.add(worker, adder, share, Effect::reduce);
  sum.add(adder, worker, share, Effect::copy);
}

// Members of one local number exchange one share of the buffer.
std::vector<TrafficPhase> traffic_over(CollectiveKind kind, const HostLayout& layout,
                                       SummationShares shares) {
  const auto per_host = static_cast<std::size_t>(ranks_per_host(layout));
  const double part = 1.0 / static_cast<double>(per_host);
  EdgeSum sum;
  add_rings_inside(sum, layout);
  for (const std::vector<int>& workers : layout.hosts)
    for (std::size_t local = 0; local < per_host; ++local) {
      for (std::size_t server = 0; server < layout.servers.size(); ++server)
        push_and_pull(sum, workers[local], server_end(server), part * shares.on_server);
      for (const std::vector<int>& others : layout.hosts)
        push_and_pull(sum, workers[local], others[local], part * shares.on_host);
    }
  return {sum.phase(kind, 2 + 2 * (static_cast<int>(per_host) - 1))};
}

int hosts_of(const HostLayout& layout) {
  return static_cast<int>(layout.hosts.size());
}

int servers_of(const HostLayout& layout) {
  return static_cast<int>(layout.servers.size());
}

std::vector<TrafficPhase> all_on_servers(CollectiveKind kind, const HostLayout& layout) {
  return traffic_over(kind, layout, {0.0, 1.0 / servers_of(layout)});
}

std::vector<TrafficPhase> balanced(CollectiveKind kind, const HostLayout& layout) {
  return traffic_over(kind, layout, byteps_shares(hosts_of(layout), servers_of(layout)));
}

}  // namespace

extern constinit const CollectiveAlgorithm parameter_server_row{
    .algorithm = Algorithm::parameter_server,
    .kinds = {CollectiveKind::all_reduce},
    .hosts = beside_servers,
    .on_servers = true,
    .traffic = all_on_servers,
};

extern constinit const CollectiveAlgorithm byteps_row{
    .algorithm = Algorithm::byteps,
    .kinds = {CollectiveKind::all_reduce},
    .hosts = beside_servers,
    .on_servers = true,
    .traffic = balanced,
};

}  // namespace quintet
