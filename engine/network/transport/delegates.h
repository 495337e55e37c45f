// A rank's delegates (delegate_thread.h): of each kind of message and each direction as many, each
// with a carrier of its own, which meets the other ranks' delegate of the same kind and number.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/network/routes/route_options.h"
#include "engine/network/transport/delegate_thread.h"

namespace quintet::engine {

// forward: activations; backward: their gradients.
enum class DelegateKind : std::size_t { forward, backward };
enum class DelegateDirection { out, in };
constexpr std::size_t delegate_kinds = 2;

class Delegates {
 public:
  // `count` of each kind and direction; `options` are of each thread.
  static Result<std::unique_ptr<Delegates>> open(std::size_t count, const RouteOptions& routes,
                                                 const DelegateThreadOptions& options,
                                                 WaitingRoom& room);

  std::size_t count() const { return count_; }

  // Where those that receive are reached; and, by rank, where the others' are. Runs from there on.
  std::vector<WorkerAddress> addresses() const;
  std::optional<Error> run(const std::vector<std::vector<WorkerAddress>>& members);

  DelegateThread& at(DelegateDirection direction, DelegateKind kind, std::size_t number);
  void prefer(Rank to, std::size_t route);
  void fail(const Failure& failure);
  bool has_sent_all() const;

 private:
  struct Pair {
    std::unique_ptr<DelegateThread> out, in;
    std::unique_ptr<Carrier> sending, receiving;  // until they run
  };
  std::size_t count_ = 0;
  std::vector<Pair> pairs_;  // kind by kind
};

}  // namespace quintet::engine
