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
  std::vector<SocketAddress> server_elsewhere{};  // over other interfaces: in case one is cut off
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
  int descriptor() const { return any_.open() ? any_.number() : connections_[0].descriptor(); }
  bool has_unsent() const;
  Milliseconds interval() const { return options_.pulse.interval; }

  const std::optional<Failure>& failure() const { return failure_; }
  bool everyone_left() const { return everyone_left_; }

  void suspect(const Failure& failure);  // a connection broke
  void late(const Failure& failure);     // waited in vain
  void abort(const Failure& failure);
  void leave();

 private:
  RendezvousLink(const JoinOptions& options, std::vector<FrameConnection> connections);
  void say(FrameKind kind, std::span<const std::byte> body);
  void close(std::size_t connection);
  void handle(const Frame& frame);
  void lose(const std::string& how);

  JoinOptions options_;
  // Everything is said and heard over all of them; the first is the one that joined.
  std::vector<FrameConnection> connections_;
  std::vector<bool> closed_;
  Descriptor any_;  // an epoll of several
  std::optional<std::vector<WorkerAddress>> members_;
  std::optional<Failure> failure_;
  Clock::time_point heard_, said_;
  bool everyone_left_ = false;
};

}  // namespace quintet::engine
