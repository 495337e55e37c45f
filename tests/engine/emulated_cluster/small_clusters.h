// Topologies of CPU hosts for the emulated cluster, and running a program on a rank's host to its
// end.
#pragma once

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "engine/emulated_cluster/emulated_cluster.h"
#include "sim/topology/file/topology_file.h"

namespace quintet::engine {

struct SmallMachine {
  int hosts = 2, slots = 1;
  std::string rate = "100 Mb/s";
  std::string network = R"("family": "single_switch", )";  // with a comma at the end
  std::string latency = "10 us";
  int nics = 1;
};

inline Topology small_machine(const SmallMachine& machine) {
  const std::string part = R"("source": "test"})";
  const std::string text =
      R"({"name": "test", "hosts": )" + std::to_string(machine.hosts) +
      R"(, "host": {"name": "small", "family": "cpu", "power": "1 W", "source": "test", )"
      R"("cpu": {"vendor": "amd", "sockets": 1, "cores": 1, "memory": "1 GiB", )"
      R"("memory_bandwidth": "10 GB/s", )" +
      part + R"(, "slots": )" + std::to_string(machine.slots) +
      R"(, "bus": {"name": "bus", "bandwidth": "10 GB/s", "latency": "0.2 us", )" + part +
      R"(, "pcie": {"name": "pcie", "bandwidth": "10 GB/s", "latency": "0.2 us", )" + part +
      R"(, "nic": {"name": "nic", "count": )" + std::to_string(machine.nics) +
      R"(, "bandwidth": ")" + machine.rate + R"(", )" + part + R"(}, "network": {)" +
      machine.network +
      R"("protocol": "tcp", "switch": {"name": "switch", "ports": 64, "power": "1 W", )" + part +
      R"(, "host_link": {"name": "wire", "latency": ")" + machine.latency + R"(", )" + part + "}}";
  const Result<Topology> topology = parse_topology(text, "test", ".");
  EXPECT_TRUE(topology) << (topology ? "" : topology.error().text());
  return *topology;
}

// Leaves of two hosts below one spine; a leaf's only way up has the trunk's rate.
inline SmallMachine two_leaves(const std::string& trunk) {
  return {4, 1, "100 Mb/s",
          R"("family": "fat_tree", "children": [2, 2], "parents": [1, 1], "trunk": {)"
          R"("name": "trunk", "bandwidth": ")" +
              trunk + R"(", "latency": "10 us", "source": "test"}, )",
          "10 us"};
}

// A program on a rank's host, its output kept.
class Running {
 public:
  Running(EmulatedCluster& cluster, int rank, const std::vector<std::string>& arguments)
      : output_(memfd_create("output", MFD_CLOEXEC)) {
    std::vector<std::string> environment{"PATH=/usr/sbin:/usr/bin:/sbin:/bin"};
    // UCX's hooks on memory calls and the thread sanitizer do not go together (its preset says n).
    if (const char* const events = std::getenv("UCX_MEM_EVENTS"))
      environment.push_back(std::string("UCX_MEM_EVENTS=") + events);
    const ProcessStart process{arguments, environment, -1, output_.number(), 2};
    const Result<pid_t> started = cluster.start(Rank{rank}, process);
    if (started)
      process_ = *started;
    else
      problem_ = started.error().text();
  }

  const std::string& problem() const { return problem_; }
  pid_t process() const { return process_; }

  // Waits for its end; what it printed, or how it ended.
  std::string output() {
    int status = 0;
    if (process_ == 0) return problem_;
    waitpid(process_, &status, 0);
    if (status != 0) return "ended with status " + std::to_string(status);
    return so_far();
  }
  std::string so_far() const {
    std::string text(4096, '\0');
    const ssize_t size = pread(output_.number(), text.data(), text.size(), 0);
    text.resize(size < 0 ? 0 : static_cast<std::size_t>(size));
    return text;
  }

 private:
  Descriptor output_;
  pid_t process_ = 0;
  std::string problem_;
};

// Skips, and says why, where this system allows no emulated cluster; fails where making one goes
// wrong.
class BoxTest : public testing::Test {
 protected:
  void SetUp() override {
    const Topology topology = small_machine({});
    const auto cluster = EmulatedCluster::make(topology, rank_slots(topology));
    if (cluster) return;
    const std::string& why = cluster.error().what;
    const bool not_here = why.find("this system does not let it") != std::string::npos ||
                          why.find("install iproute2") != std::string::npos;
    if (not_here) GTEST_SKIP() << cluster.error().text();
    FAIL() << cluster.error().text();
  }

  static std::unique_ptr<EmulatedCluster> made(const Topology& topology,
                                               const EmulatedClusterOptions& options = {}) {
    auto cluster = EmulatedCluster::make(topology, rank_slots(topology), options);
    EXPECT_TRUE(cluster) << cluster.error().text();
    return cluster ? *std::move(cluster) : nullptr;
  }
};

inline std::string shell(EmulatedCluster& cluster, int rank, const std::string& line) {
  return Running(cluster, rank, {"/bin/sh", "-c", line}).output();
}

}  // namespace quintet::engine
