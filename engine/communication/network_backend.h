// The executor's communicator over the network: every communicator of the program is a group of
// ranks (engine/network/collectives), which runs the algorithm that the plan asks for and the
// simulator prices (sim/ccl/choice/cpu_choice.h).
//
// Order of additions, hence bits: those of LocalWorld where the algorithm is direct, or the group
// has two ranks; the files of sim/ccl/algorithms say what the others do.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "engine/communication/communication_backend.h"
#include "engine/network/collectives/rank_group.h"
#include "engine/network/transport/transport.h"
#include "sim/plan/ccl.h"
#include "sim/program/program.h"
#include "sim/topology/host_layout.h"

namespace quintet::engine {

struct NetworkBackendOptions {
  // For each collective and message, from when this rank starts it: the others may still be
  // computing, so it has to be longer than a step. Who misses it ends the job.
  Milliseconds within{60000};
  std::vector<Seat>
      seats;  // of every rank, for tree, ring and hierarchical; empty: all on one host
  // That send messages between stages, of those that the transport has; 0: none.
  int delegates = std::numeric_limits<int>::max();
};

class NetworkBackend final : public CommunicationBackend {
 public:
  // The transport must outlive it. An error where a group cannot be made of the program's.
  static Result<std::unique_ptr<NetworkBackend>> make(const Program& program, const Ccl& ccl,
                                                      Transport& transport,
                                                      const NetworkBackendOptions& options = {});
  ~NetworkBackend() override;  // waits for what is under way: `within` at most

  // All-reduce, reduce-scatter and all-gather are done. What cannot be started ends the job:
  // finished() says why.
  Ticket start(const CollectiveCall& call) override;
  Ticket send(const SendWork& work) override;
  Ticket receive(const ReceiveWork& work) override;

  // `moving`: what came first from a peer was here; of a message sent: it was handed to the
  // network. `end`: when it was over, however late it is asked about.
  Result<std::vector<Completion>> finished(std::span<const Ticket> tickets,
                                           Patience patience) override;
  void abort(const Error& cause) override;
  void set_delegates(int count) override { options_.delegates = count; }

 private:
  struct Group {
    std::unique_ptr<RankGroup> ranks;  // null where this rank is no member
    HostLayout layout;
    Axis axis = Axis::data;
    std::string name;
  };
  NetworkBackend(const Ccl& ccl, Transport& transport, const NetworkBackendOptions& options)
      : ccl_(ccl), transport_(transport), options_(options) {}

  Result<Operation> started(const CollectiveCall& call);
  Operation moved(DelegateDirection direction, Payload payload, std::uint64_t tag, Rank peer,
                  std::unique_ptr<BackgroundWork> work);
  Ticket keep(Operation operation);
  void fail(const Error& error);
  std::vector<const Operation*> of(std::span<const Ticket> tickets) const;
  std::vector<Completion> take_ended(std::span<const Ticket> tickets);

  Ccl ccl_;
  Transport& transport_;
  NetworkBackendOptions options_;
  std::vector<Group> groups_;                     // by the program's communicators
  std::map<std::uint64_t, Operation> under_way_;  // by ticket
  std::uint64_t last_ticket_ = 0;
  std::optional<Error> failure_;
};

}  // namespace quintet::engine
