// Layer 5, decisions: which way a flow goes through the fabric.
#pragma once

#include <cstdint>
#include <string_view>

namespace quintet {

enum class Routing {
  ecmp,         // each queue pair hashed onto one of the equal-cost paths
  rail_pinned,  // destination-modulo choice: no collisions between shift permutations (D-mod-K)
  spray,        // packets over all equal-cost paths (also adaptive routing)
};

struct Network {
  Routing routing = Routing::rail_pinned;
  std::uint64_t hash_seed = 1;    // of ECMP
  double spray_efficiency = 1.0;  // share of the bundle that spraying reaches, 0..1
  int mtu = 4096;                 // bytes of payload per packet
  bool operator==(const Network&) const = default;
};

// The word of plan.json.
std::string_view name_of(Routing routing);

}  // namespace quintet
