// Asked and reached, for links of the emulated cluster between two hosts behind one switch, on an
// idle machine:
//   cmake --build BUILD --target cluster_table && BUILD/tests/engine/emulated_cluster/cluster_table
// One TCP stream; a round trip of one byte, and of 64 KiB after the answer to the last. What a
// formula would say stands beside: payload of a packet is 4,096 of 4,186 bytes on the wire; a round
// trip crosses four links, and of a message all packets but the first overlap on the two hops.
#include <chrono>
#include <cstdio>

#include "tests/engine/emulated_cluster/small_clusters.h"

namespace quintet::engine {
namespace {

using Clock = std::chrono::steady_clock;
const std::string link_program = QUINTET_LINK_PROGRAM;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Bytes per second.
double stream(EmulatedCluster& cluster, double link) {
  const std::string address = cluster.place(Rank{0}).address;
  const std::string bytes = std::to_string(static_cast<long>(link * 1.5));
  Running taker(cluster, 0, {link_program, "take", address, "5000"});
  Running giver(cluster, 1, {link_program, "give", address, "5000", bytes});
  giver.output();
  double taken = 0, seconds = 1;
  std::sscanf(taker.output().c_str(), "%lf %lf", &taken, &seconds);
  return taken / seconds;
}

// The median, in seconds.
double round_trip(EmulatedCluster& cluster, int port, int bytes, int count) {
  const std::string address = cluster.place(Rank{0}).address, where = std::to_string(port);
  Running echo(cluster, 0, {link_program, "echo", address, where, std::to_string(bytes)});
  Running ask(cluster, 1,
              {link_program, "ask", address, where, std::to_string(bytes), std::to_string(count)});
  double least = 0, median = 0;
  std::sscanf(ask.output().c_str(), "%lf %lf", &least, &median);
  echo.output();
  return median;
}

void measure(const char* rate, double link, const char* latency, double delay) {
  const Topology topology = small_machine({2, 1, rate, SmallMachine{}.network, latency});
  const auto start = Clock::now();
  const auto cluster = EmulatedCluster::make(topology, rank_slots(topology));
  if (!cluster) {
    std::printf("%s\n", cluster.error().text().c_str());
    return;
  }
  const double made = seconds_since(start);
  const double formula = link * 4096 / 4186;
  const double reached = stream(**cluster, link);
  const double trip = round_trip(**cluster, 5001, 1, delay > 0 ? 100 : 2000);
  const double message = round_trip(**cluster, 5002, 65536, 50);
  std::printf(
      "%-9s %-7s | %8.1f of %8.1f MB/s (%5.1f %%) | %8.3f of %7.3f ms | %8.3f of %7.3f ms | "
      "made in %.2f s\n",
      rate, latency, reached / 1e6, formula / 1e6, 100 * reached / formula, trip * 1e3,
      4 * delay * 1e3, message * 1e3, (4 * delay + 2 * (65536 + 4096) / formula) * 1e3, made);
}

void measure_making(int hosts) {
  const Topology topology = small_machine({hosts});
  const auto start = Clock::now();
  auto cluster = EmulatedCluster::make(topology, rank_slots(topology));
  const double made = seconds_since(start);
  if (!cluster) return;
  const auto end = Clock::now();
  *cluster = nullptr;
  std::printf("%d hosts behind a switch: made in %.2f s, gone in %.2f s\n", hosts, made,
              seconds_since(end));
}

void run() {
  std::printf(
      "link      latency | one stream                      | round trip, 1 B      | "
      "round trip, 64 KiB\n");
  measure("100 Mb/s", 100e6 / 8, "0 s", 0);
  measure("500 Mb/s", 500e6 / 8, "0 s", 0);
  measure("1 Gb/s", 1e9 / 8, "0 s", 0);
  measure("2.5 Gb/s", 2.5e9 / 8, "0 s", 0);
  measure("5 Gb/s", 5e9 / 8, "0 s", 0);
  measure("10 Gb/s", 10e9 / 8, "0 s", 0);
  measure("1 Gb/s", 1e9 / 8, "100 us", 100e-6);
  measure("1 Gb/s", 1e9 / 8, "200 us", 200e-6);
  measure("1 Gb/s", 1e9 / 8, "1 ms", 1e-3);
  measure("1 Gb/s", 1e9 / 8, "5 ms", 5e-3);
  measure_making(8);
  measure_making(64);
}

}  // namespace
}  // namespace quintet::engine

int main() {
  quintet::engine::run();
}
