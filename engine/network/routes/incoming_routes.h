// The ways from another rank to this one: whoever connects chooses among them, and what comes over
// any of them belongs to one stream.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/network/routes/incoming_stream.h"
#include "engine/network/routes/route_connection.h"
#include "engine/network/routes/route_events.h"

namespace quintet::engine {

class IncomingRoutes final : public RouteListener {
 public:
  IncomingRoutes(RouteEvents& events, std::uint64_t owner) : events_(events), owner_(owner) {}

  IncomingStream& stream() { return stream_; }
  const IncomingStream& stream() const { return stream_; }

  // Takes the place of an earlier connection of that route.
  void adopt(std::size_t route, Descriptor socket);
  void work();    // reads; answers what should be answered while more comes
  void settle();  // answers all
  void close();

  // RouteListener
  bool fits(const RouteHead& head) override { return stream_.fits(head); }
  std::byte* place(const RouteHead& head, std::size_t got) override {
    return stream_.place(head, got);
  }
  bool arrived(const RouteHead& head) override { return stream_.arrived(head); }

 private:
  void answer();
  void leave(std::size_t route);

  RouteEvents& events_;
  std::uint64_t owner_;
  IncomingStream stream_;
  std::vector<std::unique_ptr<RouteConnection>> connections_;  // by route
  std::optional<std::size_t> heard_last_;
};

}  // namespace quintet::engine
