// The ways from this rank to another, one of which carries the stream at a time: the preferred one
// where it goes. When it falls silent or breaks, the next carries on from the first segment that
// the other rank has not; when the preferred one stands again, it takes over once all that was
// begun elsewhere has come, so that nothing overtakes.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/network/routes/approach.h"
#include "engine/network/routes/outgoing_stream.h"
#include "engine/network/routes/route_connection.h"
#include "engine/network/routes/route_events.h"
#include "engine/network/routes/route_options.h"
#include "engine/network/routes/route_silence.h"

namespace quintet::engine {

class OutgoingRoutes final : public RouteListener {
 public:
  // `owner`: by which the events name it. Options and events must outlive it.
  OutgoingRoutes(const RouteOptions& options, std::uint32_t to, Doors doors, RouteEvents& events,
                 std::uint64_t owner);

  OutgoingStream& stream() { return stream_; }
  const OutgoingStream& stream() const { return stream_; }
  std::size_t count() const { return lines_.size(); }
  void prefer(std::size_t route) { preferred_ = route; }

  void push(Clock::time_point now);  // something was added to the stream
  void work(Clock::time_point now);  // writes, reads and connects as far as that does not block
  void tick(Clock::time_point now);  // every few milliseconds: what waits in vain
  bool restless() const;             // tick() has to be called
  std::optional<std::string> lost(Clock::time_point now) const;  // no way was found for too long
  std::vector<RouteChange> take_changes();
  void close();

  // RouteListener: what the other rank says.
  bool fits(const RouteHead& head) override;
  std::byte* place(const RouteHead&, std::size_t) override { return nullptr; }
  bool arrived(const RouteHead& head) override;

 private:
  struct Line {
    std::unique_ptr<Approach> approach;
    std::unique_ptr<RouteConnection> connection;
    std::uint64_t last = 0;  // the other rank had when the connection came about
    Clock::time_point begun, not_before;
    bool free() const { return !approach && !connection; }
  };

  void begin(std::size_t route, Clock::time_point now);
  void advance_approaches(Clock::time_point now);
  void give_up_approach(std::size_t route, Clock::time_point now, const std::string& why);
  void listen(Clock::time_point now);
  void choose(Clock::time_point now);
  void use(std::size_t route);
  void write(Clock::time_point now);
  void leave(std::size_t route, Clock::time_point now, std::string why);
  void look_for_a_way(Clock::time_point now);
  Milliseconds patience() const;
  void look_whether_it_lives(Clock::time_point now);
  void watch_all();

  const RouteOptions& options_;
  std::uint32_t to_;
  Doors doors_;
  RouteEvents& events_;
  std::uint64_t owner_;
  OutgoingStream stream_;
  std::vector<Line> lines_;
  std::size_t preferred_ = 0, candidate_ = 0;
  int failures_ = 0;  // attempts in a row
  std::optional<std::size_t> current_, last_used_;
  RouteSilence silence_;
  Clock::time_point written_, pushed_;
  bool watched_ =
      false;  // pinged though nothing is to be sent: another route would be taken at once
  std::optional<Clock::time_point> without_since_;  // there is something to send, and no way
  std::string why_left_;
  std::vector<RouteChange> changes_;
};

}  // namespace quintet::engine
