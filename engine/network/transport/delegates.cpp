#include "engine/network/transport/delegates.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/network/transport/socket_carrier.h"

namespace quintet::engine {

Result<std::unique_ptr<Delegates>> Delegates::open(std::size_t count, const RouteOptions& routes,
                                                   const DelegateThreadOptions& options,
                                                   WaitingRoom& room) {
  auto delegates = std::make_unique<Delegates>();
  delegates->count_ = count;
  for (std::size_t lane = 0; lane < delegate_kinds * count; ++lane) {
    Pair& pair = delegates->pairs_.emplace_back();
    pair.out = std::make_unique<DelegateThread>(options, room);
    pair.in = std::make_unique<DelegateThread>(options, room);
    RouteOptions own = routes;
    own.lane = static_cast<std::uint32_t>(lane + 1);  // the progress thread's is 0
    auto sending = SocketCarrier::open(own, *pair.out, CarrierSide::sending);
    if (!sending) return sending.error();
    auto receiving = SocketCarrier::open(own, *pair.in);
    if (!receiving) return receiving.error();
    pair.sending = *std::move(sending);
    pair.receiving = *std::move(receiving);
  }
  return delegates;
}

std::vector<WorkerAddress> Delegates::addresses() const {
  std::vector<WorkerAddress> addresses;
  for (const Pair& pair : pairs_) addresses.push_back(pair.receiving->address());
  return addresses;
}

std::optional<Error> Delegates::run(const std::vector<std::vector<WorkerAddress>>& members) {
  for (std::size_t lane = 0; lane < pairs_.size(); ++lane) {
    std::vector<WorkerAddress> there;
    for (std::size_t rank = 0; rank < members.size(); ++rank) {
      if (members[rank].size() != pairs_.size())
        return Error{"transport", fmt::format("rank {} has other delegates than this one", rank)};
      there.push_back(members[rank][lane]);
    }
    Pair& pair = pairs_[lane];
    if (auto wrong = pair.sending->know(there)) return wrong;
    if (auto wrong = pair.receiving->know(std::move(there))) return wrong;
    if (auto wrong = pair.out->run(std::move(pair.sending))) return wrong;
    if (auto wrong = pair.in->run(std::move(pair.receiving))) return wrong;
  }
  return std::nullopt;
}

DelegateThread& Delegates::at(DelegateDirection direction, DelegateKind kind, std::size_t number) {
  const Pair& pair = pairs_[static_cast<std::size_t>(kind) * count_ + number];
  return direction == DelegateDirection::out ? *pair.out : *pair.in;
}

void Delegates::prefer(Rank to, std::size_t route) {
  for (const Pair& pair : pairs_) pair.out->prefer(to, route);
}

void Delegates::fail(const Failure& failure) {
  for (const Pair& pair : pairs_) {
    pair.out->fail(failure);
    pair.in->fail(failure);
  }
}

bool Delegates::has_sent_all() const {
  return std::all_of(pairs_.begin(), pairs_.end(),
                     [](const Pair& pair) { return pair.out->has_sent_all(); });
}

}  // namespace quintet::engine
