#include "engine/network/transport/socket_carrier.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <utility>

namespace quintet::engine {

namespace {

constexpr std::uint64_t door_owner = ~std::uint64_t{0};
constexpr Milliseconds tick_every{10};

}  // namespace

Result<std::unique_ptr<SocketCarrier>> SocketCarrier::open(const RouteOptions& options,
                                                           Listener& listener, CarrierSide side) {
  std::unique_ptr<SocketCarrier> carrier(new SocketCarrier(options, listener));
  if (!carrier->events_.usable()) return Error{"transport", "no epoll can be made"};
  if (side == CarrierSide::sending) return carrier;
  DoorkeeperOptions door;
  door.addresses = options.addresses;
  door.token = options.token;
  door.rank = options.rank;
  door.world = options.world;
  door.lane = options.lane;
  Result<std::unique_ptr<Doorkeeper>> keeper = Doorkeeper::open(door);
  if (!keeper) return keeper.error();
  carrier->door_ = *std::move(keeper);
  carrier->events_.watch(carrier->door_->descriptor(), door_owner, Interest::reading);
  return carrier;
}

WorkerAddress SocketCarrier::address() const {
  return bytes_of(door_ ? door_->doors() : Doors{});
}

std::optional<Error> SocketCarrier::know(std::vector<WorkerAddress> members) {
  for (std::size_t rank = 0; rank < members.size(); ++rank) {
    std::optional<Doors> doors = read_doors(members[rank]);
    if (!doors)
      return Error{"transport", fmt::format("rank {} listens on no TCP port; do all ranks have "
                                            "interfaces of one kind?",
                                            rank)};
    peers_.emplace_back(options_, static_cast<std::uint32_t>(rank), *std::move(doors), events_);
  }
  return std::nullopt;
}

void SocketCarrier::send(Rank to, Tag tag, std::span<const std::byte> bytes, BackgroundWork& work,
                         std::uint32_t slot) {
  assert(to.valid() && to.index() < peers_.size());
  Peer& peer = peers_[to.index()];
  if (to.index() == options_.rank) {
    own_.push_back({tag, bytes, {&work, slot}});
    deliver_own();
  } else {
    peer.out.stream().add(tag.value, bytes, {&work, slot});
    peer.out.push(Clock::now());
  }
  tell(peer, to);
}

void SocketCarrier::receive(Rank from, Tag tag, std::span<std::byte> bytes, BackgroundWork& work,
                            std::uint32_t slot) {
  assert(from.valid() && from.index() < peers_.size());
  Peer& peer = peers_[from.index()];
  peer.in.stream().receive(tag.value, bytes, {&work, slot});
  if (!own_.empty()) deliver_own();
  if (peer.in.stream().owes()) peer.in.settle();
  tell(peer, from);
}

// As between ranks: long messages wait until they are asked for, and those of a tag keep their
// order.
void SocketCarrier::deliver_own() {
  IncomingStream& stream = peers_[options_.rank].in.stream();
  std::vector<std::uint64_t> waiting;
  for (auto each = own_.begin(); each != own_.end();) {
    const std::uint64_t tag = each->tag.value;
    const bool overtakes = std::find(waiting.begin(), waiting.end(), tag) != waiting.end();
    if (overtakes || (each->bytes.size() > largest_unasked && !stream.expects(tag))) {
      waiting.push_back(tag);
      ++each;
      continue;
    }
    const OwnMessage message = *each;
    each = own_.erase(each);
    stream.arrive_whole(tag, message.bytes);
    listener_.moved(*message.addressee.work, message.addressee.slot);
  }
}

void SocketCarrier::prefer(Rank to, std::size_t route) {
  Peer& peer = peers_[to.index()];
  if (route < peer.out.count()) peer.out.prefer(route);
}

// What is over is told here and nowhere else.
void SocketCarrier::tell(Peer& peer, Rank rank) {
  for (const Addressee& one : peer.out.stream().take_over()) listener_.moved(*one.work, one.slot);
  for (const Addressee& one : peer.in.stream().take_over()) listener_.moved(*one.work, one.slot);
  for (const RouteChange& change : peer.out.take_changes())
    listener_.rerouted(fmt::format("to rank {} over interface {} instead of {}: {}", rank.value,
                                   change.to_route, change.from_route, change.why));
  if (peer.lost) return;
  std::optional<std::string> why = peer.in.stream().mismatch();
  if (!why) why = peer.out.lost(Clock::now());
  if (!why) return;
  peer.lost = true;
  listener_.broke({rank, *why});
}

void SocketCarrier::admit(Clock::time_point now) {
  if (!door_) return;
  const auto last = [this](std::uint32_t rank) {
    return rank < peers_.size() ? peers_[rank].in.stream().last() : 0;
  };
  for (Doorkeeper::Guest& guest : door_->admit(now, last))
    if (guest.hello.from < peers_.size())  // else it is early, and comes again
      peers_[guest.hello.from].in.adopt(guest.hello.route, std::move(guest.socket));
}

void SocketCarrier::serve(std::uint64_t owner, Clock::time_point now) {
  if (owner == door_owner) return admit(now);
  const std::size_t rank = owner / 2;
  if (rank >= peers_.size()) return;
  Peer& peer = peers_[rank];
  if (owner % 2 == 0) {
    peer.out.work(now);
  } else {
    peer.in.work();
    if (heard_.empty() || heard_.back() != rank) heard_.push_back(rank);
  }
  tell(peer, id_at<Rank>(rank));
}

void SocketCarrier::tick(Clock::time_point now) {
  ticked_ = now;
  admit(now);
  settle();
  for (std::size_t rank = 0; rank < peers_.size(); ++rank) {
    if (!peers_[rank].out.restless()) continue;
    peers_[rank].out.tick(now);
    tell(peers_[rank], id_at<Rank>(rank));
  }
}

Carrier::Moved SocketCarrier::progress() {
  const std::vector<std::uint64_t> owners = events_.ready();
  const Clock::time_point now = Clock::now();
  for (const std::uint64_t owner : owners) serve(owner, now);
  if (now - ticked_ >= tick_every) tick(now);
  return owners.empty() ? Moved::nothing : Moved::something;
}

void SocketCarrier::settle() {
  for (const std::size_t rank : std::exchange(heard_, {})) peers_[rank].in.settle();
}

// Before it sleeps, everyone has heard what came.
Carrier::Armed SocketCarrier::arm() {
  settle();
  return events_.any_ready() ? Armed::progress : Armed::sleep;
}

bool SocketCarrier::restless() const {
  return std::any_of(peers_.begin(), peers_.end(),
                     [](const Peer& peer) { return peer.out.restless(); });
}

std::size_t SocketCarrier::under_way() const {
  std::size_t count = own_.size();
  for (const Peer& peer : peers_)
    count += peer.out.stream().under_way() + peer.in.stream().under_way();
  return count;
}

void SocketCarrier::cancel_everything() {
  for (Peer& peer : peers_) {
    peer.out.close();
    peer.in.close();
  }
  heard_.clear();
  own_.clear();
}

Carrier::Moved SocketCarrier::flush() {
  const bool all = std::none_of(peers_.begin(), peers_.end(),
                                [](const Peer& peer) { return peer.out.stream().unfinished(); });
  return all ? Moved::nothing : Moved::something;
}

}  // namespace quintet::engine
