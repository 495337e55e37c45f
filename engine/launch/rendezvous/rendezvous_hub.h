// The rendezvous itself: one thread, one epoll, no lock.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/launch/rendezvous/rendezvous_connection.h"
#include "engine/launch/rendezvous/rendezvous_failure.h"
#include "engine/launch/rendezvous/rendezvous_frames.h"
#include "engine/launch/rendezvous/rendezvous_proof.h"
#include "engine/launch/rendezvous/rendezvous_server.h"

namespace quintet::engine {

class RendezvousHub {
 public:
  RendezvousHub(const RendezvousOptions& options, std::vector<Descriptor> listening, int stop);
  void run();  // until `stop` is readable

 private:
  using ConnectionId = std::uint64_t;  // counts up: a smaller one is older
  struct Visitor {
    FrameConnection connection;
    Nonce nonce{};
    Clock::time_point since, heard;
    Rank rank;  // invalid until proven
  };
  struct Member {
    ConnectionId connection = 0;  // the first
    std::vector<std::byte> address;
    bool left = false;
  };
  enum class Keep { yes, no };

  void serve_ready();
  void accept_some();
  void accept_at(const Descriptor& listening);
  void greet(Descriptor socket);
  void serve(ConnectionId id);
  void drop(ConnectionId id, const std::string& cause);
  void drop_oldest_stranger();

  Keep handle(ConnectionId id, Visitor& visitor, const Frame& frame);
  Keep join(ConnectionId id, Visitor& visitor, const Frame& frame);
  std::optional<std::string> misfit(const JoinMessage& message, FrameKind kind) const;
  bool is_connected(Rank rank) const;
  Keep refuse(Visitor& visitor, const std::string& reason);
  Keep take_address(const Visitor& visitor, const Frame& frame);
  Keep take_report(const Visitor& visitor, const Frame& frame);
  Keep take_leave(const Visitor& visitor);

  void look_at_the_clock(Clock::time_point now);
  void drop_slow_strangers(Clock::time_point now);
  void find_the_silent(Clock::time_point now);
  void find_the_missing(Clock::time_point now);
  void announce_verdict(Clock::time_point now);
  void tell_everyone(FrameKind kind, std::span<const std::byte> body);
  void write_when_possible(ConnectionId id, const Visitor& visitor);
  void linger();

  RendezvousOptions options_;
  std::vector<Descriptor> listening_;
  Descriptor epoll_;
  std::map<ConnectionId, Visitor> visitors_;
  std::set<ConnectionId> strangers_;  // those of visitors_ that have not proven themselves
  std::map<Rank, Member> members_;
  ConnectionId next_id_;
  Verdict verdict_;
  Clock::time_point started_, last_pulse_;
  bool some_wait_ = false;  // to be accepted
  bool stopping_ = false, complete_ = false, announced_ = false;
};

}  // namespace quintet::engine
