// A rank's side of the rendezvous: joins, then stays for heartbeats, failures and the end.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/launch/rendezvous/rendezvous_connection.h"
#include "engine/launch/rendezvous/rendezvous_failure.h"
#include "engine/launch/rendezvous/rendezvous_proof.h"
#include "engine/launch/rendezvous/rendezvous_server.h"

namespace quintet::engine {

using WorkerAddress = std::vector<std::byte>;

struct JoinOptions {
  SocketAddress server;
  std::string token;
  Rank rank{0};
  int world = 1;
  Rank host_of_server{0};  // named when the server is gone; invalid: no rank holds it
  Milliseconds within{60000};
  Pulse pulse;
};

class RendezvousLink {
 public:
  // Blocks until the server has let this rank in; tries again while nothing listens there.
  static Result<std::unique_ptr<RendezvousLink>> join(const JoinOptions& options);

  // Tells everyone this rank's address; blocks until everyone's is here.
  Result<std::vector<WorkerAddress>> exchange(const WorkerAddress& mine);

  // From here on nothing blocks. To be called when the descriptor is ready, and every
  // pulse.interval.
  void advance(Clock::time_point now);
  int descriptor() const { return connection_.descriptor(); }
  bool has_unsent() const { return connection_.has_unsent(); }
  Milliseconds interval() const { return options_.pulse.interval; }

  const std::optional<Failure>& failure() const { return failure_; }
  bool everyone_left() const { return everyone_left_; }

  void suspect(const Failure& failure);  // a connection broke
  void late(const Failure& failure);     // waited in vain
  void abort(const Failure& failure);
  void leave();

 private:
  RendezvousLink(const JoinOptions& options, FrameConnection connection);
  void handle(const Frame& frame);
  void lose(const std::string& how);

  JoinOptions options_;
  FrameConnection connection_;
  std::optional<std::vector<WorkerAddress>> members_;
  std::optional<Failure> failure_;
  Clock::time_point heard_, said_;
  bool everyone_left_ = false;
};

}  // namespace quintet::engine
