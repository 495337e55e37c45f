// Where the ranks of a job find each other: rank 0 (or whoever starts the ranks) listens, every
// rank proves that it knows the job's token and leaves the address of its worker, and all get
// everyone's. The connections stay for the life of the job: heartbeats, failures and the end go
// through here.
//
// Strangers: an unproven connection costs one descriptor and less than a kilobyte, may live for
// `handshake` and gives way to newer ones beyond `pending_limit`; only a right proof is answered.
// Once all ranks have joined nothing listens any more. A rank may join again over other interfaces
// before it says its address: it is alive as long as one of its connections says so. Frames after
// the proof are neither encrypted nor signed: someone who can write into an established TCP
// connection is not kept out.
#pragma once

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "engine/launch/rendezvous/rendezvous_socket.h"
#include "sim/base/result.h"

namespace quintet::engine {

// How often both sides say that they live, and after which silence they count as dead.
struct Pulse {
  Milliseconds interval{500};
  Milliseconds silence{5000};
};

struct RendezvousOptions {
  SocketAddress address;  // port 0: a free one
  std::string token;
  int world = 1;
  Milliseconds everyone_within{60000};  // ... joins, from the start
  Milliseconds handshake{3000};
  std::size_t pending_limit = 128;
  Pulse pulse;
  Milliseconds grace{500};  // between a suspicion and the verdict
};

class RendezvousHub;

class RendezvousServer {
 public:
  static Result<std::unique_ptr<RendezvousServer>> start(const RendezvousOptions& options);
  // On a socket that listens already, which ranks reach at options.address.
  static Result<std::unique_ptr<RendezvousServer>> start(const RendezvousOptions& options,
                                                         Descriptor listening);
  static Result<std::unique_ptr<RendezvousServer>> start(const RendezvousOptions& options,
                                                         std::vector<Descriptor> listening);
  ~RendezvousServer();  // waits a second at most for ranks that are still leaving

  const SocketAddress& address() const { return address_; }

 private:
  RendezvousServer() = default;

  SocketAddress address_;
  Descriptor stop_;
  std::unique_ptr<RendezvousHub> hub_;
  std::thread thread_;
};

}  // namespace quintet::engine
