// Ranks that are processes: what they tell each other goes over the network, and failures are those
// that the transport tells every rank of (death, silence, missed deadlines, aborts).
#pragma once

#include <list>
#include <map>
#include <vector>

#include "engine/network/transport/transport.h"
#include "engine/peers/peers.h"

namespace quintet::engine {

class TransportPeers final : public Peers {
 public:
  // The transport must outlive it. `within`: for bytes; who misses it ends the job.
  // `text_within`: how long a rank may take between what the others expect of it, writing its shard
  // included.
  explicit TransportPeers(Transport& transport, Milliseconds within = Milliseconds(60000),
                          Milliseconds text_within = std::chrono::minutes{30})
      : transport_(transport), within_(within), text_within_(text_within) {}

  Rank rank() const override { return transport_.rank(); }
  int world() const override { return transport_.world(); }

  std::optional<Error> give(Rank to, std::uint64_t label,
                            std::span<const std::byte> bytes) override;
  std::optional<Error> take(Rank from, std::uint64_t label, std::span<std::byte> bytes) override;
  std::optional<Error> ask(Rank peer, const Question& question) override;

  void send_text(Rank to, const std::string& text) override;
  Result<std::optional<std::string>> receive_text(Rank from, Patience patience) override;

  std::optional<Error> failure() const override;
  void abort(const std::string& cause) override { transport_.abort(cause); }

 private:
  // A message has one size; its text ends at the first zero.
  struct Moving {
    std::vector<std::byte> bytes;
    std::optional<Operation> operation;
  };

  Transport& transport_;
  Milliseconds within_, text_within_;
  std::list<Moving> leaving_;
  std::map<int, Moving> awaited_;  // by sender
};

}  // namespace quintet::engine
