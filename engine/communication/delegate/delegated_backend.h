// Communication of a device through its host (CPU delegation: PipeMorph, arXiv 2504.19232): what is
// to go out is copied to pinned memory on streams of its own, and another communicator, of the
// host, carries it; what comes in goes the same way back. No kernel takes part, so nothing disturbs
// those that compute.
//
//   message     device -> chunk -> network -> chunk -> device, chunks one behind another
//   collective  device -> block -> collective of the host -> block -> device, as a whole
//
// A send is over when the network has been handed all of it; a failure to deliver it is told by
// whatever is asked next. A receive is asked of the network at once, before the device has come to
// where the message is wanted. It and a collective are over when the copy back is queued and the
// stream waits for it. Times are the host's: `moving` is the inner communicator's (of a send: its
// first chunk was handed over), `end` when the ticket was over.
//
// Never waits in a circle: copies wait only for what was queued on the device before, and chunks in
// use only for the network. For that, two ranks must post their messages of one payload, one way,
// in one order (message_routes.h checks programs for it) where more chunks are asked for than may
// be under way. Collectives, which have no such order, take as many blocks as are under way.
#pragma once

#include <list>
#include <map>
#include <memory>

#include "engine/communication/delegate/chunked_routes.h"
#include "engine/communication/delegate/delegated_collective.h"
#include "sim/program/program.h"

namespace quintet::engine {

class DelegatedBackend final : public CommunicationBackend {
 public:
  // All given by reference must outlive it. Used by one thread, which has opened the device, and
  // which alone uses `inner`. What the device refuses throws.
  DelegatedBackend(const Program& program, Rank rank, kernels::Device& device,
                   CommunicationBackend& inner, const DelegateOptions& options = {});
  // Waits for messages that are still to be delivered. Ends the job if tickets are left. No copy
  // runs any more afterwards.
  ~DelegatedBackend() override;

  Ticket start(const CollectiveCall& work) override;
  Ticket send(const SendWork& work) override;
  Ticket receive(const ReceiveWork& work) override;
  // Copies and messages go on while this is called, and only then.
  Result<std::vector<Completion>> finished(std::span<const Ticket> tickets,
                                           Patience patience) override;
  void abort(const Error& cause) override;

  std::size_t pinned_bytes() const { return pinned_.allocated(); }

 private:
  // The other rank, payload.
  using RouteKey = std::pair<std::int32_t, Payload>;

  CopyStreams streams_beside(const kernels::Stream& stream);
  GroupPlace place_in(CommunicatorId communicator) const;
  template <class Route>
  Route* route(std::map<RouteKey, Route>& routes, Rank other, Payload payload);

  std::optional<Error> advance(Patience patience);
  bool waits_for_copy() const;
  bool sends() const;
  bool awaits() const;
  void wait_a_little(int round);
  void fail(const Error& error);
  void out_of_memory(std::size_t bytes);
  std::string awaited_copy() const;
  bool is_overdue(Clock::time_point since);
  void end_copies(std::chrono::milliseconds within);
  void leave();

  const Program program_;
  Rank rank_;
  kernels::Device& device_;
  DelegateOptions options_;
  EventPool events_;
  PinnedBlocks pinned_;
  InnerTickets inner_;
  OverTickets over_;
  const DelegateParts parts_;
  std::map<void*, CopyStreams> streams_;  // by the caller's
  std::map<RouteKey, OutgoingRoute> outgoing_;
  std::map<RouteKey, IncomingRoute> incoming_;
  std::list<DelegatedCollective> collectives_;
  std::uint64_t last_ticket_ = 0;
  std::optional<Error> failure_;
};

}  // namespace quintet::engine
