// Runs a program once per rank slot of a topology, in the emulated cluster, and waits for all:
//   cluster_run TOPOLOGY PROGRAM ARGUMENT...
// In the arguments {rank}, {world}, {interface}, {address} and {first} (the address of rank 0) are
// replaced. For example the transport's benchmark on four hosts, 0.125 GB/s each:
//   cluster_run topologies/box-4-1gbit.json BUILD/tests/benchmark/transport_benchmark
//     {rank} {world} {first}:4777 {interface} 0.125 tcp 1 4 16
// The environment is passed on. Exits with 1 when a program did not end well, 2 when the topology
// cannot be read, 77 when there is no emulated cluster here.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <utility>

#include "engine/emulated_cluster/emulated_cluster.h"
#include "sim/topology/file/topology_file.h"

namespace quintet::engine {
namespace {

using Words = std::vector<std::string>;

std::string replaced(std::string text, const std::string& name, const std::string& value) {
  for (std::size_t at = 0; (at = text.find(name, at)) != std::string::npos; at += value.size())
    text.replace(at, name.size(), value);
  return text;
}

Words words_for(const EmulatedCluster& cluster, int rank, std::size_t world, const Words& pattern) {
  const RankPlace& place = cluster.place(Rank{rank});
  const std::vector<std::pair<std::string, std::string>> values{
      {"{rank}", std::to_string(rank)},
      {"{world}", std::to_string(world)},
      {"{interface}", place.interface},
      {"{address}", place.address},
      {"{first}", cluster.place(Rank{0}).address}};
  Words words = pattern;
  for (std::string& word : words)
    for (const auto& [name, value] : values) word = replaced(word, name, value);
  return words;
}

int complain(const Error& error, int exit_code) {
  std::fprintf(stderr, "%s\n", error.text().c_str());
  return exit_code;
}

int run(const std::string& file, const Words& pattern) {
  const Result<Topology> topology = read_topology(file);
  if (!topology) return complain(topology.error(), 2);
  const std::vector<DeviceId> slots = rank_slots(*topology);
  const auto cluster = EmulatedCluster::make(*topology, slots);
  if (!cluster) return complain(cluster.error(), 77);
  for (const std::string& sentence : (*cluster)->deviations())
    std::fprintf(stderr, "not obeyed: %s\n", sentence.c_str());
  Words environment;
  for (char** variable = environ; *variable != nullptr; ++variable)
    environment.emplace_back(*variable);
  std::vector<pid_t> processes;
  for (int rank = 0; rank < static_cast<int>(slots.size()); ++rank) {
    const Result<pid_t> started = (*cluster)->start(
        Rank{rank}, {words_for(**cluster, rank, slots.size(), pattern), environment});
    if (!started) return complain(started.error(), 1);
    processes.push_back(*started);
  }
  int exit_code = 0;
  for (const pid_t process : processes) {
    int status = 0;
    waitpid(process, &status, 0);
    if (status != 0) exit_code = 1;
  }
  return exit_code;
}

}  // namespace
}  // namespace quintet::engine

int main(int count, char** words) {
  if (count < 3) {
    std::fprintf(stderr, "usage: cluster_run TOPOLOGY PROGRAM ARGUMENT...\n");
    return 2;
  }
  return quintet::engine::run(words[1], {words + 2, words + count});
}
