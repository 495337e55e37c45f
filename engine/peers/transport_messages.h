// Texts between ranks over the network.
#pragma once

#include <list>
#include <map>
#include <vector>

#include "engine/network/transport/transport.h"
#include "engine/peers/state_messages.h"

namespace quintet::engine {

class TransportMessages final : public StateMessages {
 public:
  // `transport` must outlive this. `within`: how long a rank may take between what the others
  // expect of it, writing its shard included; after it the job ends.
  explicit TransportMessages(Transport& transport, Milliseconds within = std::chrono::minutes{30});

  Rank rank() const override { return transport_.rank(); }
  int world() const override { return transport_.world(); }
  void send(Rank to, const std::string& text) override;
  Result<std::optional<std::string>> receive(Rank from, Patience patience) override;

 private:
  // A message has one size; its text ends at the first zero.
  struct Moving {
    std::vector<std::byte> bytes;
    std::optional<Operation> operation;
  };

  Transport& transport_;
  Milliseconds within_;
  std::list<Moving> leaving_;
  std::map<int, Moving> awaited_;  // by sender
};

}  // namespace quintet::engine
