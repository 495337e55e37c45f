// A connected socket over which heads and the bytes behind them come, and heads go. It never
// blocks.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/launch/rendezvous/rendezvous_socket.h"
#include "engine/network/routes/route_frame.h"

namespace quintet::engine {

// Who is told what came.
class RouteListener {
 public:
  virtual ~RouteListener() = default;
  // Whether that may come now. Asked before its bytes are.
  virtual bool fits(const RouteHead& head) = 0;
  // Where its bytes go from `got` on; null: nowhere.
  virtual std::byte* place(const RouteHead& head, std::size_t got) = 0;
  virtual bool arrived(const RouteHead& head) = 0;  // whole; false: that cannot be
};

class RouteConnection {
 public:
  explicit RouteConnection(Descriptor socket);

  int descriptor() const { return socket_.number(); }
  const Descriptor& socket() const { return socket_; }

  enum class Heard { something, nothing, closed, nonsense };
  Heard read(RouteListener& listener);             // a bounded amount
  const std::string& end() const { return end_; }  // why it is closed

  void say(std::span<const RouteHead> heads);
  bool flush();  // false: it broke
  bool has_unsent() const { return !unsent_.empty(); }

  void reset();  // closes so that nothing that was sent is tried again

 private:
  enum class Parsed { all, nonsense };
  Parsed parse(RouteListener& listener);
  bool take_staged(RouteListener& listener);

  Descriptor socket_;
  std::vector<std::byte> staged_;  // came, and was not looked at: from first_ to end_of_staged_
  std::size_t first_ = 0, past_ = 0;
  std::optional<RouteHead> head_;  // its bytes are coming
  std::size_t got_ = 0;
  std::vector<std::byte> unsent_;
  std::string end_;
};

}  // namespace quintet::engine
