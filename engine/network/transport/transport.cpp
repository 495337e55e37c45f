#include "engine/network/transport/transport.h"

#include <fmt/format.h>

#include <cassert>
#include <thread>

#include "engine/launch/rendezvous/rendezvous_frames.h"
#include "engine/network/transport/direct_move.h"
#include "engine/network/transport/socket_carrier.h"
#include "engine/network/transport/ucx_worker.h"

namespace quintet::engine {

namespace {

constexpr Milliseconds farewell{5000};

std::optional<Error> problem(const TransportOptions& options) {
  const JoinOptions& join = options.join;
  if (join.world < 1 || join.world > 1 << rank_bits)
    return Error{"transport",
                 fmt::format("{} ranks; expected 1 to {}", join.world, 1 << rank_bits)};
  if (!join.rank.valid() || join.rank.value >= join.world)
    return Error{"transport", fmt::format("rank {} of {} ranks", join.rank.value, join.world)};
  return std::nullopt;
}

Result<std::vector<NetworkInterface>> interfaces_of(const TransportOptions& options) {
  std::vector<NetworkInterface> interfaces = options.interfaces;
  if (interfaces.empty()) {
    if (const std::optional<Error> wrong = unusable(options.ucx.interface)) return *wrong;
    const Result<NetworkInterface> one = find_interface(options.ucx.interface);
    if (!one) return one.error();
    interfaces.push_back(*one);
  }
  for (const NetworkInterface& one : interfaces)
    if (const std::optional<Error> wrong = unusable(one.name)) return *wrong;
  return interfaces;
}

Result<RouteOptions> routes_of(const TransportOptions& options) {
  const Result<std::vector<NetworkInterface>> interfaces = interfaces_of(options);
  if (!interfaces) return interfaces.error();
  RouteOptions routes = options.routes;
  routes.addresses.clear();
  for (const NetworkInterface& one : *interfaces) routes.addresses.push_back(one.address);
  routes.token = options.join.token;
  routes.rank = static_cast<std::uint32_t>(options.join.rank.value);
  routes.world = static_cast<std::uint32_t>(options.join.world);
  return routes;
}

bool over_sockets(const TransportOptions& options) {
  return options.carrier == CarrierChoice::by_interface &&
         device_called(options.ucx.interface) != Device::infiniband;
}

Result<std::unique_ptr<Carrier>> carrier_for(const TransportOptions& options,
                                             Carrier::Listener& listener) {
  if (over_sockets(options)) {
    allow_many_descriptors();
    const Result<RouteOptions> routes = routes_of(options);
    if (!routes) return routes.error();
    Result<std::unique_ptr<SocketCarrier>> carrier = SocketCarrier::open(*routes, listener);
    if (!carrier) return carrier.error();
    return std::unique_ptr<Carrier>(*std::move(carrier));
  }
  Result<std::unique_ptr<UcxWorker>> worker = UcxWorker::open(options.ucx, listener);
  if (!worker) return worker.error();
  return std::unique_ptr<Carrier>(*std::move(worker));
}

// The progress thread's address first, then its delegates'.
WorkerAddress packed(const std::vector<WorkerAddress>& addresses) {
  BodyWriter body;
  body.number(static_cast<std::uint32_t>(addresses.size()));
  for (const WorkerAddress& address : addresses) body.block(address);
  return body.body();
}

std::optional<std::vector<WorkerAddress>> unpacked(const WorkerAddress& bytes) {
  BodyReader body(bytes);
  std::vector<WorkerAddress> addresses;
  const std::uint32_t count = body.number();
  for (std::uint32_t i = 0; i < count && i < bytes.size(); ++i) {
    const std::span<const std::byte> one = body.block();
    addresses.emplace_back(one.begin(), one.end());
  }
  if (!body.whole() || addresses.empty()) return std::nullopt;
  return addresses;
}

}  // namespace

Result<std::unique_ptr<Transport>> Transport::join(const TransportOptions& options) {
  if (const std::optional<Error> wrong = problem(options)) return *wrong;
  std::unique_ptr<Transport> transport(new Transport(options.join.rank, options.join.world));
  ProgressOptions progress{options.join.rank, options.spin};
  progress.on_rerouting = options.on_rerouting;
  progress.on_failure = [inside = transport.get()](const Failure& failure) {
    if (inside->delegates_) inside->delegates_->fail(failure);
  };
  transport->progress_ = std::make_unique<ProgressThread>(progress);
  Result<std::unique_ptr<Carrier>> carrier = carrier_for(options, *transport->progress_);
  if (!carrier) return carrier.error();
  if (const std::optional<Error> wrong = transport->open_delegates(options)) return *wrong;
  Result<std::unique_ptr<RendezvousLink>> link = RendezvousLink::join(options.join);
  if (!link) return link.error();
  std::vector<WorkerAddress> addresses{(*carrier)->address()};
  if (transport->delegates_)
    for (WorkerAddress& address : transport->delegates_->addresses())
      addresses.push_back(std::move(address));
  Result<std::vector<WorkerAddress>> members = (*link)->exchange(packed(addresses));
  if (!members) return members.error();
  if (const std::optional<Error> wrong = transport->let_in(*std::move(members), **carrier))
    return *wrong;
  if (const std::optional<Error> wrong =
          transport->progress_->run(*std::move(carrier), *std::move(link)))
    return *wrong;
  transport->state_ = State::running;
  if (transport->world_ > options.meet_up_to) return transport;
  if (const std::optional<Failure> failure = transport->meet_everyone(options.join.within))
    return failure->error();
  return transport;
}

std::optional<Error> Transport::open_delegates(const TransportOptions& options) {
  if (options.delegates == 0 || !over_sockets(options)) return std::nullopt;
  const Result<RouteOptions> routes = routes_of(options);
  if (!routes) return routes.error();
  DelegateThreadOptions each{rank_, options.spin};
  ProgressThread& progress = *progress_;
  each.on_broken = [&progress](const Failure& failure) { progress.suspect(failure); };
  each.on_late = [&progress](const Failure& failure) { progress.late(failure); };
  each.on_rerouting = options.on_rerouting;
  Result<std::unique_ptr<Delegates>> opened =
      Delegates::open(options.delegates, *routes, each, progress.waiting_room());
  if (!opened) return opened.error();
  delegates_ = *std::move(opened);
  return std::nullopt;
}

std::optional<Error> Transport::let_in(std::vector<WorkerAddress> members, Carrier& carrier) {
  std::vector<WorkerAddress> first;
  std::vector<std::vector<WorkerAddress>> others;
  for (std::size_t rank = 0; rank < members.size(); ++rank) {
    std::optional<std::vector<WorkerAddress>> addresses = unpacked(members[rank]);
    if (!addresses)
      return Error{"transport", fmt::format("rank {} said no address that can be read", rank)};
    first.push_back(std::move(addresses->front()));
    addresses->erase(addresses->begin());
    others.push_back(*std::move(addresses));
  }
  if (const std::optional<Error> wrong = carrier.know(std::move(first))) return wrong;
  return delegates_ ? delegates_->run(others) : std::nullopt;
}

// A network that does not let them is found out before the first step.
std::optional<Failure> Transport::meet_everyone(Milliseconds within) {
  const std::vector<std::byte> said(1);
  std::vector<std::byte> heard(static_cast<std::size_t>(world_));
  std::vector<Operation> operations;
  for (int other = 0; other < world_; ++other) {
    const std::uint64_t label = label_in(LabelSpace::launch, 1);
    const std::span place(&heard[static_cast<std::size_t>(other)], 1);
    operations.push_back(receive(Rank{other}, label, place, within));
    operations.push_back(send(Rank{other}, label, said, within));
  }
  for (Operation& operation : operations)
    if (const std::optional<Failure> failure = operation.wait()) return failure;
  return std::nullopt;
}

Transport::~Transport() {
  if (state_ == State::running) close(farewell);
}

Operation Transport::start(std::unique_ptr<BackgroundWork> work, Milliseconds within) {
  assert(state_ == State::running);
  BackgroundWork& started = *work;
  Operation operation(std::move(work), progress_->waiting_room());
  progress_->start(started, Clock::now() + within);
  return operation;
}

Operation Transport::start_delegated(DelegateDirection direction, DelegateKind kind,
                                     std::uint64_t number, Rank peer,
                                     std::unique_ptr<BackgroundWork> work, Milliseconds within) {
  assert(state_ == State::running);
  if (!delegates_ || peer == rank_) return start(std::move(work), within);
  BackgroundWork& started = *work;
  Operation operation(std::move(work), progress_->waiting_room());
  delegates_->at(direction, kind, number % delegates_->count())
      .start(started, Clock::now() + within);
  return operation;
}

void Transport::prefer(Rank to, std::size_t route) {
  progress_->prefer(to, route);
  if (delegates_) delegates_->prefer(to, route);
}

Operation Transport::send(Rank to, std::uint64_t label, std::span<const std::byte> bytes,
                          Milliseconds within) {
  assert(to.valid() && to.value < world_ && label >> tag_bits == 0);
  return start(std::make_unique<DirectMove>(to, direct_tag(rank_, label), bytes), within);
}

Operation Transport::receive(Rank from, std::uint64_t label, std::span<std::byte> bytes,
                             Milliseconds within) {
  assert(from.valid() && from.value < world_ && label >> tag_bits == 0);
  return start(std::make_unique<DirectMove>(from, direct_tag(from, label), bytes), within);
}

void Transport::abort(const std::string& cause) {
  progress_->abort(cause);
}

std::optional<Failure> Transport::failure() const {
  return progress_->failure();
}

std::optional<Failure> Transport::close(Milliseconds within) {
  assert(state_ == State::running);
  state_ = State::closed;
  const Clock::time_point until = Clock::now() + within;
  // Whoever leaves has nothing left to send; the delegates answer the others until all have left.
  while (delegates_ && !delegates_->has_sent_all() && !failure() && Clock::now() < until)
    std::this_thread::sleep_for(Milliseconds(1));
  return progress_->close(until);
}

}  // namespace quintet::engine
