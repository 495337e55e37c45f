// Carries bytes over TCP, a connection for each direction of a pair of ranks, over whichever of the
// hosts' interfaces goes (engine/network/routes). Nobody who has not proven the job's token gets
// past the door, at any time.
#pragma once

#include <deque>
#include <memory>

#include "engine/network/routes/doorkeeper.h"
#include "engine/network/routes/incoming_routes.h"
#include "engine/network/routes/outgoing_routes.h"
#include "engine/network/routes/route_events.h"
#include "engine/network/routes/route_options.h"
#include "engine/network/transport/carrier.h"

namespace quintet::engine {

// A carrier that only sends has no door; who only receives is never connected from.
enum class CarrierSide { both, sending };

class SocketCarrier final : public Carrier {
 public:
  // Listens from here on.
  static Result<std::unique_ptr<SocketCarrier>> open(const RouteOptions& options,
                                                     Listener& listener,
                                                     CarrierSide side = CarrierSide::both);

  WorkerAddress address() const override;
  std::optional<Error> know(std::vector<WorkerAddress> members) override;
  void send(Rank to, Tag tag, std::span<const std::byte> bytes, BackgroundWork& work,
            std::uint32_t slot) override;
  void receive(Rank from, Tag tag, std::span<std::byte> bytes, BackgroundWork& work,
               std::uint32_t slot) override;
  void prefer(Rank to, std::size_t route) override;
  std::size_t routes() const override { return options_.addresses.size(); }
  int descriptor() const override { return events_.descriptor(); }
  Armed arm() override;
  Moved progress() override;
  bool restless() const override;
  std::size_t under_way() const override;
  void cancel_everything() override;
  Moved flush() override;

 private:
  struct Peer {
    Peer(const RouteOptions& options, std::uint32_t rank, Doors doors, RouteEvents& events)
        : out(options, rank, std::move(doors), events, 2 * std::uint64_t{rank}),
          in(events, 2 * std::uint64_t{rank} + 1) {}
    OutgoingRoutes out;
    IncomingRoutes in;
    bool lost = false;
  };
  SocketCarrier(const RouteOptions& options, Listener& listener)
      : options_(options), listener_(listener) {}

  struct OwnMessage {
    Tag tag;
    std::span<const std::byte> bytes;
    Addressee addressee;
  };

  void deliver_own();
  void admit(Clock::time_point now);
  void serve(std::uint64_t owner, Clock::time_point now);
  void tick(Clock::time_point now);
  void settle();
  void tell(Peer& peer, Rank rank);
  Moved tell_all();

  RouteOptions options_;
  Listener& listener_;
  RouteEvents events_;
  std::unique_ptr<Doorkeeper> door_;  // none: it only sends
  std::deque<Peer> peers_;            // addresses must not change
  std::deque<OwnMessage> own_;        // to this rank itself, not delivered
  std::vector<std::size_t> heard_;    // peers that may be owed an answer
  Clock::time_point ticked_;
};

}  // namespace quintet::engine
