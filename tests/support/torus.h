// Tori of small hosts (small_worlds.h).
#pragma once

#include <string>

namespace quintet::test {

// Cables of 25 GB/s and 0.5 us; 1 us from a NIC to its node.
inline std::string torus(int x, int y, int z, int ports = 7) {
  const auto row = [](int size) {
    return R"({"name": "cable", "bandwidth": "25 GB/s", "latency": "0.5 us", "source": "test",
               "size": )" +
           std::to_string(size) + "}";
  };
  return R"({"family": "torus", "protocol": "infiniband",
             "switch": {"name": "router", "power": "10 W", "source": "test", "ports": )" +
         std::to_string(ports) +
         R"(}, "host_link": {"name": "cable", "latency": "1 us", "source": "test"},
             "dimensions": [)" +
         row(x) + ", " + row(y) + ", " + row(z) + "]}";
}

}  // namespace quintet::test
