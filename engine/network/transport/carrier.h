// What carries bytes between ranks: sockets over every interface of a host (SocketCarrier), or UCX
// where the interface is InfiniBand (UcxWorker). All calls from one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/launch/rendezvous/rendezvous_failure.h"
#include "engine/launch/rendezvous/rendezvous_link.h"
#include "engine/network/transport/background_work.h"

namespace quintet::engine {

class Carrier {
 public:
  // Told of movements that are over, and of those that failed. Not to call back into the carrier.
  class Listener {
   public:
    virtual ~Listener() = default;
    virtual void moved(BackgroundWork& work, std::uint32_t slot) = 0;
    virtual void broke(const Failure& failure) = 0;      // no way to a rank is left
    virtual void rerouted(const std::string& what) = 0;  // for people
  };

  Carrier() = default;
  Carrier(const Carrier&) = delete;
  Carrier& operator=(const Carrier&) = delete;
  virtual ~Carrier() = default;

  // What the others need to know to reach this rank; and what they said, by rank.
  virtual WorkerAddress address() const = 0;
  virtual std::optional<Error> know(std::vector<WorkerAddress> members) = 0;

  virtual void send(Rank to, Tag tag, std::span<const std::byte> bytes, BackgroundWork& work,
                    std::uint32_t slot) = 0;
  virtual void receive(Rank from, Tag tag, std::span<std::byte> bytes, BackgroundWork& work,
                       std::uint32_t slot) = 0;

  // From here on this route leads there, where it goes. Nothing where there is one route alone.
  virtual void prefer(Rank to, std::size_t route) = 0;
  virtual std::size_t routes() const = 0;

  // Readable when there is something to progress, provided that arm() said `sleep` before.
  virtual int descriptor() const = 0;
  enum class Armed { sleep, progress };
  virtual Armed arm() = 0;
  enum class Moved { something, nothing };
  virtual Moved progress() = 0;
  virtual bool restless() const = 0;  // progress() is to be called every few milliseconds

  virtual std::size_t under_way() const = 0;
  virtual void cancel_everything() = 0;  // progress() ends what it does not
  virtual Moved flush() = 0;             // nothing: everything sent has left; call again until then
};

}  // namespace quintet::engine
