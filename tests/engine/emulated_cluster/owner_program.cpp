// Owns an emulated cluster of two hosts with a long sleep on each, and waits to be killed. Prints
// the name of the first host's network namespace ("net:[4026532000]") once all is there, or "SKIP"
// and why.
#include <unistd.h>

#include <cstdio>

#include "tests/engine/emulated_cluster/small_clusters.h"

int main() {
  using namespace quintet::engine;
  const quintet::Topology topology =
      small_machine({2, 1, "100 Mb/s", SmallMachine{}.network, "2 ms"});  // the delay line too
  const auto cluster = EmulatedCluster::make(topology, rank_slots(topology));
  if (!cluster) {
    std::printf("SKIP %s\n", cluster.error().text().c_str());
    return 0;
  }
  const std::string name = shell(**cluster, 0, "readlink /proc/self/ns/net");
  const Running one(**cluster, 0, {"/bin/sleep", "1000"}),
      other(**cluster, 1, {"/bin/sleep", "1000"});
  std::printf("%s", name.c_str());
  std::fflush(stdout);
  for (;;) pause();
}
