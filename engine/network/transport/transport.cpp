#include "engine/network/transport/transport.h"

#include <fmt/format.h>

#include <cassert>

#include "engine/network/transport/direct_move.h"

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

}  // namespace

Result<std::unique_ptr<Transport>> Transport::join(const TransportOptions& options) {
  if (const std::optional<Error> wrong = problem(options)) return *wrong;
  std::unique_ptr<Transport> transport(new Transport(options.join.rank, options.join.world));
  transport->progress_ =
      std::make_unique<ProgressThread>(ProgressOptions{options.join.rank, options.spin});
  Result<std::unique_ptr<UcxWorker>> worker = UcxWorker::open(options.ucx, *transport->progress_);
  if (!worker) return worker.error();
  Result<std::unique_ptr<RendezvousLink>> link = RendezvousLink::join(options.join);
  if (!link) return link.error();
  Result<std::vector<WorkerAddress>> members = (*link)->exchange((*worker)->address());
  if (!members) return members.error();
  (*worker)->know(*std::move(members));
  if (const std::optional<Error> wrong =
          transport->progress_->run(*std::move(worker), *std::move(link)))
    return *wrong;
  transport->state_ = State::running;
  if (transport->world_ > options.meet_up_to) return transport;
  if (const std::optional<Failure> failure = transport->meet_everyone(options.join.within))
    return failure->error();
  return transport;
}

// Twice: who has heard everyone's second word knows that everyone has heard all first words, so
// that nobody will have to connect any more. This rank is met like another: it too is reached by a
// connection.
std::optional<Failure> Transport::meet_everyone(Milliseconds within) {
  for (std::uint64_t word = 1; word <= 2; ++word) {
    const std::vector<std::byte> said(1);
    std::vector<std::byte> heard(static_cast<std::size_t>(world_));
    std::vector<Operation> operations;
    for (int other = 0; other < world_; ++other) {
      const std::uint64_t label = label_in(LabelSpace::launch, word);
      const std::span place(&heard[static_cast<std::size_t>(other)], 1);
      operations.push_back(receive(Rank{other}, label, place, within));
      operations.push_back(send(Rank{other}, label, said, within));
    }
    for (Operation& operation : operations)
      if (const std::optional<Failure> failure = operation.wait()) return failure;
  }
  progress_->shut_the_door();
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
  return progress_->close(Clock::now() + within);
}

}  // namespace quintet::engine
