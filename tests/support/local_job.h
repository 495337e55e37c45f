// A whole job in one process: a rendezvous on the loopback interface and a thread per rank.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/network/transport/transport.h"

namespace quintet::engine {

struct LocalJob {
  int ranks = 2;
  SharedMemory shared_memory = SharedMemory::refuse;
  Pulse pulse;
  int meet_up_to = 128;
  std::vector<NetworkInterface> interfaces{};  // of every rank; empty: the loopback's one
  CarrierChoice carrier = CarrierChoice::by_interface;
  std::function<void(const std::string&)> on_rerouting{};
  std::size_t delegates = 0;
};

constexpr const char* test_token = "a token that only this test knows";

// Runs `body` as every rank, once all have joined; returns what went wrong before it could start,
// or "".
std::string run_job(const LocalJob& job, const std::function<void(Transport&)>& body);

TransportOptions options_for(const SocketAddress& server, int rank, const LocalJob& job);
RendezvousOptions rendezvous_for(const LocalJob& job);

}  // namespace quintet::engine
