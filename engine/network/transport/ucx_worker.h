// UCX behind one class: a context, a worker, an endpoint per peer. All calls from one thread. UCX's
// own types stay in the source file.
//
// For InfiniBand, where it opens no TCP port. (Over TCP, which tests alone ask it for, UCX 1.13
// listens on a port and believes whoever begins with its magic number: garbage after that ends the
// process.) Shared memory is visible to the same user only.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/network/transport/carrier.h"
#include "engine/network/transport/ucx_context.h"

namespace quintet::engine {

class UcxWorker final : public Carrier {
 public:
  static Result<std::unique_ptr<UcxWorker>> open(const UcxOptions& options, Listener& listener);
  ~UcxWorker() override;

  WorkerAddress address() const override;
  std::optional<Error> know(std::vector<WorkerAddress> members) override;

  void send(Rank to, Tag tag, std::span<const std::byte> bytes, BackgroundWork& work,
            std::uint32_t slot) override;
  void receive(Rank from, Tag tag, std::span<std::byte> bytes, BackgroundWork& work,
               std::uint32_t slot) override;

  // UCX chooses its own ways.
  void prefer(Rank, std::size_t) override {}
  std::size_t routes() const override { return 1; }

  int descriptor() const override;
  Armed arm() override;
  Moved progress() override;
  bool restless() const override { return false; }

  std::size_t under_way() const override;
  void cancel_everything() override;
  Moved flush() override;

 private:
  struct Inside;
  explicit UcxWorker(std::unique_ptr<Inside> inside);
  std::unique_ptr<Inside> inside_;
};

}  // namespace quintet::engine
