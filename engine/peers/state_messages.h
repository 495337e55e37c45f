// What saving and restoring needs of communication: short texts between ranks. Implementations:
// LocalMessages (threads of one process) and TransportMessages (the network).
#pragma once

#include <optional>
#include <string>

#include "engine/communicator/communicator.h"
#include "sim/base/ids.h"
#include "sim/base/result.h"

namespace quintet::engine {

class StateMessages {
 public:
  StateMessages() = default;
  StateMessages(const StateMessages&) = delete;
  StateMessages& operator=(const StateMessages&) = delete;
  virtual ~StateMessages() = default;

  virtual Rank rank() const = 0;
  virtual int world() const = 0;

  // Longer texts are cut.
  static constexpr std::size_t longest = 4000;

  // Does not wait. Texts from one rank to another arrive in their order.
  virtual void send(Rank to, const std::string& text) = 0;
  // The next text of that rank; without patience nothing if it is not there yet. The error tells
  // which rank failed.
  virtual Result<std::optional<std::string>> receive(Rank from, Patience patience) = 0;
};

}  // namespace quintet::engine
