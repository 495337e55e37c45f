// What a delegate has asked of the communicator behind it, until that is over.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "engine/communicator/communicator.h"

namespace quintet::engine {

class InnerTickets {
 public:
  explicit InnerTickets(Communicator& inner) : inner_(inner) {}

  Communicator& communicator() { return inner_; }
  Ticket add(Ticket ticket);
  bool any() const { return !under_way_.empty(); }

  // Notes which are over. With patience there must be one under way.
  std::optional<Error> ask(Patience patience);
  // Once, where it is over.
  std::optional<Completion> take(Ticket ticket);

 private:
  Communicator& inner_;
  std::vector<Ticket> under_way_;
  std::map<std::uint64_t, Completion> over_;
};

}  // namespace quintet::engine
