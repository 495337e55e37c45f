// UCX behind one class: a context, a worker, an endpoint per peer. All calls from one thread. UCX's
// own types stay in the source file.
//
// Exposure: UCX's TCP transport listens on a port of the one interface it is told, and does not
// authenticate: it drops connections that do not begin with its magic number, but who begins so can
// inject data or, with anything that is no UCX after it, end the process (UCX 1.13 calls that
// fatal). So the interface must be the cluster's own (or "lo"), and shut_the_door() is called once
// every rank has been met: what is left open is the time of joining. Shared memory is visible to
// the same user only.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/launch/rendezvous/rendezvous_failure.h"
#include "engine/launch/rendezvous/rendezvous_link.h"
#include "engine/network/transport/background_work.h"
#include "engine/network/transport/ucx_context.h"

namespace quintet::engine {

class UcxWorker {
 public:
  // Told of movements that are over, and of those that failed. Not to call back into the worker.
  class Listener {
   public:
    virtual ~Listener() = default;
    virtual void moved(BackgroundWork& work, std::uint32_t slot) = 0;
    virtual void broke(const Failure& failure) = 0;  // the connection to a rank
  };

  static Result<std::unique_ptr<UcxWorker>> open(const UcxOptions& options, Listener& listener);
  ~UcxWorker();

  WorkerAddress address() const;
  // No connections from here on, so that all endpoints that will be needed have to stand.
  void shut_the_door();
  void know(std::vector<WorkerAddress> members);

  void send(Rank to, Tag tag, std::span<const std::byte> bytes, BackgroundWork& work,
            std::uint32_t slot);
  void receive(Rank from, Tag tag, std::span<std::byte> bytes, BackgroundWork& work,
               std::uint32_t slot);

  // Readable when there is something to progress, provided that arm() said `sleep` before.
  int descriptor() const;
  enum class Armed { sleep, progress };
  Armed arm();
  enum class Moved { something, nothing };
  Moved progress();

  std::size_t under_way() const;
  void cancel_everything();  // receives are cancelled, connections cut; progress() then ends them
  Moved flush();             // nothing: everything sent has left; call again until then

 private:
  struct Inside;
  explicit UcxWorker(std::unique_ptr<Inside> inside);
  std::unique_ptr<Inside> inside_;
};

}  // namespace quintet::engine
