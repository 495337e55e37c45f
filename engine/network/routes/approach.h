// A connection to another rank that comes about: connect, be asked, prove, be proven to.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/network/routes/route_address.h"
#include "engine/network/routes/route_handshake.h"

namespace quintet::engine {

class Approach {
 public:
  static Result<std::unique_ptr<Approach>> begin(const std::string& from, const SocketAddress& to,
                                                 const RouteHello& hello, std::string token);

  int descriptor() const { return socket_.number(); }
  bool waits_to_write() const { return state_ == State::connecting; }

  enum class Came { not_yet, about, to_nothing };
  Came advance();  // when the descriptor is ready; never blocks

  // Once it came about.
  Descriptor take_socket() { return std::move(socket_); }
  std::uint64_t last() const { return last_; }  // segment of the stream that the other side has

  const std::string& failure() const { return failure_; }

 private:
  enum class State { connecting, to_be_asked, to_be_answered };
  Came fail(const std::string& how);
  Came advance_connection();
  Came be_asked();
  Came be_answered();
  Came read_up_to(std::size_t size);

  Descriptor socket_;
  State state_ = State::connecting;
  std::string token_;
  RouteHandshake handshake_;
  std::vector<std::byte> read_;
  std::uint64_t last_ = 0;
  std::string failure_;
};

}  // namespace quintet::engine
